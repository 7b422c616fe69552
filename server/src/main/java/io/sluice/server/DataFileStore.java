package io.sluice.server;

import io.sluice.broker.topic.DescribeLogDirsHandler.LogDirectory;
import io.sluice.storage.local.LocalPartitionLogStore;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Path;

/** The data directory as clients see it: its path, its room, whether it takes writes. */
final class DataFileStore implements LogDirectory {
    private static final long UNKNOWN = -1;

    private final Path directory;
    private final FileStore store;
    private final LocalPartitionLogStore logs;

    DataFileStore(Path directory, FileStore store, LocalPartitionLogStore logs) {
        this.directory = directory;
        this.store = store;
        this.logs = logs;
    }

    @Override
    public String path() {
        return directory.toString();
    }

    @Override
    public long totalBytes() {
        try {
            return store.getTotalSpace();
        } catch (IOException e) {
            // Kafka's own word for "cannot be told".
            return UNKNOWN;
        }
    }

    @Override
    public long usableBytes() {
        try {
            return store.getUsableSpace();
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    @Override
    public boolean isFailed() {
        return logs.isFenced();
    }
}
