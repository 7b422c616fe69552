package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.base.error.UserException;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.TestBatches;
import io.sluice.storage.metadata.GivenNumbers;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

/** Metadata that is older than the logs. */
class MetadataMatchTest {
    private final LocalWorld world = new LocalWorld();

    private CompletableFuture<PartitionLog> tryOpen(int logId, int epoch) {
        var stage = world.store()
                .open(new PartitionId(new TopicId(1, logId), 0), "t", logId, epoch, Map.of())
                .toCompletableFuture();
        world.settle();
        return stage;
    }

    private void append(int logId, int epoch) {
        PartitionLog log = tryOpen(logId, epoch).join();
        ByteBuf batch = TestBatches.of("value");
        assertThat(log.append(batch, epoch, AppendOrigin.CLIENT)).isInstanceOf(AppendResult.Appended.class);
        batch.release();
        world.settle();
    }

    /** Twice: the first attempt must not have made the second look right. */
    private void requireRefused(GivenNumbers given, String reason) throws IOException {
        requireRefused(given, "logs and journal", reason).hasMessageContaining("sluice.journal.accept.loss=true");
    }

    /** Where the catalogue itself is newer, a start without the journal would end alike. */
    private void requireRefusedForTheCatalogue(GivenNumbers given, String reason) throws IOException {
        requireRefused(given, "logs", reason).hasMessageNotContaining("accept.loss");
    }

    private AbstractThrowableAssert<?, ?> requireRefused(GivenNumbers given, String olderThan, String reason)
            throws IOException {
        world.setGiven(given);
        assertThatThrownBy(world::kill).isInstanceOf(UserException.class);
        return assertThatThrownBy(world::kill)
                .isInstanceOf(UserException.class)
                .hasMessageContaining("The metadata of /data is older than its " + olderThan + ": the log of t-0 ")
                .hasMessageContaining(reason)
                .hasMessageContaining("Restore the data directory and its journal (sluice.journal.dir)");
    }

    @Test
    void refusesALogWithANumberThatTheMetadataHasNotGivenAndDeletesItNot() throws IOException {
        append(7, 3);
        requireRefused(new GivenNumbers(7, 3), "has number 7, and the metadata has given those below 7");

        world.setGiven(new GivenNumbers(8, 3));
        world.kill();
        assertThat(tryOpen(7, 3).join().endOffset()).isEqualTo(1);
    }

    @Test
    void refusesALeaderEpochThatTheMetadataHasNotGiven() throws IOException {
        append(7, 3);
        requireRefused(new GivenNumbers(8, 2), "was served under leader epoch 3, and the metadata has got to 2");
        requireRefused(new GivenNumbers(8, -1), "was served under leader epoch 3, and the metadata knows none");
    }

    @Test
    void refusesMetadataThatIsOlderThanWhatACheckpointHasTakenOverToo() throws IOException {
        append(7, 3);
        world.checkpoint();
        requireRefusedForTheCatalogue(new GivenNumbers(7, 3), "has number 7");
        requireRefusedForTheCatalogue(new GivenNumbers(8, 2), "leader epoch 3");
    }

    @Test
    void startsWithMetadataThatHasGivenJustWhatIsThere() {
        append(7, 3);
        world.setGiven(new GivenNumbers(8, 3));
        world.kill();

        assertThat(tryOpen(7, 3).join().endOffset()).isEqualTo(1);
    }

    @Test
    void aLogServesUnderNoEpochBeforeItsOwn() {
        append(7, 3);
        world.kill();

        assertThatThrownBy(() -> tryOpen(7, 2).join())
                .hasMessageContaining("t-0 cannot be served under leader epoch 2: it was served under 3 before");
        world.kill();
        append(7, 4);
        assertThat(tryOpen(7, 4).join().endOffset()).isEqualTo(2);
    }
}
