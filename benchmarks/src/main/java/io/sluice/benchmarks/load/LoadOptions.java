package io.sluice.benchmarks.load;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The key=value words a load was started with. Keys with a dot are client settings and go to Kafka's client as they are. */
public final class LoadOptions {
    private final Map<String, String> values = new HashMap<>();

    /** Reads words of the form key=value. */
    public LoadOptions(Iterable<String> words) {
        for (String word : words) {
            int split = word.indexOf('=');
            if (split < 1) {
                throw new IllegalArgumentException("expected key=value, got '" + word + "'");
            }
            values.put(word.substring(0, split), word.substring(split + 1));
        }
    }

    /** A text, which must be there. */
    public String text(String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("missing option " + key + "=…");
        }
        return value;
    }

    /** A text or its default. */
    public String text(String key, String defaultValue) {
        return values.getOrDefault(key, defaultValue);
    }

    /** A whole number or its default. */
    public long number(String key, long defaultValue) {
        return Long.parseLong(values.getOrDefault(key, Long.toString(defaultValue)));
    }

    /** Settings of a producer: acks=all and Kafka's defaults, with what was given on top. */
    public Properties producerProperties() {
        Properties properties = clientProperties();
        properties.put("key.serializer", ByteArraySerializer.class.getName());
        properties.put("value.serializer", ByteArraySerializer.class.getName());
        properties.put("acks", text("acks", "all"));
        addClientSettings(properties);
        return properties;
    }

    /** Settings of a consumer that is assigned its partitions. */
    public Properties consumerProperties() {
        Properties properties = clientProperties();
        properties.put("key.deserializer", ByteArrayDeserializer.class.getName());
        properties.put("value.deserializer", ByteArrayDeserializer.class.getName());
        properties.put("enable.auto.commit", "false");
        properties.put("auto.offset.reset", "earliest");
        addClientSettings(properties);
        return properties;
    }

    /** Settings that every client needs. */
    public Properties clientProperties() {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", text("bootstrap"));
        properties.put("enable.metrics.push", "false");
        return properties;
    }

    private void addClientSettings(Properties properties) {
        values.forEach((key, value) -> {
            if (key.contains(".")) {
                properties.put(key, value);
            }
        });
    }
}
