package io.sluice.storage.local.flush;

import io.sluice.storage.log.DurabilityListener;
import io.sluice.storage.log.PartitionLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gathers listeners by executor, so that each executor is woken once however many of its listeners a flush completes.
 * Fill it, then {@link #dispatch}. One thread at a time.
 */
public final class CompletionSink {
    private static final Logger LOG = LoggerFactory.getLogger(CompletionSink.class);

    private final List<CompletionTask> tasks = new ArrayList<>();

    void durable(DurabilityListener listener, PartitionLog log, long offset) {
        taskOf(listener.executor()).add(listener, log, offset, null);
    }

    void unknown(DurabilityListener listener, PartitionLog log, long offset, IOException cause) {
        taskOf(listener.executor()).add(listener, log, offset, cause);
    }

    private CompletionTask taskOf(Executor executor) {
        for (int i = 0; i < tasks.size(); i++) {
            if (tasks.get(i).executor() == executor) {
                return tasks.get(i);
            }
        }
        CompletionTask task = new CompletionTask(executor);
        tasks.add(task);
        return task;
    }

    /**
     * Hands every executor its task. An executor that runs tasks at once may fill the sink again meanwhile: that is
     * dispatched as well.
     */
    public void dispatch() {
        while (!tasks.isEmpty()) {
            CompletionTask task = tasks.remove(tasks.size() - 1);
            try {
                task.executor().execute(task);
            } catch (RejectedExecutionException e) {
                LOG.debug("an executor that has shut down was not told of a flush", e);
            }
        }
    }
}
