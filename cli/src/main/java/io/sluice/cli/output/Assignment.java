package io.sluice.cli.output;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code KEY=VALUE} as an option's value.
 *
 * @param key before the first equals sign; not empty
 * @param value behind it; may be empty
 */
public record Assignment(String key, String value) {
    /** Reads one. */
    public static final class Converter implements ITypeConverter<Assignment> {
        @Override
        public Assignment convert(String text) {
            int equals = text.indexOf('=');
            if (equals < 1) {
                throw new TypeConversionException(
                        "'" + text + "' " + (equals < 0 ? "has no '='" : "has nothing before its '='"));
            }
            return new Assignment(text.substring(0, equals), text.substring(equals + 1));
        }
    }

    /**
     * All of them by key.
     *
     * @throws UserException for a key that is given twice: nobody can know which of the values was meant
     */
    public static Map<String, String> byKey(String option, List<Assignment> assignments) {
        Map<String, String> values = new LinkedHashMap<>();
        for (Assignment assignment : assignments) {
            if (values.put(assignment.key, assignment.value) != null) {
                // Without the values: one may be a secret, and this may be in a log.
                throw new UserException(
                        ExitCode.USAGE, option + " gives '" + assignment.key + "' twice. Give it once.");
            }
        }
        return values;
    }
}
