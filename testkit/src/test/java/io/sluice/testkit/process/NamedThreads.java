package io.sluice.testkit.process;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** The one place of the test kit that makes threads: daemons with names. */
public final class NamedThreads {
    private NamedThreads() {}

    /** Starts a daemon thread. */
    public static Thread start(String name, Runnable task) {
        Thread thread = unstarted(name, task);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** A thread not started yet. */
    public static Thread unstarted(String name, Runnable task) {
        return new Thread(task, name);
    }

    /** A pool of at most {@code threads} daemon threads. */
    public static ExecutorService pool(String name, int threads) {
        AtomicInteger count = new AtomicInteger();
        ThreadFactory factory = task -> {
            Thread thread = unstarted(name + "-" + count.incrementAndGet(), task);
            thread.setDaemon(true);
            return thread;
        };
        return Executors.newFixedThreadPool(threads, factory);
    }
}
