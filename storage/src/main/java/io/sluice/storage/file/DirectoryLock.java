package io.sluice.storage.file;

import java.io.Closeable;
import java.io.IOException;

/** A lock that keeps other processes off a directory until it is closed or the process ends. Safe on every thread. */
public interface DirectoryLock extends Closeable {
    @Override
    void close() throws IOException;
}
