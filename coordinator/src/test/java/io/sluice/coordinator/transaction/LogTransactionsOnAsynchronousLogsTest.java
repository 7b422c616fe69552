package io.sluice.coordinator.transaction;

import io.sluice.coordinator.runtime.InMemoryCluster;
import io.sluice.coordinator.runtime.SteppedTime;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;

/** The same over logs whose appends become durable, and whose reads are answered, later and on another thread. */
class LogTransactionsOnAsynchronousLogsTest extends LogTransactionsTest {
    private static final ExecutorService STORAGE = new ThreadPoolExecutor(
            1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> new Thread(task, "storage"));

    @AfterAll
    static void endStorage() {
        STORAGE.shutdown();
    }

    @Override
    TransactionsHarness newNode(Map<String, String> configs) {
        return new TransactionsHarness(
                new InMemoryCluster(STORAGE), new SteppedTime(), new ScriptedMarkers(), new AtomicLong(1000), configs);
    }
}
