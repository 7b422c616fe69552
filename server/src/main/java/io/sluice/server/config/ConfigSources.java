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
import org.jspecify.annotations.Nullable;

/** Where a node's settings are written down: a properties file, then {@code --set}, then the options with names of their own. */
public final class ConfigSources {
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private ConfigSources() {}

    /**
     * Puts the sources over each other.
     *
     * @param file a file of {@code key=value} lines in UTF-8, or null
     * @param overrides what was set on the command line; wins over the file
     */
    public static Map<String, String> merge(@Nullable Path file, Map<String, String> overrides) {
        Map<String, String> texts = new LinkedHashMap<>();
        if (file != null) {
            texts.putAll(read(file));
        }
        texts.putAll(overrides);
        return texts;
    }

    private static Map<String, String> read(Path file) {
        try {
            return settings(file, text(file));
        } catch (CharacterCodingException e) {
            throw new ConfigException(
                    "The configuration file " + file + " is not in UTF-8. Save it in that encoding.", e);
        } catch (IOException e) {
            throw new UserException(
                    ExitCode.CONFIG,
                    "Cannot read the configuration file " + file + ": " + FileFailures.reason(e) + ".",
                    e);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(
                    "The configuration file " + file + " is malformed: behind \\u stand four hexadecimal digits, and"
                            + " a backslash that is meant as one is written \\\\.",
                    e);
        }
    }

    /** Line by line: of two lines for one key the second would win unnoticed. */
    private static Map<String, String> settings(Path file, String text) throws IOException {
        Map<String, String> texts = new LinkedHashMap<>();
        for (String line : PropertiesLines.of(text)) {
            Properties one = new Properties();
            one.load(new StringReader(line));
            for (String key : one.stringPropertyNames()) {
                if (texts.put(key, one.getProperty(key).strip()) != null) {
                    // Without the values: one may be a secret, and this may be in a log.
                    throw new ConfigException(
                            "The configuration file " + file + " gives '" + key + "' twice. Give it once.");
                }
            }
        }
        return texts;
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
