package io.sluice.cli.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the kernel tells under /proc and /sys; empty where it does not (on macOS, or in a sandbox).
 *
 * @param root "/" but in tests
 */
record SystemFiles(Path root) {
    /** The lines of a file. */
    List<String> lines(String path) {
        try {
            return Files.readAllLines(root.resolve(path), StandardCharsets.UTF_8);
        } catch (IOException e) {
            // Not there or not for us: the check says that it does not know.
            return List.of();
        }
    }

    /** Whether there is anything to be known about processes: false on macOS. */
    boolean hasProcesses() {
        return Files.isDirectory(root.resolve("proc/self"));
    }

    /** The links that show what a process has open; empty where they are not for this user, or it has ended. */
    Optional<List<Path>> descriptors(long pid) {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root.resolve("proc/" + pid + "/fd"))) {
            return Optional.of(all(entries));
        } catch (IOException e) {
            // The check says that it does not know.
            return Optional.empty();
        }
    }

    /** A directory's entries; a failure while they are listed is one like any other. */
    static List<Path> all(DirectoryStream<Path> entries) throws IOException {
        List<Path> all = new ArrayList<>();
        try {
            entries.forEach(all::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return all;
    }

    /** The first line of a file. */
    Optional<String> line(String path) {
        return lines(path).stream().findFirst().map(String::strip);
    }

    /** The first number behind a label in a file such as /proc/meminfo; "unlimited" reads as the largest number. */
    OptionalLong number(String path, String label, int index) {
        for (String line : lines(path)) {
            if (line.startsWith(label)) {
                String[] words = line.substring(label.length()).strip().split("\\s+", -1);
                return index < words.length ? parse(words[index]) : OptionalLong.empty();
            }
        }
        return OptionalLong.empty();
    }

    /** A number, "max" and "unlimited" being the largest. */
    static OptionalLong parse(String word) {
        if (word.equals("unlimited") || word.equals("max")) {
            return OptionalLong.of(Long.MAX_VALUE);
        }
        return word.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(word)) : OptionalLong.empty();
    }
}
