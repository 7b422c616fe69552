package io.sluice.storage.file;

/**
 * Runs a simulation with one seed after the other. {@code -Dsluice.simulation.seeds=N} sets how many, {@code
 * -Dsluice.simulation.seed=N} the first.
 */
public final class SimulationSeeds {
    private static final int SEEDS = Integer.getInteger("sluice.simulation.seeds", 200);
    private static final long FIRST_SEED = Long.getLong("sluice.simulation.seed", 1);

    private SimulationSeeds() {}

    /** A run with one seed. */
    @FunctionalInterface
    public interface Run {
        /** Throws when something does not hold. */
        void run(long seed) throws Exception;
    }

    /** Runs all seeds; the first that fails is named with the command that repeats it. */
    public static void runAll(Class<?> test, Run run) {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            runOne(test, seed, run);
        }
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // whatever a seed brings to light is reported with its seed
    private static void runOne(Class<?> test, long seed, Run run) {
        try {
            run.run(seed);
        } catch (Exception | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ": " + e + "; repeat with: mvn -pl storage -Dtest=" + test.getSimpleName()
                            + "#holds*"
                            + " -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.simulation.seed=" + seed
                            + " -Dsluice.simulation.seeds=1 test",
                    e);
        }
    }
}
