package io.sluice.storage.local;

import io.sluice.storage.file.HeldPath.Target;
import java.io.IOException;
import java.nio.file.Path;

/** What a node has opened is not there any more, or something else is: nobody would find what it writes. */
public final class DirectoryLostException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Says what has become of it.
     *
     * @param found nothing, or another
     */
    DirectoryLostException(Path path, Target found) {
        super(
                found == Target.NOTHING
                        ? path + " is gone: it was removed, renamed or unmounted while the node runs"
                        : path
                                + " is not what the node has opened: it was replaced, or mounted over, while the node runs");
    }
}
