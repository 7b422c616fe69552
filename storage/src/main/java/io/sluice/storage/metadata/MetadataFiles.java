package io.sluice.storage.metadata;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** What reading and writing the two files has in common. */
final class MetadataFiles {
    /** Added to the name of a file until it is whole. */
    static final String UNFINISHED = ".unfinished";

    private static final long MAX_FILE_BYTES = 1 << 30;

    private MetadataFiles() {}

    /** The whole file, position 0. */
    static ByteBuffer readWhole(StorageFile file) throws IOException {
        long size = file.size();
        if (size > MAX_FILE_BYTES) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    file.path() + " has " + size + " bytes; a file of metadata never has more than " + MAX_FILE_BYTES
                            + ". Restore the data directory from a copy.");
        }
        ByteBuffer content = ByteBuffer.allocate((int) size);
        file.read(content, 0);
        return content.flip();
    }
}
