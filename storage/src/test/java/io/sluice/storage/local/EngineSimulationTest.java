package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.storage.file.AcknowledgingBeforeTheFlush;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.ForgettingToForce;
import io.sluice.storage.file.SimulationSeeds;
import java.io.IOException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** See {@link EngineSimulation}. The number of seeds is set by {@code -Dsluice.simulation.seeds=N}. */
@Tag("simulation")
class EngineSimulationTest {
    private static final int STEPS = 400;
    private static final int SEEDS_TO_NOTICE = 30;

    @Test
    void holdsItsInvariantsOnEverySeed() {
        SimulationSeeds.runAll(
                EngineSimulationTest.class, seed -> new EngineSimulation(seed, UnaryOperator.identity()).run(STEPS));
    }

    @Test
    void noticesAnEngineThatAcknowledgesBeforeTheFlush() {
        assertThat(firstBrokenInvariant(AcknowledgingBeforeTheFlush::new)).startsWith("acknowledgedNeverLost");
    }

    @Test
    void noticesACheckpointThatReleasesTheJournalBeforeSegmentsAreForced() {
        assertThat(firstBrokenInvariant(ForgettingToForce::ofAnySegment))
                .matches("(readersAreServed|noFileLacksWhatTheCatalogueLists).*");
    }

    @Test
    void noticesACleanerThatPutsSegmentsInPlaceBeforeTheyAreForced() {
        assertThat(firstBrokenInvariant(ForgettingToForce::ofRewrittenSegments))
                .matches("(readersAreServed|newestOfEachKeyIsKept|noFileLacksWhatTheCatalogueLists).*");
    }

    @Test
    void reachesTheCleaner() throws IOException {
        int crashes = 0;
        long recordsGone = 0;
        long tombstonesGone = 0;
        for (long seed = 1; seed <= SEEDS_TO_NOTICE; seed++) {
            EngineSimulation simulation = new EngineSimulation(seed, UnaryOperator.identity());
            simulation.run(STEPS);
            crashes += simulation.cleanerCoverage().crashes();
            recordsGone += simulation.cleanerCoverage().recordsGone();
            tombstonesGone += simulation.cleanerCoverage().tombstonesGone();
        }

        assertThat(crashes).isGreaterThan(SEEDS_TO_NOTICE / 2);
        assertThat(recordsGone).isGreaterThan(SEEDS_TO_NOTICE * 5L);
        assertThat(tombstonesGone).isGreaterThan(SEEDS_TO_NOTICE / 6L);
    }

    private static String firstBrokenInvariant(UnaryOperator<FileSystem> planted) {
        for (long seed = 1; seed <= SEEDS_TO_NOTICE; seed++) {
            try {
                new EngineSimulation(seed, planted).run(STEPS);
            } catch (LogModel.BrokenInvariantException e) {
                return String.valueOf(e.getMessage());
            } catch (IOException e) {
                // a start that is refused is a way of noticing, too, but not the one looked for here
            }
        }
        return "nothing noticed";
    }
}
