package io.sluice.base.concurrent;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks one at a time, in the order given, on another executor. The owner of some state hands its commands to one of
 * these instead of locking.
 */
public final class SerialExecutor implements Executor {
    private static final int TASKS_PER_TURN = 64;

    private final Executor delegate;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean scheduled;

    /**
     * Wraps an executor.
     *
     * @param delegate runs the turns; may have many threads
     */
    public SerialExecutor(Executor delegate) {
        this.delegate = delegate;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (scheduled) {
                return;
            }
            scheduled = true;
        }
        delegate.execute(this::runTurn);
    }

    private void runTurn() {
        for (int i = 0; i < TASKS_PER_TURN; i++) {
            Runnable task = poll();
            if (task == null) {
                return;
            }
            runOne(task);
        }
        delegate.execute(this::runTurn);
    }

    private @Nullable Runnable poll() {
        synchronized (tasks) {
            Runnable task = tasks.poll();
            if (task == null) {
                scheduled = false;
            }
            return task;
        }
    }

    /** A task that throws must not stop the ones behind it: the thread's handler hears of it and the turn goes on. */
    @SuppressWarnings("checkstyle:IllegalCatch") // whatever a task throws belongs to that task alone
    private static void runOne(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        }
    }
}
