package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.ForgettingToForce;
import io.sluice.storage.file.SimulationSeeds;
import java.io.IOException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** See {@link AbortedSimulation}. The number of seeds is set by {@code -Dsluice.simulation.seeds=N}. */
@Tag("simulation")
class AbortedSimulationTest {
    private static final int STEPS = 500;
    private static final int SEEDS_TO_NOTICE = 30;

    @Test
    void holdsItsInvariantsOnEverySeed() {
        SimulationSeeds.runAll(
                AbortedSimulationTest.class, seed -> new AbortedSimulation(seed, UnaryOperator.identity()).run(STEPS));
    }

    @Test
    void noticesFilesOfAbortedTransactionsThatAreNotForced() {
        assertThat(firstBrokenInvariant(ForgettingToForce::ofAbortedTransactions))
                .matches("(readersAreServed|noFileLacksWhatTheCatalogueLists).*");
    }

    @Test
    void reachesTheFiles() throws IOException {
        int crashes = 0;
        int chunks = 0;
        for (long seed = 1; seed <= SEEDS_TO_NOTICE; seed++) {
            AbortedSimulation simulation = new AbortedSimulation(seed, UnaryOperator.identity());
            simulation.run(STEPS);
            crashes += simulation.crashesInChunks();
            chunks += simulation.chunksSeen();
        }

        assertThat(crashes).isGreaterThan(SEEDS_TO_NOTICE / 2);
        assertThat(chunks).isGreaterThan(SEEDS_TO_NOTICE * 5);
    }

    private static String firstBrokenInvariant(UnaryOperator<FileSystem> planted) {
        for (long seed = 1; seed <= SEEDS_TO_NOTICE; seed++) {
            try {
                new AbortedSimulation(seed, planted).run(STEPS);
            } catch (LogModel.BrokenInvariantException e) {
                return String.valueOf(e.getMessage());
            } catch (IOException e) {
                // a start that is refused is a way of noticing, too, but not the one looked for here
            }
        }
        return "nothing noticed";
    }
}
