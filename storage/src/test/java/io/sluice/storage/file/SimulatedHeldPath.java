package io.sluice.storage.file;

import io.sluice.storage.file.SimulatedFileSystem.Entry;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** As a real one, it goes by what is there and not by its name. */
record SimulatedHeldPath(Path path, Entry held, Look look) implements HeldPath {
    /** What is there now. */
    @FunctionalInterface
    interface Look {
        @Nullable Entry at(Path path) throws IOException;
    }

    @Override
    public Target target() throws IOException {
        Entry now = look.at(path);
        if (now == null) {
            return Target.NOTHING;
        }
        return now == held ? Target.SAME : Target.ANOTHER;
    }

    @Override
    public void close() {}
}
