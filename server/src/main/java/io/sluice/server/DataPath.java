package io.sluice.server;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The place of a data directory, before anything is made there. */
final class DataPath {
    private DataPath() {}

    /**
     * Refuses what can be no directory.
     *
     * @throws UserException for a file, a path through a file, and a link to nothing
     */
    static void requireDirectory(Path path) {
        for (Path at = path; at != null; at = at.getParent()) {
            if (Files.isDirectory(at)) {
                return;
            }
            if (Files.exists(at)) {
                throw refused(path, (at.equals(path) ? "it" : at.toString()) + " is a file");
            }
            if (Files.isSymbolicLink(at)) {
                throw refused(
                        path,
                        (at.equals(path) ? "it" : at.toString()) + " is a link to " + target(at)
                                + ", which does not exist");
            }
        }
    }

    private static UserException refused(Path path, String reason) {
        return new UserException(
                ExitCode.CANNOT_CREATE,
                "Data directory " + path + " cannot be used: " + reason
                        + ". Choose a directory, or a name that is free (--data DIR).");
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "what cannot be read (" + FileFailures.reason(e) + ")";
        }
    }
}
