package io.sluice.server.logging;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.Times;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.event.KeyValuePair;

/**
 * Events as JSON, one object a line: {@code time} (ISO-8601 with zone), {@code level}, {@code logger}, {@code thread},
 * {@code message} with its arguments in place, {@code values} by key, and {@code error} with the stack trace, the last two
 * where there are any.
 */
final class JsonLines extends EncoderBase<ILoggingEvent> {
    private static final byte[] NOTHING = new byte[0];

    private final ZoneId zone;
    private final ThrowableProxyConverter stackTraces = new ThrowableProxyConverter();

    JsonLines(ZoneId zone) {
        this.zone = zone;
    }

    @Override
    public void start() {
        stackTraces.start();
        super.start();
    }

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("time", Times.format(event.getTimeStamp(), zone));
        document.put("level", event.getLevel().toString());
        document.put("logger", event.getLoggerName());
        document.put("thread", event.getThreadName());
        document.put("message", event.getFormattedMessage());
        if (event.getKeyValuePairs() != null && !event.getKeyValuePairs().isEmpty()) {
            Map<String, Object> values = new LinkedHashMap<>();
            for (KeyValuePair pair : event.getKeyValuePairs()) {
                values.put(pair.key, value(pair.value));
            }
            document.put("values", values);
        }
        if (event.getThrowableProxy() != null) {
            document.put("error", stackTraces.convert(event).strip());
        }
        return (Json.write(document) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Numbers and truths as such, everything else in its own words. */
    private static Object value(Object value) {
        return value instanceof Number || value instanceof Boolean ? value : String.valueOf(value);
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }
}
