package io.sluice.storage.local.flush;

import io.sluice.storage.log.DurabilityListener;
import io.sluice.storage.log.PartitionLog;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The listeners of one executor that one flush completes, in the order in which they are to be called. */
final class CompletionTask implements Runnable {
    private static final int FIRST_CAPACITY = 4;

    private final Executor executor;
    private @Nullable DurabilityListener[] listeners = new DurabilityListener[FIRST_CAPACITY];
    private @Nullable PartitionLog[] logs = new PartitionLog[FIRST_CAPACITY];
    private @Nullable IOException[] causes = new IOException[FIRST_CAPACITY];
    private long[] offsets = new long[FIRST_CAPACITY];
    private int count;

    CompletionTask(Executor executor) {
        this.executor = executor;
    }

    Executor executor() {
        return executor;
    }

    void add(DurabilityListener listener, PartitionLog log, long offset, @Nullable IOException cause) {
        if (count == offsets.length) {
            listeners = Arrays.copyOf(listeners, count * 2);
            logs = Arrays.copyOf(logs, count * 2);
            causes = Arrays.copyOf(causes, count * 2);
            offsets = Arrays.copyOf(offsets, count * 2);
        }
        listeners[count] = listener;
        logs[count] = log;
        offsets[count] = offset;
        causes[count] = cause;
        count++;
    }

    @Override
    public void run() {
        for (int i = 0; i < count; i++) {
            call(i);
        }
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // whatever one listener throws must not keep the others from hearing
    private void call(int index) {
        DurabilityListener listener = Objects.requireNonNull(listeners[index]);
        PartitionLog log = Objects.requireNonNull(logs[index]);
        IOException cause = causes[index];
        try {
            if (cause == null) {
                listener.onDurable(log, offsets[index]);
            } else {
                listener.onUnknown(log, offsets[index], cause);
            }
        } catch (RuntimeException | Error e) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        }
    }
}
