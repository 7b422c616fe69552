package io.sluice.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.storage.file.AcknowledgingBeforeTheFlush;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.SimulationSeeds;
import java.io.IOException;
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
}
