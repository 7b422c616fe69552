package io.sluice.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.storage.file.AcknowledgingBeforeTheFlush;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.SimulationSeeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** See {@link JournalSimulation}. The number of seeds is set by {@code -Dsluice.simulation.seeds=N}. */
@Tag("simulation")
class JournalSimulationTest {
    private static final int STEPS = 600;

    @Test
    void holdsItsInvariantsOnEverySeed() {
        SimulationSeeds.runAll(
                JournalSimulationTest.class, seed -> new JournalSimulation(seed, UnaryOperator.identity()).run(STEPS));
    }

    /** The marker of a clean stop may be the first that is lost: it is acknowledged in the same way. */
    @Test
    void noticesAJournalThatAcknowledgesBeforeTheFlush() {
        assertThat(brokenInvariants(AcknowledgingBeforeTheFlush::new))
                .anyMatch(broken -> broken.startsWith("acknowledgedNeverLost"))
                .allMatch(
                        broken -> broken.startsWith("acknowledgedNeverLost") || broken.startsWith("cleanStopIsKnown"));
    }

    @Test
    void reachesEntriesForWhichThereIsNoMemory() throws IOException {
        int times = 0;
        for (long seed = 1; seed <= 20; seed++) {
            JournalSimulation simulation = new JournalSimulation(seed, UnaryOperator.identity());
            simulation.run(STEPS);
            times += simulation.timesWithoutMemory();
        }
        assertThat(times).isGreaterThan(100);
    }

    /** The first of each seed. */
    private static List<String> brokenInvariants(UnaryOperator<FileSystem> planted) {
        List<String> broken = new ArrayList<>();
        for (long seed = 1; seed <= 20; seed++) {
            try {
                new JournalSimulation(seed, planted).run(STEPS);
            } catch (JournalSimulation.BrokenInvariantException e) {
                broken.add(String.valueOf(e.getMessage()));
            } catch (IOException e) {
                // damage is noticed too, but it is not what is looked for here
            }
        }
        return broken;
    }
}
