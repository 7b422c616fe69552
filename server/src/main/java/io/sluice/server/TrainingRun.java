package io.sluice.server;

/** Loads what a node and the commands load, so that the build can archive those classes (packaging/class-archive). */
public final class TrainingRun {
    private TrainingRun() {}

    /** Runs once, in a directory of its own, and ends. */
    public static void main(String[] arguments) {
        Main.main(new String[] {"--version"});
    }
}
