package io.sluice.storage.local;

import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.base.time.Scheduler;
import io.sluice.storage.local.content.IdleProducers;
import io.sluice.storage.local.producer.ProducerLimit;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done now and then for every log: retention and forgetting idle producers on the maintenance executor, compaction
 * on the cleaner's, one round of each at a time; no log has a timer of its own.
 */
final class Upkeep {
    /** Longer than clients send a batch again; the verification of one that comes later begins anew. */
    private static final long VERIFICATION_MILLIS = 600_000;

    private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);

    private final LocalLogs logs;
    private final LocalStorageConfig config;
    private final LocalStorageServices services;
    private final UnreadableBatches unreadable = new UnreadableBatches();
    private final ProducerLimit producerLimit;
    private final CleanerProgress progress;
    private final CleanerPace pace;
    private long reportedDropped;
    private volatile boolean stopped;
    private volatile Scheduler.@Nullable Timer timer;
    private volatile Scheduler.@Nullable Timer cleanerTimer;

    Upkeep(LocalLogs logs, LocalStorageConfig config, LocalStorageServices services, ProducerLimit producerLimit) {
        this.producerLimit = producerLimit;
        this.logs = logs;
        this.config = config;
        this.services = services;
        this.progress = new CleanerProgress(services.metrics());
        this.pace = new CleanerPace(logs.journal()::endPosition, services.clock(), services.scheduler());
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
        try {
            progress.onRoundBegins();
            for (LocalPartitionLog log : logs.all()) {
                if (stopped) {
                    return;
                }
                shielded(log, "compacted", () -> compactionRound(log).run());
            }
            progress.onRoundEnds();
        } finally {
            if (!stopped) {
                scheduleCleaning();
            }
        }
    }

    private CompactionRound compactionRound(LocalPartitionLog log) {
        return new CompactionRound(
                logs, log, config.cleaner().keyMapBytes(), unreadable, progress, pace, () -> stopped);
    }

    /** What goes wrong with one log must not keep the others, and the rounds after this one, from their turn. */
    @SuppressWarnings("checkstyle:IllegalCatch") // a defect met in one log belongs to that log alone
    private static void shielded(LocalPartitionLog log, String done, Runnable work) {
        try {
            work.run();
        } catch (MemoryExhaustedException e) {
            LOG.warn(
                    "for want of memory a log is not {} in this round log={} error={}",
                    done,
                    log.contents().identity().displayName(),
                    e.getMessage());
        } catch (RuntimeException e) {
            LOG.error(
                    "a log cannot be {} log={}", done, log.contents().identity().displayName(), e);
        }
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
        try {
            for (LocalPartitionLog log : logs.all()) {
                shielded(log, "looked after", () -> {
                    new Retention(logs, log, now).run();
                    expireProducers(log, now);
                });
            }
            if (producerLimit.excess() > 0) {
                forgetIdleProducers(); // those that were heard of too lately before
            }
            reportDroppedProducers();
        } finally {
            scheduleRound();
        }
    }

    /** There are too many on this node. */
    void forgetIdleProducers() {
        if (!stopped) {
            new IdleProducers(
                            producerLimit,
                            logs.allForCheckpoint().stream()
                                    .map(LocalPartitionLog::contents)
                                    .toList())
                    .trim(logs.steadyMillis());
        }
    }

    private void reportDroppedProducers() {
        long dropped = producerLimit.dropped();
        if (dropped > reportedDropped) {
            LOG.warn(
                    "idle producers were forgotten before their time because the node has too many forgotten={} limit={}"
                            + " (sluice.max.producers)",
                    dropped - reportedDropped,
                    producerLimit.ofNode());
            reportedDropped = dropped;
        }
    }

    private void expireProducers(LocalPartitionLog log, long now) {
        long dropped;
        synchronized (log.contents()) {
            log.contents().producers().expire(now - config.producers().expirationMillis());
            log.contents().producers().expireVerifications(now - VERIFICATION_MILLIS);
            dropped = log.contents().producers().dropped();
        }
        if (dropped > log.reportedDroppedProducers()) {
            LOG.warn(
                    "idle producers were forgotten before their time because the partition has too many partition={}"
                            + " forgotten={} limit={} (sluice.max.producers.per.partition)",
                    log.contents().identity().displayName(),
                    dropped - log.reportedDroppedProducers(),
                    config.producers().maxPerLog());
            log.setReportedDroppedProducers(dropped);
        }
    }
}
