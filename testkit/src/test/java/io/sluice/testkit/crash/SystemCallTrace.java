package io.sluice.testkit.crash;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what strace wrote ({@code -f -yy}, one file) line by line and checks that no answer leaves before the record it
 * acknowledges is on stable storage. A record is found by a marker in its value; each connection has one request in flight,
 * so that the first bytes sent after a request was read are its answer.
 */
final class SystemCallTrace {
    private static final Pattern LINE = Pattern.compile("^(\\d+)\\s+(.*)$");
    private static final Pattern CALL = Pattern.compile("^(\\w+)\\((.*)$", Pattern.DOTALL);
    private static final Pattern RESUMED = Pattern.compile("^<\\.\\.\\. (\\w+) resumed>(.*)$", Pattern.DOTALL);
    private static final Pattern DESCRIPTOR = Pattern.compile("^\\d+<((?:->|[^>])*)>");
    private static final Pattern OPENED = Pattern.compile("\"[^\"]*\", ([A-Z_|]+).*= (\\d+<(?:->|[^>])*>)");
    private static final Pattern MARKER = Pattern.compile("marker-\\d+-\\d+;");
    private static final Set<String> READS = Set.of("read", "readv", "recvfrom", "recvmsg");
    private static final Set<String> WRITES =
            Set.of("write", "writev", "pwrite64", "pwritev", "pwritev2", "sendto", "sendmsg");
    private static final Set<String> FLUSHES = Set.of("fsync", "fdatasync");

    /** Calls begun and not ended, by thread. */
    private final Map<String, String> unfinished = new HashMap<>();
    /** Descriptors, with their paths, that are open so that each write is a flush. */
    private final Set<String> synchronousDescriptors = new HashSet<>();
    /** Markers written to a path and not flushed yet. */
    private final Map<String, Set<String>> written = new HashMap<>();

    /** Markers that a flush begun by this thread will make durable. */
    private final Map<String, Set<String>> beingFlushed = new HashMap<>();

    private final Set<String> durable = new HashSet<>();
    /** The marker last read from a socket and not answered yet. */
    private final Map<String, String> unanswered = new HashMap<>();

    private final Set<String> answered = new HashSet<>();
    private final List<String> tooEarly = new ArrayList<>();

    /** Takes the next line. */
    void onLine(String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            return;
        }
        String thread = matcher.group(1);
        String rest = matcher.group(2);
        Matcher resumed = RESUMED.matcher(rest);
        if (resumed.matches()) {
            String begun = unfinished.remove(thread);
            if (begun != null) {
                onEnd(thread, begun + resumed.group(2));
            }
        } else if (rest.endsWith("<unfinished ...>")) {
            String begun = rest.substring(0, rest.length() - "<unfinished ...>".length());
            unfinished.put(thread, begun);
            onBegin(thread, begun);
        } else {
            onBegin(thread, rest);
            onEnd(thread, rest);
        }
    }

    /** Markers whose answer has been sent. */
    Set<String> answered() {
        return Set.copyOf(answered);
    }

    /** Answers that left before their record was durable. */
    List<String> tooEarly() {
        return List.copyOf(tooEarly);
    }

    private void onBegin(String thread, String text) {
        Matcher call = CALL.matcher(text);
        if (!call.matches()) {
            return;
        }
        String name = call.group(1);
        String path = path(call.group(2));
        if (WRITES.contains(name) && path.startsWith("TCP")) {
            onAnswer(path, text);
        } else if (FLUSHES.contains(name)) {
            beingFlushed.put(thread, written.getOrDefault(path, Set.of()));
            written.remove(path);
        }
    }

    private void onAnswer(String socket, String text) {
        String marker = unanswered.remove(socket);
        if (marker == null) {
            return;
        }
        answered.add(marker);
        if (!durable.contains(marker)) {
            tooEarly.add(marker + " was answered by " + text.substring(0, Math.min(80, text.length())));
        }
    }

    private void onEnd(String thread, String text) {
        Matcher call = CALL.matcher(text);
        if (!call.matches()) {
            return;
        }
        String name = call.group(1);
        String arguments = call.group(2);
        String path = path(arguments);
        if (name.equals("openat")) {
            onOpened(arguments);
        } else if (READS.contains(name) && path.startsWith("TCP")) {
            markers(text).forEach(marker -> unanswered.put(path, marker));
        } else if (WRITES.contains(name) && !path.startsWith("TCP")) {
            onWritten(descriptor(arguments), path, text);
        } else if (FLUSHES.contains(name)) {
            durable.addAll(beingFlushed.getOrDefault(thread, Set.of()));
            beingFlushed.remove(thread);
        }
    }

    /** The same file may be open in both ways at once. */
    private void onOpened(String arguments) {
        Matcher opened = OPENED.matcher(arguments);
        if (!opened.find()) {
            return;
        }
        String flags = opened.group(1);
        if (flags.contains("O_DSYNC") || flags.contains("O_SYNC")) {
            synchronousDescriptors.add(opened.group(2));
        } else {
            synchronousDescriptors.remove(opened.group(2));
        }
    }

    private void onWritten(String descriptor, String path, String text) {
        if (text.contains("= -1 ")) {
            return;
        }
        for (String marker : markers(text)) {
            if (synchronousDescriptors.contains(descriptor) || text.contains("RWF_DSYNC")) {
                durable.add(marker);
            } else {
                written.computeIfAbsent(path, unused -> new HashSet<>()).add(marker);
            }
        }
    }

    private static String descriptor(String arguments) {
        Matcher matcher = DESCRIPTOR.matcher(arguments);
        return matcher.find() ? matcher.group() : "";
    }

    private static String path(String arguments) {
        Matcher matcher = DESCRIPTOR.matcher(arguments);
        return matcher.find() ? matcher.group(1) : "";
    }

    private static List<String> markers(String text) {
        List<String> markers = new ArrayList<>();
        Matcher matcher = MARKER.matcher(text);
        while (matcher.find()) {
            markers.add(matcher.group());
        }
        return markers;
    }
}
