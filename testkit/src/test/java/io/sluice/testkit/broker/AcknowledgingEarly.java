package io.sluice.testkit.broker;

import io.sluice.base.time.SystemClock;
import io.sluice.server.Main;
import io.sluice.storage.file.AcknowledgingBeforeTheFlush;
import io.sluice.storage.file.LocalFileSystem;

/**
 * The product's process with one planted defect: it acknowledges records that are in the page cache only. Tests of the
 * promise must notice.
 */
public final class AcknowledgingEarly {
    private AcknowledgingEarly() {}

    /** As the product's. */
    @SuppressWarnings("checkstyle:Regexp") // a process of its own, which ends as the product's does
    public static void main(String[] arguments) {
        System.exit(Main.runProcess(
                new AcknowledgingBeforeTheFlush(new LocalFileSystem()), SystemClock.INSTANCE, arguments));
    }
}
