package io.sluice.base.config;

import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One configuration key: its name (Kafka's own where Kafka has it, else {@code sluice.<area>.<thing>}), type, only
 * default, allowed values and a sentence.
 *
 * @param name as written in files and requests
 * @param type what the value is, in Kafka's terms
 * @param defaultText the default as text; null where the key has none (and reads as null)
 * @param allowed what is allowed, in words ("1 or more", "one of delete, compact")
 * @param parser text to value; throws {@link IllegalArgumentException} for a value not allowed
 * @param scope when a change takes effect
 * @param doc one sentence
 */
public record ConfigKey<T>(
        String name,
        Type type,
        @Nullable String defaultText,
        String allowed,
        Function<String, T> parser,
        Scope scope,
        String doc) {

    private static final String OR_MORE = " or more";
    /** More than any small number that is merely below the least. */
    private static final Pattern DIGITS = Pattern.compile("\\+?\\d{5,}");

    /** Value types, as DescribeConfigs reports them. */
    public enum Type {
        BOOLEAN,
        STRING,
        INT,
        SHORT,
        LONG,
        DOUBLE,
        LIST,
        PASSWORD
    }

    /** When a change takes effect. */
    public enum Scope {
        /** At once, and it is kept over restarts. */
        DYNAMIC,
        /** At the next start. */
        RESTART
    }

    /** A whole number from {@code min} to {@code max}. */
    public static ConfigKey<Integer> ofInt(String name, int defaultValue, int min, int max, Scope scope, String doc) {
        return new ConfigKey<>(
                name,
                Type.INT,
                Integer.toString(defaultValue),
                range(min, max, Integer.MAX_VALUE),
                text -> (int) requireRange(Integer.parseInt(text.trim()), min, max),
                scope,
                doc);
    }

    /** A whole number of 64 bits from {@code min} to {@code max}. */
    public static ConfigKey<Long> ofLong(String name, long defaultValue, long min, long max, Scope scope, String doc) {
        return new ConfigKey<>(
                name,
                Type.LONG,
                Long.toString(defaultValue),
                range(min, max, Long.MAX_VALUE),
                text -> requireRange(Long.parseLong(text.trim()), min, max),
                scope,
                doc);
    }

    /** A number from {@code min} to {@code max}. */
    public static ConfigKey<Double> ofDouble(
            String name, double defaultValue, double min, double max, Scope scope, String doc) {
        return new ConfigKey<>(
                name,
                Type.DOUBLE,
                Double.toString(defaultValue),
                min + " to " + max,
                text -> {
                    double value = Double.parseDouble(text.trim());
                    if (!(value >= min && value <= max)) {
                        throw new IllegalArgumentException("out of range");
                    }
                    return value;
                },
                scope,
                doc);
    }

    /** true or false. */
    public static ConfigKey<Boolean> ofBoolean(String name, boolean defaultValue, Scope scope, String doc) {
        return new ConfigKey<>(
                name,
                Type.BOOLEAN,
                Boolean.toString(defaultValue),
                "true or false",
                ConfigKey::parseBoolean,
                scope,
                doc);
    }

    /** Any text; a null default makes the key optional. */
    public static ConfigKey<String> ofString(String name, @Nullable String defaultValue, Scope scope, String doc) {
        return new ConfigKey<>(name, Type.STRING, defaultValue, "any text", text -> text, scope, doc);
    }

    /** One of some words. */
    public static ConfigKey<String> ofChoice(
            String name, String defaultValue, List<String> choices, Scope scope, String doc) {
        return new ConfigKey<>(
                name,
                Type.STRING,
                defaultValue,
                "one of " + String.join(", ", choices),
                text -> {
                    if (!choices.contains(text.trim())) {
                        throw new IllegalArgumentException("not one of the choices");
                    }
                    return text.trim();
                },
                scope,
                doc);
    }

    /** Words separated by commas; an empty text is an empty list. */
    public static ConfigKey<List<String>> ofList(String name, String defaultValue, Scope scope, String doc) {
        return new ConfigKey<>(
                name, Type.LIST, defaultValue, "words separated by commas", ConfigKey::split, scope, doc);
    }

    /** Words separated by commas, each of them one of some; an empty text is an empty list. */
    public static ConfigKey<List<String>> ofListOf(
            String name, String defaultValue, List<String> choices, Scope scope, String doc) {
        return new ConfigKey<>(
                name,
                Type.LIST,
                defaultValue,
                "any of " + String.join(", ", choices) + ", separated by commas",
                text -> requireChoices(text, choices),
                scope,
                doc);
    }

    /** A number of 16 bits from {@code min} to {@code max}. */
    public static ConfigKey<Short> ofShort(String name, int defaultValue, int min, int max, Scope scope, String doc) {
        return new ConfigKey<>(
                name,
                Type.SHORT,
                Integer.toString(defaultValue),
                range(min, max, Short.MAX_VALUE),
                text -> (short) requireRange(Short.parseShort(text.trim()), min, max),
                scope,
                doc);
    }

    /** The same key without a default: it reads as null unless set. */
    public ConfigKey<T> withoutDefault() {
        return new ConfigKey<>(name, type, null, allowed, parser, scope, doc);
    }

    /**
     * Reads a value.
     *
     * @throws ConfigException naming the key, the value and what is allowed
     */
    public T parse(String text) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(
                    name, "Invalid value '" + text + "' for " + name + ": allowed is " + allowedBeside(text) + ".", e);
        }
    }

    /** The upper bound goes without saying unless it is what the value is beyond. */
    private String allowedBeside(String text) {
        boolean tooLarge =
                allowed.endsWith(OR_MORE) && DIGITS.matcher(text.trim()).matches();
        return switch (type) {
            case INT -> tooLarge ? allowed + ", up to " + Integer.MAX_VALUE : allowed;
            case SHORT -> tooLarge ? allowed + ", up to " + Short.MAX_VALUE : allowed;
            case LONG -> tooLarge ? allowed + ", up to " + Long.MAX_VALUE : allowed;
            default -> allowed;
        };
    }

    /** Splits at commas, trims, drops empty words. */
    public static List<String> split(String text) {
        return java.util.Arrays.stream(text.split(",", -1))
                .map(String::trim)
                .filter(word -> !word.isEmpty())
                .toList();
    }

    private static List<String> requireChoices(String text, List<String> choices) {
        List<String> words = split(text).stream().distinct().toList();
        if (!choices.containsAll(words)) {
            throw new IllegalArgumentException("not one of the choices");
        }
        return words;
    }

    private static boolean parseBoolean(String text) {
        return switch (text.trim().toLowerCase(java.util.Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false");
        };
    }

    private static long requireRange(long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException("out of range");
        }
        return value;
    }

    private static String range(long min, long max, long unbounded) {
        if (min == Long.MIN_VALUE) {
            return "any whole number";
        }
        return max == unbounded ? min + OR_MORE : min + " to " + max;
    }
}
