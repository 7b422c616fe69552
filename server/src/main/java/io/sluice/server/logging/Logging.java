package io.sluice.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import io.sluice.base.config.ConfigValues;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.storage.config.LoggingKeys;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import org.slf4j.LoggerFactory;

/** Sets the node's log up: standard output, or a file that is set aside when it is full. */
public final class Logging {
    private static final String PATTERN = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{0} %msg %kvp%n%ex";
    private static final String OURS = "io.sluice";

    private Logging() {}

    /**
     * Replaces whatever was set up before.
     *
     * @param json whether each line is a JSON object
     */
    public static void configure(ConfigValues values, boolean json) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        Encoder<ILoggingEvent> encoder = encoder(context, json);
        String file = values.find(LoggingKeys.FILE);
        Appender<ILoggingEvent> appender = file == null
                ? console(context, encoder)
                : file(
                        context,
                        encoder,
                        Path.of(file),
                        values.get(LoggingKeys.FILE_MAX_BYTES),
                        values.get(LoggingKeys.FILE_COUNT));
        Level level = Level.toLevel(values.get(LoggingKeys.LEVEL));
        if (level != Level.DEBUG) {
            LibraryNoise noise = new LibraryNoise();
            noise.start();
            appender.addFilter(noise);
        }
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(level.isGreaterOrEqual(Level.WARN) ? level : Level.WARN);
        root.addAppender(appender);
        context.getLogger(OURS).setLevel(level);
    }

    private static Encoder<ILoggingEvent> encoder(LoggerContext context, boolean json) {
        EncoderBase<ILoggingEvent> encoder;
        if (json) {
            encoder = new JsonLines(ZoneId.systemDefault());
        } else {
            PatternLayoutEncoder pattern = new PatternLayoutEncoder();
            pattern.setPattern(PATTERN);
            encoder = pattern;
        }
        encoder.setContext(context);
        encoder.start();
        return encoder;
    }

    private static Appender<ILoggingEvent> console(LoggerContext context, Encoder<ILoggingEvent> encoder) {
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setEncoder(encoder);
        appender.start();
        return appender;
    }

    private static Appender<ILoggingEvent> file(
            LoggerContext context, Encoder<ILoggingEvent> encoder, Path file, long maxBytes, int count) {
        Path absolute = file.toAbsolutePath();
        Path parent = absolute.getParent();
        if (Files.isDirectory(absolute) || parent == null || !isWritable(parent)) {
            throw new UserException(
                    ExitCode.CANNOT_CREATE,
                    "Cannot write the log file " + file + " (" + LoggingKeys.FILE.name()
                            + "): its directory must exist and be writable for this user.");
        }
        RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
        appender.setContext(context);
        appender.setFile(absolute.toString());
        appender.setEncoder(encoder);
        FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
        rolling.setContext(context);
        rolling.setParent(appender);
        rolling.setFileNamePattern(absolute + ".%i");
        rolling.setMinIndex(1);
        rolling.setMaxIndex(count);
        rolling.start();
        SizeCap<ILoggingEvent> trigger = new SizeCap<>(maxBytes);
        trigger.start();
        appender.setRollingPolicy(rolling);
        appender.setTriggeringPolicy(trigger);
        appender.start();
        return appender;
    }

    private static boolean isWritable(Path directory) {
        return Files.isDirectory(directory) && Files.isWritable(directory);
    }
}
