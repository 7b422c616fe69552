package io.sluice.storage.local.producer;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.local.aborted.AbortedChunks;
import io.sluice.storage.local.aborted.ChunkCache;
import io.sluice.storage.local.segment.DurableStep;
import io.sluice.storage.local.segment.LogDirectory;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ProducerSnapshot;
import io.sluice.storage.log.TestBatches;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How many producers a log remembers, and which of them it forgets. */
class ProducerStatesTest {
    private static final int LIMIT = 3;

    private final ProducerStates states = new ProducerStates(new ProducerLimit(LIMIT, 1_000));
    private long now = 1_000;

    private void apply(ByteBuf batch) {
        states.apply(new BatchView().wrap(batch), now++);
        batch.release();
    }

    private void produce(long producer, int sequence) {
        apply(TestBatches.idempotent(producer, 0, sequence, "v"));
    }

    private @Nullable AppendResult check(long producer, int sequence) {
        ByteBuf batch = TestBatches.idempotent(producer, 0, sequence, "v");
        AppendResult result = states.check(new BatchView().wrap(batch), AppendOrigin.CLIENT, PartitionLog.NO_GUARD);
        batch.release();
        return result;
    }

    private static List<Long> ids(ProducerStates of) {
        return of.snapshots().stream().map(ProducerSnapshot::producerId).toList();
    }

    @Test
    void forgetsTheOneThatHasBeenIdleForLongest() {
        produce(1, 0);
        produce(2, 0);
        produce(3, 0);
        produce(1, 1);
        produce(4, 0);

        assertThat(ids(states)).containsExactly(3L, 1L, 4L);
        assertThat(states.dropped()).isEqualTo(1);
    }

    /** What ends a verification may never come: the client died, the coordinator was away. */
    @Test
    void verificationsThatCameToNothingMakeRoom() {
        for (int producer = 0; producer < Verifications.MOST; producer++) {
            states.beginVerification(producer, (short) 0, 0, false, now);
        }
        assertThat(states.beginVerification(5_000, (short) 0, 0, false, now)).isEqualTo(PartitionLog.TOO_MANY);

        states.expireVerifications(now + 1);

        assertThat(states.beginVerification(5_000, (short) 0, 0, false, now)).isPositive();
    }

    @Test
    void takesWhatAForgottenProducerSendsNext() {
        for (int producer = 1; producer <= LIMIT + 1; producer++) {
            produce(producer, 0);
        }

        assertThat(check(1, 1)).isNull();
        assertThat(check(2, 0)).isInstanceOf(AppendResult.Duplicate.class);
    }

    @Test
    void neverForgetsAnOpenTransaction() {
        for (int producer = 1; producer <= LIMIT + 2; producer++) {
            apply(TestBatches.transactional(producer, 0, 0, "v"));
        }
        assertThat(ids(states)).containsExactly(1L, 2L, 3L, 4L, 5L);

        apply(TestBatches.marker(2, 0, 0, true));
        produce(9, 0);

        assertThat(ids(states)).containsExactly(1L, 3L, 4L, 5L, 9L);
    }

    @Test
    void expiresTheIdleOnesAndKeepsTheOrder() {
        produce(1, 0);
        produce(2, 0);
        apply(TestBatches.transactional(3, 0, 0, "v"));

        states.expire(1_001);
        assertThat(ids(states)).containsExactly(2L, 3L);

        states.expire(Long.MAX_VALUE);
        assertThat(ids(states)).containsExactly(3L);
    }

    @Test
    void knowsAfterARestartWhoWasIdleForLongest() {
        produce(7, 0);
        produce(2, 0);
        produce(5, 0);
        produce(7, 1);
        ByteBuf saved = Unpooled.buffer();
        states.writeTo(saved);
        ProducerStates restarted = new ProducerStates(new ProducerLimit(LIMIT, 1_000));
        restarted.readFrom(
                saved,
                new AbortedChunks(
                        new LogDirectory(new DurableStep(new SimulatedFileSystem(1)), Path.of("/1-t-0")),
                        new ChunkCache(8)),
                true);

        ByteBuf batch = TestBatches.idempotent(6, 0, 0, "v");
        restarted.apply(new BatchView().wrap(batch), now);
        batch.release();

        assertThat(ids(restarted)).containsExactly(5L, 7L, 6L);
    }
}
