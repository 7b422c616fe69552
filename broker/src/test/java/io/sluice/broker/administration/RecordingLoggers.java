package io.sluice.broker.administration;

import io.sluice.broker.configuration.LoggerLevels;
import java.util.HashMap;
import java.util.Map;

/** Levels of two loggers, kept in a map. */
final class RecordingLoggers implements LoggerLevels {
    private final Map<String, String> levels = new HashMap<>(Map.of(ROOT, "INFO", "io.sluice.storage", "WARN"));

    @Override
    public synchronized Map<String, String> levels() {
        return Map.copyOf(levels);
    }

    @Override
    public synchronized void set(String logger, String level) {
        levels.put(logger, level);
    }

    @Override
    public synchronized void unset(String logger) {
        levels.put(logger, levels.get(ROOT));
    }
}
