package io.sluice.storage.local.segment;

import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Files that may go once they are no longer part of a log. */
public interface Deletable {
    /** Deletes them. */
    void delete() throws IOException;

    /** Deletes all; what fails stays for the next start to remove. */
    static void deleteAll(List<? extends Deletable> files) {
        Logger log = LoggerFactory.getLogger(Deletable.class);
        for (Deletable one : files) {
            try {
                one.delete();
            } catch (IOException e) {
                log.warn("files of a log that are no longer needed could not be deleted files={}", one, e);
            }
        }
    }
}
