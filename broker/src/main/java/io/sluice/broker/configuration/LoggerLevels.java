package io.sluice.broker.configuration;

import java.util.List;
import java.util.Map;

/** The levels of the process's loggers, which can be changed while it runs and are not kept. Safe on every thread. */
public interface LoggerLevels {
    /** Name of the logger above all others. */
    String ROOT = "root";

    /** The levels there are, the gravest first: Kafka's. */
    List<String> LEVELS = List.of("FATAL", "ERROR", "WARN", "INFO", "DEBUG", "TRACE");

    /** Levels in effect, by name of logger; the root is called {@value #ROOT}. */
    Map<String, String> levels();

    /** Sets the level, one of {@link #LEVELS}, of a logger that is there. */
    void set(String logger, String level);

    /** Lets a logger, not the root, take its level from the one above it again. */
    void unset(String logger);
}
