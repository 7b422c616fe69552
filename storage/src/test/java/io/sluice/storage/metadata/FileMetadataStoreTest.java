package io.sluice.storage.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.error.UserException;
import io.sluice.base.metadata.MetadataStore;
import io.sluice.base.metadata.MetadataStore.MultiResult;
import io.sluice.base.metadata.MetadataStore.SessionState;
import io.sluice.storage.file.CannotOpenException;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.ForwardingFile;
import io.sluice.storage.file.ForwardingFileSystem;
import io.sluice.storage.file.LocalFileSystem;
import io.sluice.storage.file.OutOfSpaceException;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileMetadataStoreTest extends MetadataStoreContract {
    private static final Path DIRECTORY = Path.of("/data/metadata");
    private static final ExecutorService THREAD = Executors.newSingleThreadExecutor();

    @TempDir
    Path temporary;

    @Override
    protected MetadataStore open() throws IOException {
        return FileMetadataStore.open(new LocalFileSystem(), temporary.resolve("metadata"), THREAD);
    }

    @AfterAll
    static void endThread() {
        THREAD.shutdown();
    }

    @Test
    void everythingIsThereAfterARestart() throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(1);
        try (FileMetadataStore store = open(files, 1 << 20)) {
            apply(store, create("/a", "1"), create("/b", "1"));
            apply(store, set("/a", "2", 0), new MetadataStore.Operation.Delete("/b", 0));
        }
        files.powerCut();
        try (FileMetadataStore store = open(files, 1 << 20)) {
            assertThat(all(store)).containsExactly("/a=2@1");
            apply(store, create("/c", "3"));
            assertThat(all(store)).containsExactly("/a=2@1", "/c=3@0");
        }
    }

    @Test
    void manyChangesThatWaitShareOneFlush() throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(1);
        Queue<Runnable> thread = new ArrayDeque<>();
        FileMetadataStore store = FileMetadataStore.open(files, DIRECTORY, thread::add);
        for (int i = 0; i < 10_000; i++) {
            store.multi(List.of(create("/topics/" + i, "value of a topic")));
        }
        CompletionStage<List<MetadataStore.Entry>> listed = store.list("/topics/");
        long operationsBefore = files.operations();
        runAll(thread);
        assertThat(listed.toCompletableFuture().get()).hasSize(10_000);
        assertThat(files.operations() - operationsBefore).isLessThan(10);
    }

    @Test
    void theLogIsReplacedBySnapshotsAndStaysSmall() throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(1);
        try (FileMetadataStore store = open(files, 2000)) {
            apply(store, create("/a", "x".repeat(300)));
            for (int i = 0; i < 200; i++) {
                apply(store, set("/a", "x".repeat(300) + i, i));
            }
            assertThat(files.list(DIRECTORY)).hasSize(2);
        }
        files.powerCut();
        try (FileMetadataStore store = open(files, 2000)) {
            assertThat(all(store)).containsExactly("/a=" + "x".repeat(300) + "199@200");
        }
    }

    @Test
    void withoutRoomAChangeIsRefusedAndTheStoreGoesOn() throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(1);
        try (FileMetadataStore store = open(files, 1 << 20)) {
            apply(store, create("/a", "1"));
            files.limitCapacity(files.usedBytes());
            List<CompletionStage<MultiResult>> results = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                results.add(store.multi(List.of(create("/large" + i, "x".repeat(900_000)))));
            }
            assertThatThrownBy(() -> results.get(1).toCompletableFuture().get())
                    .hasCauseInstanceOf(OutOfSpaceException.class);
            assertThat(store.sessionState()).isEqualTo(SessionState.CONNECTED);
            files.limitCapacity(Long.MAX_VALUE);
            apply(store, create("/large1", "y"));
        }
        files.powerCut();
        try (FileMetadataStore store = open(files, 1 << 20)) {
            assertThat(store.get("/large1").toCompletableFuture().get()).isPresent();
        }
    }

    @Test
    void withoutRoomForASnapshotNothingIsLeftOfIt() throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(1);
        try (FileMetadataStore store = open(files, 300_000)) {
            apply(store, create("/a", "x".repeat(200_000)));
            long used = files.usedBytes();
            files.limitCapacity(used + 50_000);
            apply(store, create("/b", "y".repeat(200_000)));

            assertThat(all(store)).hasSize(2);
            assertThat(files.list(DIRECTORY)).noneMatch(name -> name.endsWith(MetadataFiles.UNFINISHED));
            assertThat(files.usedBytes()).isEqualTo(used);
        }
    }

    /** Whichever opening of the roll it is for which there is none: what was acknowledged is there, and the store goes on. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void withoutADescriptorASnapshotWaits(int opened) throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(opened);
        try (FileMetadataStore store = open(files, 2000)) {
            files.withholdDescriptors((operation, path) -> true, opened, 2);
            int refused = 0;
            for (int i = 0; i < 20; i++) {
                try {
                    apply(store, create("/" + i, "x".repeat(500)));
                } catch (ExecutionException e) {
                    assertThat(e).hasCauseInstanceOf(CannotOpenException.class);
                    refused++;
                    apply(store, create("/" + i, "x".repeat(500)));
                }
            }
            assertThat(refused).isLessThanOrEqualTo(1);
            assertThat(store.sessionState()).isEqualTo(SessionState.CONNECTED);
            assertThat(files.list(DIRECTORY)).hasSize(2);
        }
        files.powerCut();
        try (FileMetadataStore store = open(files, 2000)) {
            assertThat(all(store)).hasSize(20);
        }
    }

    @Test
    void afterAFailedFlushNothingIsAnsweredUntilARestart() throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(1);
        FileMetadataStore store = open(files, 1 << 20);
        apply(store, create("/a", "1"));
        files.failWith((operation, path) -> operation == Operation.FORCE, 0, 1);
        for (String key : List.of("/b", "/c")) {
            assertThatThrownBy(() -> apply(store, create(key, "1"))).hasCauseInstanceOf(IOException.class);
        }
        assertThat(store.sessionState()).isEqualTo(SessionState.LOST);
        files.powerCut();
        try (FileMetadataStore restarted = open(files, 1 << 20)) {
            assertThat(all(restarted)).contains("/a=1@0").doesNotContain("/c=1@0");
        }
    }

    @Test
    void endsItsSessionWhereItIsToldThatWhatItWritesIsNotKept() throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(1);
        try (FileMetadataStore store = open(files, 2000)) {
            apply(store, create("/a", "x".repeat(3000)), create("/b", "1"));
            assertThat(files.exists(store.file()))
                    .as("the file that is written")
                    .isTrue();
            assertThat(files.list(DIRECTORY))
                    .contains(store.file().getFileName().toString());
            IOException cause = new IOException("its directory is gone");

            store.lose(cause);

            assertThatThrownBy(() -> apply(store, create("/c", "1"))).hasCause(cause);
            assertThat(store.sessionState()).isEqualTo(SessionState.LOST);
            assertThat(store.lossCause()).isSameAs(cause);
        }
    }

    /** Pages that a failed force has left clean show what the device does not hold: see {@link SimulatedFileSystem}. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void whatARestartFindsAfterAFailedFlushIsThereAfterAPowerCutToo(long seed) throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(seed);
        FileMetadataStore store = open(files, 1 << 20);
        apply(store, create("/a", "1"));
        files.failWith((operation, path) -> operation == Operation.FORCE, 0, 1);
        assertThatThrownBy(() -> apply(store, create("/b", "x".repeat(3000))));
        files.kill();
        List<String> served;
        try (FileMetadataStore restarted = open(files, 1 << 20)) {
            apply(restarted, create("/c", "1"));
            served = all(restarted);
        }
        files.powerCut();
        try (FileMetadataStore restarted = open(files, 1 << 20)) {
            assertThat(all(restarted)).isEqualTo(served).contains("/a=1@0", "/c=1@0");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void aSnapshotWhoseNameMayBeLostTakesNothingWithIt(long seed) throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(seed);
        FileMetadataStore store = open(files, 1000);
        files.failWith((operation, path) -> operation == Operation.FORCE_DIRECTORY, 1, 1);
        assertThatThrownBy(() -> apply(store, create("/a", "x".repeat(1000))));
        files.kill();
        open(files, 1000).close();
        files.powerCut();
        try (FileMetadataStore restarted = open(files, 1000)) {
            assertThat(restarted.get("/a").toCompletableFuture().get()).isPresent();
        }
    }

    /** Thin volumes and quotas tell of the missing room when a file is forced, with all its bytes written. */
    @Test
    void whereAForceFindsNoRoomTheOutcomeIsUnknownInsteadOfRefused() throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(1);
        NoRoomAtForce thin = new NoRoomAtForce(files);
        FileMetadataStore store = FileMetadataStore.open(thin, DIRECTORY, Runnable::run);
        apply(store, create("/a", "1"));
        thin.full = true;
        assertThatThrownBy(() -> apply(store, create("/b", "1")))
                .hasCauseInstanceOf(IOException.class)
                .cause()
                .isNotInstanceOf(OutOfSpaceException.class);
        thin.full = false;
        assertThat(store.sessionState()).isEqualTo(SessionState.LOST);
        assertThatThrownBy(() -> apply(store, create("/c", "1"))).hasCauseInstanceOf(IOException.class);
    }

    /** By a change after the one that began the snapshot, which had no descriptor to force its name with. */
    @Test
    void whereTheForceOfANameFindsNoRoomTheOutcomeIsUnknownToo() throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(1);
        NoRoomAtForce thin = new NoRoomAtForce(files);
        FileMetadataStore store = FileMetadataStore.open(thin, DIRECTORY, Runnable::run, 1000);
        files.withholdDescriptors((operation, path) -> operation == Operation.FORCE_DIRECTORY, 1, 1);
        apply(store, create("/a", "x".repeat(1000)));
        thin.fullForNames = true;
        assertThatThrownBy(() -> apply(store, create("/b", "1")))
                .hasCauseInstanceOf(IOException.class)
                .cause()
                .isNotInstanceOf(OutOfSpaceException.class);
        assertThat(store.sessionState()).isEqualTo(SessionState.LOST);
    }

    @Test
    void afterADefectWhoWaitsHearsOfItAndTheThreadGoesOn() throws Exception {
        NoRoomAtForce defective = new NoRoomAtForce(new SimulatedFileSystem(1));
        FileMetadataStore store = FileMetadataStore.open(defective, DIRECTORY, Runnable::run);
        defective.defect = true;
        assertThatThrownBy(() -> apply(store, create("/a", "1"))).hasMessageContaining("a defect");
        assertThat(store.sessionState()).isEqualTo(SessionState.LOST);
        assertThatThrownBy(() -> apply(store, create("/b", "1"))).hasCauseInstanceOf(IOException.class);
    }

    private static final class NoRoomAtForce extends ForwardingFileSystem {
        private boolean full;
        private boolean fullForNames;
        private boolean defect;

        NoRoomAtForce(FileSystem files) {
            super(files);
        }

        @Override
        public void forceDirectory(Path directory) throws IOException {
            if (fullForNames) {
                throw new OutOfSpaceException(directory, null);
            }
            super.forceDirectory(directory);
        }

        @Override
        public StorageFile open(Path file, Access access) throws IOException {
            return new ForwardingFile(super.open(file, access)) {
                @Override
                public void force(boolean metadata) throws IOException {
                    if (full) {
                        throw new OutOfSpaceException(file, null);
                    }
                    if (defect) {
                        throw new IllegalStateException("a defect");
                    }
                    super.force(metadata);
                }
            };
        }
    }

    @Test
    void aByteFlippedInTheMiddleIsRefusedNamingFileAndPlace() throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(1);
        try (FileMetadataStore store = open(files, 1 << 20)) {
            apply(store, create("/a", "1"));
            apply(store, create("/b", "1"));
        }
        Path log = DIRECTORY.resolve(MetadataLog.fileName(0));
        files.flipByte(log, MetadataFileHeader.BYTES + 20);
        assertThatThrownBy(() -> open(files, 1 << 20))
                .isInstanceOf(UserException.class)
                .hasMessageContaining(log.toString())
                .hasMessageContaining("byte 32");
    }

    @Test
    void aByteFlippedInASnapshotOrAHeaderIsRefused() throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(1);
        try (FileMetadataStore store = open(files, 100)) {
            apply(store, create("/a", "x".repeat(200)));
        }
        Path snapshot = DIRECTORY.resolve(MetadataSnapshot.fileName(1));
        Path log = DIRECTORY.resolve(MetadataLog.fileName(1));
        for (Path file : List.of(snapshot, log)) {
            files.flipByte(file, 9);
            assertThatThrownBy(() -> open(files, 100))
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining(file.toString());
            files.flipByte(file, 9);
        }
        files.flipByte(snapshot, 100);
        assertThatThrownBy(() -> open(files, 100)).isInstanceOf(UserException.class);
    }

    @Test
    void aMissingFileIsNotTakenForAnEmptyStore() throws Exception {
        SimulatedFileSystem files = new SimulatedFileSystem(1);
        try (FileMetadataStore store = open(files, 100)) {
            apply(store, create("/a", "x".repeat(200)));
            apply(store, create("/b", "x"));
        }
        files.delete(DIRECTORY.resolve(MetadataSnapshot.fileName(1)));
        assertThatThrownBy(() -> open(files, 100))
                .isInstanceOf(UserException.class)
                .hasMessageContaining(MetadataSnapshot.fileName(1));
    }

    @Test
    void anAnswerThatTheDiskCannotKeepUpWithIsRefusedBeforeMemoryRunsOut() throws Exception {
        Queue<Runnable> thread = new ArrayDeque<>();
        FileMetadataStore store = FileMetadataStore.open(new SimulatedFileSystem(1), DIRECTORY, thread::add);
        byte[] large = new byte[1_000_000];
        CompletionStage<MultiResult> last = store.multi(List.of());
        for (int i = 0; i < 80; i++) {
            last = store.multi(List.of(new MetadataStore.Operation.Create("/" + i, large)));
        }
        assertThat(last.toCompletableFuture()).isCompletedExceptionally();
        runAll(thread);
        assertThat(store.sessionState()).isEqualTo(SessionState.CONNECTED);
    }

    private static FileMetadataStore open(SimulatedFileSystem files, long rollBytes) throws IOException {
        return FileMetadataStore.open(files, DIRECTORY, Runnable::run, rollBytes);
    }

    private static void apply(MetadataStore store, MetadataStore.Operation... operations) throws Exception {
        assertThat(store.multi(List.of(operations)).toCompletableFuture().get(20, TimeUnit.SECONDS))
                .isInstanceOf(MultiResult.Applied.class);
    }

    private static List<String> all(MetadataStore store) throws Exception {
        return Collections.unmodifiableList(
                describe(store.list("/").toCompletableFuture().get(20, TimeUnit.SECONDS)));
    }

    private static void runAll(Queue<Runnable> thread) {
        for (Runnable task = thread.poll(); task != null; task = thread.poll()) {
            task.run();
        }
    }
}
