package io.sluice.cli;

import io.sluice.cli.output.NumberRange;
import java.lang.reflect.AnnotatedElement;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The options that are numbers, checked against their {@link NumberRange}. */
final class NumberOptions {
    private NumberOptions() {}

    /**
     * Checks all that were given.
     *
     * @throws ParameterException for the first that is out of its range
     */
    static void require(ParseResult parsed) {
        for (CommandLine command : parsed.asCommandLineList()) {
            for (OptionSpec option : command.getParseResult().matchedOptions()) {
                NumberRange range = range(option);
                if (range != null) {
                    for (String text : option.originalStringValues()) {
                        require(command, option, range, text);
                    }
                }
            }
        }
    }

    private static void require(CommandLine command, OptionSpec option, NumberRange range, String text) {
        long value = Long.parseLong(text);
        if (value < range.min() || value > range.max()) {
            throw new ParameterException(command, refusal(option, text));
        }
    }

    /** What to say of a value that is not allowed. */
    static String refusal(ArgSpec argument, String text) {
        String name = argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
        return "Invalid value '" + text + "' for " + name + ": allowed is " + allowed(range(argument));
    }

    private static String allowed(@Nullable NumberRange range) {
        return range == null || range.min() == Long.MIN_VALUE ? "a whole number" : range.min() + " to " + range.max();
    }

    private static @Nullable NumberRange range(ArgSpec argument) {
        return argument.userObject() instanceof AnnotatedElement element
                ? element.getAnnotation(NumberRange.class)
                : null;
    }
}
