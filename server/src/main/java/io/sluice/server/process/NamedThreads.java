package io.sluice.server.process;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes daemon threads called {@code sluice-NAME-N}; what one of them throws is logged. */
public final class NamedThreads implements ThreadFactory {
    private static final Logger LOG = LoggerFactory.getLogger(NamedThreads.class);

    private final String name;
    private final AtomicInteger count = new AtomicInteger();

    /** Threads for one purpose. */
    public NamedThreads(String name) {
        this.name = name;
    }

    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(task, "sluice-" + name + "-" + count.getAndIncrement());
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((failed, cause) -> LOG.atError()
                .addKeyValue("thread", failed.getName())
                .setCause(cause)
                .log("a task failed, which is a defect"));
        return thread;
    }
}
