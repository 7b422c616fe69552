package io.sluice.storage.local;

import io.sluice.base.time.Scheduler;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is done now and then for every log: retention, forgetting idle producers, compaction. On the maintenance executor,
 * one round at a time; no log has a timer of its own.
 */
final class Upkeep {
    private final LocalLogs logs;
    private final LocalStorageConfig config;
    private final LocalStorageServices services;
    private volatile boolean stopped;
    private volatile Scheduler.@Nullable Timer timer;

    Upkeep(LocalLogs logs, LocalStorageConfig config, LocalStorageServices services) {
        this.logs = logs;
        this.config = config;
        this.services = services;
    }

    void start() {
        timer = services.scheduler()
                .schedule(
                        this::round,
                        TimeUnit.MILLISECONDS.toNanos(config.retentionCheckMillis()),
                        services.maintenance());
    }

    void stop() {
        stopped = true;
        Scheduler.Timer current = timer;
        if (current != null) {
            current.cancel();
        }
    }

    private void round() {
        if (stopped) {
            return;
        }
        long now = logs.steadyMillis();
        for (LocalPartitionLog log : logs.all()) {
            new Retention(logs, log, now).run();
            expireProducers(log, now - config.producerExpirationMillis());
        }
        start();
    }

    private static void expireProducers(LocalPartitionLog log, long before) {
        synchronized (log.contents()) {
            log.contents().producers().expire(before);
        }
    }
}
