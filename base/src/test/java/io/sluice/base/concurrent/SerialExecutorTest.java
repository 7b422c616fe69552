package io.sluice.base.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SerialExecutorTest {
    private final ExecutorService pool = Executors.newFixedThreadPool(4);

    @AfterEach
    void stopPool() {
        pool.shutdownNow();
    }

    @Test
    void runsTasksOneAtATimeInOrder() throws InterruptedException {
        SerialExecutor executor = new SerialExecutor(pool);
        int count = 10_000;
        List<Integer> seen = new ArrayList<>();
        AtomicInteger running = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            int number = i;
            executor.execute(() -> {
                overlaps.addAndGet(running.getAndIncrement());
                seen.add(number);
                running.decrementAndGet();
                done.countDown();
            });
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(overlaps).hasValue(0);
        assertThat(seen).hasSize(count).isSorted();
    }

    @Test
    void goesOnAfterATaskThatThrows() {
        List<Throwable> heard = new ArrayList<>();
        Thread thread = Thread.currentThread();
        Thread.UncaughtExceptionHandler before = thread.getUncaughtExceptionHandler();
        thread.setUncaughtExceptionHandler((where, what) -> heard.add(what));
        try {
            SerialExecutor executor = new SerialExecutor(Runnable::run);
            AtomicInteger ran = new AtomicInteger();
            executor.execute(() -> {
                throw new IllegalStateException("broken");
            });
            executor.execute(ran::incrementAndGet);
            assertThat(ran).hasValue(1);
            assertThat(heard).hasSize(1).first().isInstanceOf(IllegalStateException.class);
        } finally {
            thread.setUncaughtExceptionHandler(before);
        }
    }
}
