package io.sluice.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A planted defect: blocks of the journal are called durable when they are in the page cache. Only headers of files are
 * flushed. Simulations must notice.
 */
public final class AcknowledgingBeforeTheFlush extends ForwardingFileSystem {
    /** Breaks this file system. */
    public AcknowledgingBeforeTheFlush(FileSystem files) {
        super(files);
    }

    @Override
    public DirectFile openDirect(Path file) throws IOException {
        DirectFile flushed = super.openDirect(file);
        StorageFile cached = super.open(file, Access.READ_WRITE);
        return new DirectFile() {
            @Override
            public Path path() {
                return file;
            }

            @Override
            public Mechanism mechanism() {
                return flushed.mechanism();
            }

            @Override
            public int alignment() {
                return flushed.alignment();
            }

            @Override
            public void writeDurably(ByteBuffer source, long position) throws IOException {
                if (position == 0) {
                    flushed.writeDurably(source, position);
                } else {
                    cached.write(source, position);
                }
            }

            @Override
            public void close() throws IOException {
                flushed.close();
                cached.close();
            }
        };
    }
}
