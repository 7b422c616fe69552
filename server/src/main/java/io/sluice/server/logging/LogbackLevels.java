package io.sluice.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.sluice.broker.configuration.LoggerLevels;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.LoggerFactory;

/** The levels of logback's loggers, under Kafka's names for them. */
public final class LogbackLevels implements LoggerLevels {
    @Override
    public Map<String, String> levels() {
        Map<String, String> levels = new TreeMap<>();
        for (Logger logger : context().getLoggerList()) {
            boolean isRoot = logger.getName().equals(org.slf4j.Logger.ROOT_LOGGER_NAME);
            levels.put(
                    isRoot ? ROOT : logger.getName(), logger.getEffectiveLevel().toString());
        }
        return levels;
    }

    @Override
    public void set(String logger, String level) {
        // logback has nothing above ERROR.
        String known = level.equalsIgnoreCase("FATAL") ? "ERROR" : level;
        logger(logger).setLevel(Level.toLevel(known));
    }

    @Override
    public void unset(String logger) {
        logger(logger).setLevel(null);
    }

    private static Logger logger(String name) {
        return context().getLogger(name.equals(ROOT) ? org.slf4j.Logger.ROOT_LOGGER_NAME : name);
    }

    private static LoggerContext context() {
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }
}
