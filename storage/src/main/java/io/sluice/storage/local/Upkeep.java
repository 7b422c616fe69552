package io.sluice.storage.local;

import io.sluice.base.time.Scheduler;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is done now and then for every log: retention and forgetting idle producers on the maintenance executor, compaction
 * on the cleaner's, one round of each at a time; no log has a timer of its own.
 */
final class Upkeep {
    private final LocalLogs logs;
    private final LocalStorageConfig config;
    private final LocalStorageServices services;
    private volatile boolean stopped;
    private volatile Scheduler.@Nullable Timer timer;
    private volatile Scheduler.@Nullable Timer cleanerTimer;

    Upkeep(LocalLogs logs, LocalStorageConfig config, LocalStorageServices services) {
        this.logs = logs;
        this.config = config;
        this.services = services;
    }

    void start() {
        scheduleRound();
        scheduleCleaning();
    }

    private void scheduleCleaning() {
        if (config.cleaner().enabled()) {
            cleanerTimer = services.scheduler()
                    .schedule(
                            this::clean,
                            TimeUnit.MILLISECONDS.toNanos(config.cleaner().backoffMillis()),
                            services.cleaner());
        }
    }

    private void clean() {
        for (LocalPartitionLog log : logs.all()) {
            if (stopped) {
                return;
            }
            new CompactionRound(logs, log, config.cleaner().keyMapBytes(), () -> stopped).run();
        }
        scheduleCleaning();
    }

    private void scheduleRound() {
        timer = services.scheduler()
                .schedule(
                        this::round,
                        TimeUnit.MILLISECONDS.toNanos(config.retentionCheckMillis()),
                        services.maintenance());
    }

    void stop() {
        stopped = true;
        cancel(timer);
        cancel(cleanerTimer);
    }

    private static void cancel(Scheduler.@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
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
        scheduleRound();
    }

    private static void expireProducers(LocalPartitionLog log, long before) {
        synchronized (log.contents()) {
            log.contents().producers().expire(before);
        }
    }
}
