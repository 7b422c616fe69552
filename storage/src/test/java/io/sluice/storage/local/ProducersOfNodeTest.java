package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ProducerSnapshot;
import io.sluice.storage.log.TestBatches;
import io.sluice.storage.log.VerifiedAppend;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many producers the logs of a node remember together, and which of them they forget. */
class ProducersOfNodeTest {
    private static final int LIMIT = 32;
    private static final int LOGS = 4;

    private final LocalWorld world = new LocalWorld();
    private List<PartitionLog> logs = List.of();
    private long stepMillis = 10_000;

    ProducersOfNodeTest() {
        limitTo(LIMIT);
    }

    @AfterEach
    void end() {
        world.close();
    }

    private void limitTo(int producers) {
        world.setConfig(
                LocalWorld.config(1 << 20, new LocalStorageConfig.ProducerConfig(86_400_000, 10_000, producers)));
        world.restart();
        openAll();
    }

    private void openAll() {
        List<PartitionLog> opened = new ArrayList<>();
        for (int i = 0; i < LOGS; i++) {
            var stage = world.store()
                    .open(new PartitionId(new TopicId(1, 1), i), "t", i + 1, 0, Map.of())
                    .toCompletableFuture();
            world.settle();
            opened.add(stage.join());
        }
        logs = opened;
    }

    private AppendResult append(int log, ByteBuf batch) {
        world.time().advanceNanos(TimeUnit.MILLISECONDS.toNanos(stepMillis));
        AppendResult result = VerifiedAppend.append(logs.get(log), batch, AppendOrigin.CLIENT);
        batch.release();
        return result;
    }

    private AppendResult produce(int log, long producer, int sequence) {
        return append(log, TestBatches.idempotent(producer, 0, sequence, "v"));
    }

    /** So many producers, each of a log of its own in turn, beginning with this number. */
    private void produceFrom(long first, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(produce(i % LOGS, first + i, 0)).isInstanceOf(AppendResult.Appended.class);
        }
    }

    private Stream<Long> remembered() {
        return logs.stream().flatMap(log -> log.activeProducers().stream()).map(ProducerSnapshot::producerId);
    }

    private long counted() {
        ByteArrayOutputStream page = new ByteArrayOutputStream();
        try {
            world.metrics().writeText(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return page.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("sluice_log_producers "))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf(' '))))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void forgetsThoseThatHaveBeenIdleForLongestInWhicheverLogTheyAre() {
        for (int i = 0; i < LIMIT; i++) {
            produce(i < LIMIT / 2 ? 0 : 1, i, 0);
        }
        produce(0, 0, 1);
        world.runTasks();
        assertThat(remembered()).hasSize(LIMIT);

        produce(2, 100, 0);
        world.runTasks();

        assertThat(remembered()).hasSize(LIMIT - 2).contains(0L, 4L, 31L, 100L).doesNotContain(1L, 2L, 3L);
        assertThat(counted()).isEqualTo(LIMIT - 2);
    }

    @Test
    void takesWhatAForgottenProducerSendsNextWithWhateverSequence() {
        produce(0, 1, 0);
        produceFrom(100, LIMIT);
        world.runTasks();
        assertThat(remembered()).doesNotContain(1L);

        assertThat(produce(0, 1, 7)).isInstanceOf(AppendResult.Appended.class);
        assertThat(produce(0, 1, 7)).isInstanceOf(AppendResult.Duplicate.class);
        assertThat(produce(0, 1, 9)).isInstanceOf(AppendResult.Refused.class);
    }

    @Test
    void keepsOpenTransactions() {
        append(3, TestBatches.transactional(1, 0, 0, "v"));
        produceFrom(100, 3 * LIMIT);
        world.runTasks();

        assertThat(remembered()).contains(1L).hasSizeLessThanOrEqualTo(LIMIT);
    }

    @Test
    void isBoundedAlsoWhileNobodyComesToForget() {
        produceFrom(100, 10 * LIMIT);

        assertThat(remembered()).hasSize(2 * LIMIT);
        assertThat(counted()).isEqualTo(2 * LIMIT);
    }

    @Test
    void keepsThoseWhoseClientsMayStillResend() {
        stepMillis = 1;
        produce(0, 1, 0);
        for (int i = 0; i < 10 * LIMIT; i++) {
            produce(1, 100 + i, 0);
            world.runTasks();
        }

        assertThat(remembered()).contains(1L).hasSize(2 * LIMIT);
        assertThat(produce(0, 1, 0)).isInstanceOf(AppendResult.Duplicate.class);
    }

    @Test
    void isBoundedAlsoWhereEverybodyHasATransactionOpen() {
        for (int i = 0; i < 2 * LIMIT; i++) {
            append(i % LOGS, TestBatches.transactional(i, 0, 0, "v"));
            world.runTasks();
        }
        assertThat(remembered()).hasSize(2 * LIMIT);

        produceFrom(1_000, LIMIT);
        world.runTasks();
        assertThat(remembered()).hasSizeLessThanOrEqualTo(2 * LIMIT + LOGS);
    }

    @Test
    void remembersNoMoreAfterAStartWithALowerBound() {
        produceFrom(100, LIMIT);
        world.checkpoint();
        produceFrom(200, LIMIT / 4);
        limitTo(10); // those replayed have been heard of just now, as far as the node knows
        world.runTasks();
        assertThat(remembered()).hasSizeLessThanOrEqualTo(2 * 10 + 1);
        world.time().advanceNanos(TimeUnit.MINUTES.toNanos(3));
        produce(3, 200L + LIMIT / 4 - 1, 1);
        world.time().advanceNanos(TimeUnit.MINUTES.toNanos(3)); // retention looks every five
        world.runTasks();

        assertThat(remembered()).hasSizeBetween(5, 10).contains(200L + LIMIT / 4 - 1);
        assertThat(counted()).isEqualTo(remembered().count());
    }

    @Test
    void countsTheSameAfterACrash() {
        produceFrom(100, LIMIT / 2);
        world.checkpoint();
        produceFrom(100 + LIMIT / 2, LIMIT / 4);
        world.checkpoint();
        produceFrom(200, LIMIT / 8);
        world.settle();
        world.kill();
        openAll();

        assertThat(remembered()).hasSize(LIMIT / 2 + LIMIT / 4 + LIMIT / 8);
        assertThat(counted()).isEqualTo(LIMIT / 2 + LIMIT / 4 + LIMIT / 8);
    }

    @Test
    void doesNotCountThoseOfADeletedLog() {
        produceFrom(100, LIMIT);
        world.store().delete(new PartitionId(new TopicId(1, 1), 0));
        world.settle();

        assertThat(counted()).isEqualTo(LIMIT - LIMIT / LOGS);
    }
}
