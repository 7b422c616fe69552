package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.journal.JournalDamagedException;
import io.sluice.storage.journal.JournalEntryKind;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a start and the opening of a log say when they cannot. */
class RecoveryFaultsTest {
    private static final Map<String, String> MEMORY = Map.of("sluice.durability", "memory");

    private static final Path LOG = Path.of("/data/logs/1-t-0");

    private final LocalWorld world = new LocalWorld();

    private CompletableFuture<PartitionLog> open(int epoch, Map<String, String> configs) {
        var stage = world.store()
                .open(new PartitionId(new TopicId(1, 1), 0), "t", 1, epoch, configs)
                .toCompletableFuture();
        world.settle();
        return stage;
    }

    private void append(PartitionLog log, String value) {
        ByteBuf batch = TestBatches.of(value);
        assertThat(log.append(batch, log.leaderEpoch(), AppendOrigin.CLIENT)).isInstanceOf(AppendResult.Appended.class);
        batch.release();
        world.settle();
    }

    @Test
    void refusesToStartWhereRecordsAreMissingBeforeOthers() {
        PartitionLog log = open(0, Map.of()).join();
        append(log, "a");
        append(log, "b");
        world.disk().loseFirst(JournalEntryKind.BATCH);

        assertThatThrownBy(world::kill)
                .hasRootCauseInstanceOf(JournalDamagedException.class)
                .hasMessageContaining("1-t-0")
                .hasMessageContaining("up to 0 and the journal those from 1 on");
    }

    @Test
    void saysSoWhereADefectKeepsALogFromBeingOpened() {
        append(open(0, MEMORY).join(), "a");
        world.restart();
        world.simulatedFileSystem().failWith(RecoveryFaultsTest::readingIsDefect, 0, 1);

        assertThatThrownBy(open(1, MEMORY)::join).hasRootCauseMessage("a defect while reading");
    }

    /** Forced again, by the next checkpoint, it would be called durable without being so. */
    @Test
    void fencesWhereTheEndOfALogInMemoryCannotBeForced() throws IOException {
        append(open(0, MEMORY).join(), "a");
        world.kill();
        try (StorageFile file = world.simulatedFileSystem()
                .open(LOG.resolve("00000000000000000000.log"), FileSystem.Access.READ_WRITE)) {
            file.write(ByteBuffer.wrap(new byte[100]), file.size());
        }
        failOnce(Operation.FORCE, "00000000000000000000.log");

        requireFenced();
    }

    @Test
    void fencesWhereItCannotBeForcedThatTheFilesBehindTheEndOfALogInMemoryAreGone() throws IOException {
        append(open(0, MEMORY).join(), "a");
        world.kill();
        world.simulatedFileSystem()
                .create(LOG.resolve("00000000000000000005.log"))
                .close();
        failOnce(Operation.FORCE_DIRECTORY, "1-t-0");

        requireFenced();
    }

    private void failOnce(Operation failing, String end) {
        world.simulatedFileSystem().failWith((operation, path) -> operation == failing && path.endsWith(end), 0, 1);
    }

    private void requireFenced() {
        CompletableFuture<PartitionLog> opened = open(1, MEMORY);
        assertThatThrownBy(opened::join).hasMessageContaining("input/output error");
        assertThat(world.store().isFenced()).isTrue();
    }

    private static boolean readingIsDefect(Operation operation, Path file) {
        if (operation == Operation.READ && file.toString().endsWith(".log")) {
            throw new IllegalStateException("a defect while reading");
        }
        return false;
    }
}
