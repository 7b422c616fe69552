package io.sluice.server.config;

import io.sluice.base.config.ConfigException;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Where a node's settings are written down: a properties file, then {@code --set}, then the options with names of their own. */
public final class ConfigSources {
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
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (IOException e) {
            throw new UserException(
                    ExitCode.CONFIG,
                    "Cannot read the configuration file " + file + ": " + FileFailures.reason(e) + ".",
                    e);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("The configuration file " + file + " is malformed: " + e.getMessage() + ".", e);
        }
        Map<String, String> texts = new LinkedHashMap<>();
        properties.stringPropertyNames().stream()
                .sorted()
                .forEach(name -> texts.put(name, properties.getProperty(name).strip()));
        return texts;
    }
}
