package io.sluice.cli.connect;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * An address as people write it: {@code host:port}, an IPv6 address in brackets.
 *
 * @param host name or address, without brackets
 * @param port 1 to 65535
 */
public record HostAndPort(String host, int port) {
    private static final Pattern HOST = Pattern.compile("[^\\s/?#@\\[\\]\\\\]+");

    /**
     * Reads one address.
     *
     * @param option what to name in the message
     */
    public static HostAndPort parse(String option, String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.contains(":") && !host.contains("/")) {
            throw invalid(option, text, "an IPv6 address stands in brackets, as in [::1]:9092");
        }
        if (!HOST.matcher(host).matches()) {
            throw invalid(option, text, "allowed is HOST:PORT");
        }
        return new HostAndPort(host, parsePort(option, text, text.substring(colon + 1)));
    }

    /** Reads addresses separated by commas. */
    public static List<HostAndPort> parseList(String option, String text) {
        return Arrays.stream(text.split(",", -1))
                .map(address -> parse(option, address.trim()))
                .toList();
    }

    private static int parsePort(String option, String text, String port) {
        try {
            int number = Integer.parseInt(port);
            if (number >= 1 && number <= 65_535) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw invalid(option, text, "the port must be a number from 1 to 65535");
        }
        throw invalid(option, text, "the port must be from 1 to 65535");
    }

    private static UserException invalid(String option, String text, String rule) {
        return new UserException(ExitCode.USAGE, "Invalid value '" + text + "' for " + option + ": " + rule + ".");
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
