package io.sluice.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.storage.file.DirectFile;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.ForwardingFileSystem;
import io.sluice.storage.file.SimulationSeeds;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** See {@link JournalSimulation}. The number of seeds is set by {@code -Dsluice.simulation.seeds=N}. */
class JournalSimulationTest {
    private static final int STEPS = 600;

    @Test
    void holdsItsInvariantsOnEverySeed() {
        SimulationSeeds.runAll(
                JournalSimulationTest.class, seed -> new JournalSimulation(seed, UnaryOperator.identity()).run(STEPS));
    }

    @Test
    void noticesAJournalThatAcknowledgesBeforeTheFlush() {
        assertThat(firstBrokenInvariant(AcknowledgingBeforeTheFlush::new)).startsWith("acknowledgedNeverLost");
    }

    private static String firstBrokenInvariant(UnaryOperator<FileSystem> planted) {
        for (long seed = 1; seed <= 20; seed++) {
            try {
                new JournalSimulation(seed, planted).run(STEPS);
            } catch (JournalSimulation.BrokenInvariantException e) {
                return String.valueOf(e.getMessage());
            } catch (IOException e) {
                // damage is noticed too, but it is not what is looked for here
            }
        }
        return "nothing noticed";
    }

    /** Says that a block is durable when it is in the page cache. */
    private static final class AcknowledgingBeforeTheFlush extends ForwardingFileSystem {
        AcknowledgingBeforeTheFlush(FileSystem files) {
            super(files);
        }

        @Override
        public DirectFile openDirect(Path file) throws IOException {
            DirectFile flushed = super.openDirect(file);
            StorageFile cached = super.open(file, Access.READ_WRITE);
            return new DirectFile() {
                @Override
                public Path path() {
                    return file;
                }

                @Override
                public Mechanism mechanism() {
                    return flushed.mechanism();
                }

                @Override
                public int alignment() {
                    return flushed.alignment();
                }

                @Override
                public void writeDurably(ByteBuffer source, long position) throws IOException {
                    if (position == 0) {
                        flushed.writeDurably(source, position);
                    } else {
                        cached.write(source, position);
                    }
                }

                @Override
                public void close() throws IOException {
                    flushed.close();
                    cached.close();
                }
            };
        }
    }
}
