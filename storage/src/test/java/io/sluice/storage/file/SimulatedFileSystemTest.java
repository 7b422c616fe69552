package io.sluice.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SimulatedFileSystemTest extends FileSystemContract {
    private static final int SECTOR = SimulatedFileSystem.SECTOR_BYTES;
    private static final Path DIRECTORY = Path.of("/data");

    private SimulatedFileSystem files = new SimulatedFileSystem(1);

    @Override
    FileSystem files() {
        return files;
    }

    @Override
    Path directory() {
        return DIRECTORY;
    }

    @BeforeEach
    void makeDirectory() throws IOException {
        world(1);
    }

    private void world(long seed) throws IOException {
        files = new SimulatedFileSystem(seed);
        files.createDirectories(DIRECTORY);
        files.forceDirectory(Path.of("/"));
    }

    @Test
    void aKillKeepsThePageCache() throws IOException {
        StorageFile file = files.create(DIRECTORY.resolve("a"));
        file.write(bytes("abc"), 0);
        files.kill();
        assertThat(content("a")).isEqualTo("abc");
        assertThatThrownBy(file::size).isInstanceOf(IOException.class);
    }

    @Test
    void aPowerCutKeepsWhatWasForcedAndMayLoseTheRest() throws IOException {
        Set<String> outcomes = outcomes(100, seed -> {
            StorageFile file = files.create(DIRECTORY.resolve("a"));
            file.write(bytes("abc"), 0);
            file.force(true);
            files.forceDirectory(DIRECTORY);
            file.write(bytes("x".repeat(3 * SECTOR)), SECTOR);
        });
        assertThat(outcomes).allMatch(outcome -> outcome.startsWith("abc"));
        assertThat(outcomes)
                .contains("abc")
                .anyMatch(outcome -> outcome.length() == 4 * SECTOR && outcome.endsWith("x"));
        assertThat(outcomes)
                .as("torn between sectors")
                .anyMatch(outcome ->
                        outcome.contains("x") && outcome.substring(SECTOR).indexOf('\0') >= 0);
    }

    @Test
    void aNameThatWasNotForcedMayBeLostWithAForcedFile() throws IOException {
        Set<String> outcomes = outcomes(50, seed -> {
            StorageFile file = files.create(DIRECTORY.resolve("a"));
            file.write(bytes("abc"), 0);
            file.force(true);
        });
        assertThat(outcomes).containsExactlyInAnyOrder("abc", "(none)");
    }

    @Test
    void aDeleteThatWasNotForcedMayComeBack() throws IOException {
        Set<String> outcomes = outcomes(50, seed -> {
            StorageFile file = files.create(DIRECTORY.resolve("a"));
            file.write(bytes("abc"), 0);
            file.force(true);
            files.forceDirectory(DIRECTORY);
            files.delete(DIRECTORY.resolve("a"));
        });
        assertThat(outcomes).containsExactlyInAnyOrder("abc", "(none)");
    }

    @Test
    void aFailedForceIsNotMadeGoodByTheNext() throws IOException {
        Set<String> outcomes = outcomes(50, seed -> {
            StorageFile file = files.create(DIRECTORY.resolve("a"));
            file.force(true);
            files.forceDirectory(DIRECTORY);
            file.write(bytes("abc"), 0);
            files.failWith((operation, path) -> operation == SimulatedFileSystem.Operation.FORCE, 0, 1);
            assertThatThrownBy(() -> file.force(true)).isInstanceOf(IOException.class);
            file.force(true);
        });
        assertThat(outcomes).contains("abc", "\0\0\0");
    }

    @Test
    void endsInTheMiddleOfTheOperationAskedFor() throws IOException {
        StorageFile file = files.create(DIRECTORY.resolve("a"));
        files.crashAfter(2);
        file.write(bytes("abc"), 0);
        assertThatThrownBy(() -> file.write(bytes("defghi"), 3)).isInstanceOf(IOException.class);
        assertThat(files.crashed()).isTrue();
        assertThatThrownBy(() -> files.list(DIRECTORY)).isInstanceOf(IOException.class);
        files.kill();
        assertThat("abcdefghi").startsWith(content("a"));
    }

    @Test
    void refusesWhatDoesNotFit() throws IOException {
        files.limitCapacity(5);
        StorageFile file = files.create(DIRECTORY.resolve("a"));
        file.write(bytes("abc"), 0);
        assertThatThrownBy(() -> file.write(bytes("defg"), 3)).isInstanceOf(OutOfSpaceException.class);
        assertThat(content("a")).isEqualTo("abcde");
        assertThat(files.usableSpace(DIRECTORY)).isZero();
    }

    private interface Step {
        void run(long seed) throws IOException;
    }

    private Set<String> outcomes(int seeds, Step step) throws IOException {
        Set<String> outcomes = new HashSet<>();
        for (int seed = 0; seed < seeds; seed++) {
            world(seed);
            step.run(seed);
            files.powerCut();
            outcomes.add(files.exists(DIRECTORY.resolve("a")) ? content("a") : "(none)");
        }
        return outcomes;
    }

    private String content(String name) throws IOException {
        try (StorageFile file = files.open(DIRECTORY.resolve(name), FileSystem.Access.READ)) {
            ByteBuffer target = ByteBuffer.allocate((int) file.size());
            file.read(target, 0);
            return text(target);
        }
    }

    @Test
    void theSameSeedForgetsTheSame() throws IOException {
        Step step = seed -> files.create(DIRECTORY.resolve("a")).write(bytes("abc"), 600);
        assertThat(outcomes(10, step)).isEqualTo(outcomes(10, step));
    }
}
