package io.sluice.broker.configuration;

import java.util.Map;

/** The levels of the process's loggers, which can be changed while it runs and are not kept. Safe on every thread. */
public interface LoggerLevels {
    /** Name of the logger above all others. */
    String ROOT = "root";

    /** Levels in effect, by name of logger; the root is called {@value #ROOT}. */
    Map<String, String> levels();

    /** Whether a level is known. */
    boolean isLevel(String level);

    /** Sets the level of a logger that is there. */
    void set(String logger, String level);

    /** Lets a logger, not the root, take its level from the one above it again. */
    void unset(String logger);
}
