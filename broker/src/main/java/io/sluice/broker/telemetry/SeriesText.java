package io.sluice.broker.telemetry;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A series as one text: name, and then names and values of its labels in order, with a character between them that none of
 * them has. One text is small, and many of them stay fast in a table whatever clients send: texts have an order.
 */
final class SeriesText {
    static final int MAX_NAME_LENGTH = 160;
    static final int MAX_LABELS = 8;
    static final int MAX_LABEL_NAME_LENGTH = 64;
    static final int MAX_LABEL_VALUE_LENGTH = 128;
    private static final char BETWEEN = '\0';
    /** Kafka's clients put it before every name. */
    private static final String KAFKA = "org.apache.kafka.";

    private SeriesText() {}

    /** The name of a metric in Prometheus' letters, or null for one that has none or is too long. */
    static @Nullable String metricName(String name) {
        String own = name.startsWith(KAFKA) ? name.substring(KAFKA.length()) : name;
        return own.length() > MAX_NAME_LENGTH || own.isEmpty() ? null : inLetters(own);
    }

    /** The name of a label in Prometheus' letters, or null for one that has none or is too long. */
    static @Nullable String labelName(String name) {
        if (name.length() > MAX_LABEL_NAME_LENGTH) {
            return null;
        }
        String letters = inLetters(name);
        int from = 0;
        while (from < letters.length() && !isLetter(letters.charAt(from))) {
            from++;
        }
        return from == letters.length() ? null : letters.substring(from);
    }

    private static String inLetters(String text) {
        StringBuilder letters = new StringBuilder(text);
        for (int i = 0; i < letters.length(); i++) {
            char each = letters.charAt(i);
            if (!isLetter(each) && !(each >= '0' && each <= '9')) {
                letters.setCharAt(i, '_');
            }
        }
        return letters.toString();
    }

    private static boolean isLetter(char each) {
        return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z');
    }

    /** One text of name and labels; the label values may be any text. */
    static String of(String metricName, SortedMap<String, String> labels) {
        StringBuilder text = new StringBuilder(metricName);
        for (Map.Entry<String, String> label : labels.entrySet()) {
            text.append(BETWEEN).append(label.getKey());
            text.append(BETWEEN).append(label.getValue().replace(BETWEEN, ' '));
        }
        return text.toString();
    }

    /** Name, then names and values of labels in turns. */
    static List<String> parts(String series) {
        return Arrays.asList(series.split(String.valueOf(BETWEEN), -1));
    }
}
