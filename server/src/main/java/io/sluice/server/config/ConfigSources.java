package io.sluice.server.config;

import io.sluice.base.config.ConfigException;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a node's settings are written down: a properties file, then {@code --set}, then the options with names of their own.
 *
 * @param texts values by key
 * @param origins by key, what a message begins with: "FILE, line N" or the option
 */
public record ConfigSources(Map<String, String> texts, Map<String, String> origins) {
    private static final String BYTE_ORDER_MARK = "\uFEFF";
    private static final Pattern SEPARATED = Pattern.compile("(?s)(?:[^\\\\=:]|\\\\.)*[=:].*");
    private static final String SET = "--set";

    /**
     * Puts the sources over each other.
     *
     * @param file a file of {@code key=value} lines in UTF-8, or null
     * @param overrides what was set on the command line; wins over the file
     */
    public static ConfigSources merge(@Nullable Path file, Map<String, String> overrides) {
        ConfigSources sources = new ConfigSources(new LinkedHashMap<>(), new LinkedHashMap<>());
        if (file != null) {
            sources.read(file);
        }
        overrides.forEach((key, value) -> sources.override(SET, key, value));
        return sources;
    }

    /** Puts a value over what was there. */
    public void override(String option, String key, String value) {
        texts.put(key, value);
        origins.put(key, option);
    }

    /**
     * What is to be shown for a value that is not allowed, and what the process is to end with: a wrong command line is
     * another thing than a wrong file.
     *
     * @param hasFile whether there is a file that may be to blame where no single key is
     */
    public UserException toUserException(ConfigException e, boolean hasFile) {
        String message = String.valueOf(e.getMessage());
        String key = e.key();
        String origin = key == null ? null : origins.get(key);
        if (key != null && origin != null && isOption(origin) && !origin.equals(SET)) {
            message =
                    message.replace(" for " + key + ":", " for " + origin + ":").replace("'PLAINTEXT://", "'");
        } else if (origin != null) {
            message = origin + ": " + message;
        }
        boolean fromFile = origin == null ? hasFile : !isOption(origin);
        boolean unknown = message.contains("Unknown configuration key");
        return new UserException(
                fromFile ? ExitCode.CONFIG : ExitCode.USAGE,
                unknown ? message + " docs/config.md lists all keys." : message,
                e);
    }

    private static boolean isOption(String origin) {
        return origin.startsWith("--");
    }

    private void read(Path file) {
        try {
            readSettings(file, text(file));
        } catch (CharacterCodingException e) {
            throw new ConfigException(
                    "The configuration file " + file + " is not in UTF-8. Save it in that encoding.", e);
        } catch (IOException e) {
            throw new UserException(
                    ExitCode.CONFIG,
                    "Cannot read the configuration file " + file + ": " + FileFailures.reason(e) + ".",
                    e);
        }
    }

    /** Line by line: of two lines for one key the second would win unnoticed. */
    private void readSettings(Path file, String text) throws IOException {
        for (PropertiesLines.Line line : PropertiesLines.of(text)) {
            String origin = file + ", line " + line.number();
            Properties one = load(origin, line.text());
            for (String key : one.stringPropertyNames()) {
                if (!SEPARATED.matcher(line.text()).matches()) {
                    // Without the rest: it may be a secret, and this may be in a log.
                    throw new ConfigException(origin + ": there is no '=' behind '" + key
                            + "'. Write KEY=VALUE, or put a '#' before what" + " is a comment.");
                }
                if (texts.put(key, one.getProperty(key).strip()) != null) {
                    throw new ConfigException("The configuration file " + file + " gives '" + key + "' twice, in "
                            + String.valueOf(origins.get(key)).replace(file + ", ", "") + " and line " + line.number()
                            + ". Give it once.");
                }
                origins.put(key, origin);
            }
        }
    }

    private static Properties load(String origin, String line) throws IOException {
        Properties one = new Properties();
        try {
            one.load(new StringReader(line));
        } catch (IllegalArgumentException e) {
            throw new ConfigException(
                    origin + " is malformed: behind \\u stand four hexadecimal digits, and a backslash that is meant as"
                            + " one is written \\\\.",
                    e);
        }
        return one;
    }

    /** Without the byte order mark that some editors put in front. */
    private static String text(Path file) throws IOException {
        String text = StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
                .toString();
        return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
    }
}
