package io.sluice.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.storage.file.CannotOpenException;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A journal whose next file cannot be made because the process has no descriptor left. */
class MissingDescriptorTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final SimulatedFileSystem files = new SimulatedFileSystem(1);
    private final JournalWorld world = new JournalWorld(files, JournalWorld.SMALL);
    private Journal journal;

    @BeforeEach
    void start() throws IOException {
        journal = world.start().journal();
    }

    private boolean append() {
        boolean appended = JournalWorld.append(journal, 1, new byte[4_000]) > 0;
        world.time.advanceNanos(300_000_000);
        world.settle();
        return appended;
    }

    /** Wherever in the making of the file it is that there is none. */
    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"CREATE", "OPEN", "FORCE_DIRECTORY"})
    void refusesUntilThereIsOneAgain(Operation lacking) throws IOException {
        files.withholdDescriptors((operation, path) -> operation == lacking, 0, Integer.MAX_VALUE);
        long end = world.time.nanoTime() + LONG.toNanos();
        while (world.time.nanoTime() < end) {
            append();
        }

        assertThat(journal.isFailed()).isFalse();
        assertThat(append()).isFalse();
        assertThat(journal.shortage())
                .isInstanceOf(CannotOpenException.class)
                .hasMessageContaining("too many open files");
        files.clearFaults();
        append();
        assertThat(append()).isTrue();
        assertThat(journal.shortage()).isNull();
        journal.close();
    }

    /** A file that was used before is opened again, or made anew. */
    @Test
    void takesBackFilesThatCouldNotBeOpenedForALongTime() throws IOException {
        for (int i = 0; i < 100; i++) {
            append();
        }
        files.withholdDescriptors((operation, path) -> true, 0, Integer.MAX_VALUE);
        journal.releaseBefore(journal.durablePosition());
        long end = world.time.nanoTime() + LONG.toNanos();
        while (world.time.nanoTime() < end) {
            append();
        }
        files.clearFaults();

        assertThat(journal.isFailed()).isFalse();
        append();
        assertThat(append()).isTrue();
        journal.close();
    }
}
