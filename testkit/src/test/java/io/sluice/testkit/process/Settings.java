package io.sluice.testkit.process;

import java.nio.file.Path;

/** What the build tells the tests, as system properties. */
public final class Settings {
    private Settings() {}

    /** Root of the repository. */
    public static Path root() {
        return Path.of(required("sluice.testkit.root")).toAbsolutePath().normalize();
    }

    /** Build directory of this module: everything that tests write goes below it. */
    public static Path target() {
        return Path.of(required("sluice.testkit.target")).toAbsolutePath().normalize();
    }

    /** Whether the machine must have every foreign client and tool: their absence is a failure, not a skip. */
    public static boolean continuousIntegration() {
        return "true".equals(System.getenv("CI"));
    }

    /**
     * How much a test does.
     *
     * @param key system property that overrides both
     * @param inShort in every verify
     * @param inLong in the profile of its name
     */
    public static int amount(String key, int inShort, int inLong) {
        boolean isLong = "long".equals(System.getProperty("sluice.testkit.scale", "short"));
        return Integer.getInteger(key, isLong ? inLong : inShort);
    }

    /** The seed of random choices: given, or new and printed. */
    public static long seed(String key) {
        Long given = Long.getLong(key);
        long seed = given == null ? new java.security.SecureRandom().nextLong() : given;
        System.out.println("Seed: -D" + key + "=" + seed);
        return seed;
    }

    private static String required(String key) {
        String value = System.getProperty(key);
        if (value == null) {
            throw new IllegalStateException("System property " + key + " is not set: run the tests through Maven.");
        }
        return value;
    }
}
