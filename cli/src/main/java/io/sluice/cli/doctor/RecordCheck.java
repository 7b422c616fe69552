package io.sluice.cli.doctor;

import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.local.DataDirectory;
import io.sluice.storage.local.SegmentInspection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Whether the files are there that the catalogue of a data directory lists, as a start looks for them. Reads only, and only
 * where no node uses the directory: a node has looked itself.
 */
record RecordCheck(FileSystem files, Path dataDirectory, DirectoryUse use) {
    private static final String CHECK = "records";

    List<Finding> run() {
        try {
            if (use.inUse() || DataDirectory.readMeta(files, dataDirectory) == null) {
                return List.of();
            }
            return List.of(finding(SegmentInspection.inspect(files, dataDirectory, journal())));
        } catch (UserException e) { // of the catalogue or of meta.properties: it says what to do
            return List.of(Finding.problem(CHECK, e.line(), "A start is refused for this."));
        } catch (IOException e) {
            return List.of(Finding.problem(
                    CHECK, FileFailures.text(e), "A start reads this, too: make it readable for this user."));
        }
    }

    private Finding finding(List<SegmentInspection.Missing> missing) {
        if (missing.isEmpty()) {
            return Finding.ok(CHECK, "every segment that the catalogue lists is there");
        }
        SegmentInspection.Missing first = missing.get(0);
        String found = "records of " + missing.size() + (missing.size() == 1 ? " segment" : " segments")
                + " are missing: " + first.log().displayName() + " lacks " + first.firstOffset() + " to "
                + first.lastOffset() + " (" + first.file()
                + (first.fileMissing() ? " is gone" : " has become shorter") + ")"
                + (missing.size() == 1 ? "" : ", and others");
        String advice = "Restore the files from a copy; 'sluice log dump --summary " + dataDirectory
                + "' lists them all. The rest is served.";
        return Files.isDirectory(journal())
                ? Finding.problem(CHECK, found, advice)
                : Finding.warning(
                        CHECK,
                        found,
                        advice
                                + " Unless the journal, which is not here (sluice.journal.dir), says that they were deleted.");
    }

    private Path journal() {
        return dataDirectory.resolve("journal");
    }
}
