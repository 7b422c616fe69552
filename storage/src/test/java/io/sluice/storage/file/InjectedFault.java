package io.sluice.storage.file;

import java.nio.file.Path;
import java.util.function.BiPredicate;

/** Operations of a {@link SimulatedFileSystem} that are to fail, and how many more of them. For who holds the lock of that. */
final class InjectedFault {
    final BiPredicate<SimulatedFileSystem.Operation, Path> matches;
    /** Fails for want of a descriptor; else as a broken device does. */
    final boolean lacksDescriptor;

    int skip;
    int times;

    InjectedFault(
            BiPredicate<SimulatedFileSystem.Operation, Path> matches, boolean lacksDescriptor, int skip, int times) {
        this.matches = matches;
        this.lacksDescriptor = lacksDescriptor;
        this.skip = skip;
        this.times = times;
    }
}
