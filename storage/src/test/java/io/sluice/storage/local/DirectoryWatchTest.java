package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SimulatedTime;
import io.sluice.storage.file.SimulatedFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DirectoryWatchTest {
    private static final Path DATA = Path.of("/data");
    private static final Path LOGS = DATA.resolve("logs");
    private static final Path FIRST = Path.of("/journal/1.journal");
    private static final Path SECOND = Path.of("/journal/2.journal");
    private static final long SECOND_NANOS = 1_000_000_000L;

    private final SimulatedTime time = new SimulatedTime(1_700_000_000_000L);
    private final SimulatedFileSystem disk = new SimulatedFileSystem(1);
    private final DirectoryWatch watch = new DirectoryWatch(disk, time, Runnable::run);
    private final List<String> lost = new ArrayList<>();
    private @Nullable Path written = FIRST;

    @BeforeEach
    void start() throws IOException {
        disk.createDirectories(LOGS);
        disk.createDirectories(Path.of("/journal"));
        disk.create(FIRST).close();
        watch.hold(DATA);
        watch.hold(LOGS);
        watch.follow(() -> written);
        watch.start(cause -> lost.add(cause.getMessage()));
    }

    @AfterEach
    void stop() {
        watch.close();
        assertThat(time.pendingTimers()).isZero();
    }

    private void passASecond() {
        time.advanceNanos(SECOND_NANOS);
    }

    @Test
    void hasNothingToTellWhereAllIsWhereItWas() throws IOException {
        passASecond();
        disk.create(LOGS.resolve("more")).close();
        passASecond();

        assertThat(lost).isEmpty();
    }

    @Test
    void tellsOnceOfADirectoryThatIsGone() throws IOException {
        disk.deleteTree(DATA);
        assertThat(lost).isEmpty();
        passASecond();
        passASecond();

        assertThat(lost).containsExactly(DATA + " is gone: it was removed, renamed or unmounted while the node runs");
    }

    @Test
    void tellsOfADirectoryInThePlaceOfAnother() throws IOException {
        disk.deleteTree(LOGS);
        disk.createDirectory(LOGS);
        passASecond();

        assertThat(lost).singleElement().asString().startsWith(LOGS + " is not what the node has opened");
    }

    @Test
    void doesNotMindWhatIsBackBeforeItLooks() throws IOException {
        disk.rename(DATA, Path.of("/elsewhere"));
        disk.rename(Path.of("/elsewhere"), DATA);
        passASecond();

        assertThat(lost).isEmpty();
    }

    @Test
    void tellsOfAFileThatIsGoneWhileItIsWritten() throws IOException {
        disk.delete(FIRST);
        passASecond();

        assertThat(lost).singleElement().asString().startsWith(FIRST + " is gone");
    }

    @Test
    void followsTheFileThatIsWritten() throws IOException {
        disk.create(SECOND).close();
        written = SECOND;
        passASecond();
        disk.delete(FIRST);
        passASecond();
        assertThat(lost).isEmpty();

        disk.rename(SECOND, FIRST);
        disk.create(SECOND).close();
        passASecond();
        assertThat(lost).singleElement().asString().startsWith(SECOND + " is not what the node has opened");
    }

    @Test
    void doesNotMissAFileThatMadePlaceWhileItLooked() throws IOException {
        disk.create(SECOND).close();
        disk.delete(FIRST);
        List<Path> told = new ArrayList<>(List.of(FIRST, SECOND, SECOND, SECOND));
        try (DirectoryWatch other = new DirectoryWatch(disk, time, Runnable::run)) {
            other.follow(() -> told.remove(0));
            other.start(cause -> lost.add(cause.getMessage()));
        }

        assertThat(lost).isEmpty();
    }

    @Test
    void looksForNoFileWhereNoneIsWritten() throws IOException {
        written = null;
        disk.delete(FIRST);
        passASecond();

        assertThat(lost).isEmpty();
    }

    @Test
    void takesALookThatFailsForNoAnswer() throws IOException {
        disk.failWith((operation, path) -> path.equals(DATA), 0, 2);
        passASecond();
        passASecond();
        assertThat(lost).isEmpty();

        disk.deleteTree(DATA);
        passASecond();
        assertThat(lost).hasSize(1);
    }

    @Test
    void tellsNothingOnceItIsClosed() throws IOException {
        watch.close();
        disk.deleteTree(DATA);
        passASecond();

        assertThat(lost).isEmpty();
    }
}
