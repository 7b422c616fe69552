package io.sluice.storage.local;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.base.config.ConfigException;
import io.sluice.base.id.PartitionId;
import io.sluice.base.metadata.TopicNames;
import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.OncePerInterval;
import io.sluice.base.time.Scheduler;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.journal.Journal;
import io.sluice.storage.journal.JournalRecovery;
import io.sluice.storage.journal.JournalResources;
import io.sluice.storage.local.aborted.ChunkCache;
import io.sluice.storage.local.content.Catalogue;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.content.LogIdentity;
import io.sluice.storage.local.content.LogRecovery;
import io.sluice.storage.local.content.RecoveredLog;
import io.sluice.storage.local.flush.FlushDispatcher;
import io.sluice.storage.local.producer.ProducerLimit;
import io.sluice.storage.local.reader.CatchUpReaders;
import io.sluice.storage.local.segment.DeletedFiles;
import io.sluice.storage.local.segment.OpenFiles;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.metadata.GivenNumbers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The logs of a data directory, open or only recovered, and what they share. Safe on every thread. */
final class LocalLogs implements LogContext, Journal.FlushListener {
    private static final Logger LOG = LoggerFactory.getLogger(LocalLogs.class);

    private static final long NOTE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long REFUSAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final DataDirectory directory;
    private final LocalStorageServices services;
    private final OpenFiles openFiles;
    private final Catalogue catalogue;
    private final LogRecovery recovery;
    private final Journal journal;
    private final JournalNote journalNote;
    private final boolean startedClean;
    private final SteadyTime steadyTime;
    private final JournalWait journalWait = new JournalWait();
    private final FlushDispatcher dispatcher = new FlushDispatcher();
    private final CatchUpReaders catchUpReaders;
    private final LogMetrics metrics;
    private final Checkpointer checkpointer;
    private final EarlyForce earlyForce;
    private final SpaceWatch spaceWatch;
    private final OncePerInterval refusals;
    private final ProducerLimit producerLimit;
    private final Upkeep upkeep;

    private final Map<PartitionId, LocalPartitionLog> logs = new ConcurrentHashMap<>();
    /** Recovered and not opened yet, by number; guarded by this. */
    private final Long2ObjectHashMap<LocalPartitionLog> recovered = new Long2ObjectHashMap<>();

    /** Deleted, without an entry in the journal that says so yet; added to while this is locked. */
    private final Set<LocalPartitionLog> pendingDeletions = ConcurrentHashMap.newKeySet();

    private volatile TopicDefaults defaults = TopicDefaults.NONE;
    private volatile @Nullable IOException fenced;
    private volatile boolean closed;
    private volatile Scheduler.@Nullable Timer noteTimer;

    private LocalLogs(Recovered found, LocalStorageConfig config, LocalStorageServices services) {
        this.directory = found.directory;
        this.services = services;
        this.openFiles = found.openFiles;
        this.catalogue = found.catalogue;
        this.recovery = found.recovery;
        this.journal = found.journal;
        this.journalNote = found.journalNote;
        this.startedClean = found.startedClean;
        this.steadyTime = found.steadyTime;
        this.catchUpReaders = new CatchUpReaders(services.readers(), config.catchUpBytes());
        this.metrics = LogMetrics.of(services.metrics());
        this.checkpointer = new Checkpointer(this, catalogue, config, new SegmentForces(services.forcers()));
        this.earlyForce = new EarlyForce(this, checkpointer, config.earlyForceBytes());
        this.spaceWatch = new SpaceWatch(services, directory.path(), config.lowSpaceBytes());
        this.refusals = new OncePerInterval(REFUSAL_NANOS, services.clock().nanoTime());
        this.producerLimit = found.producerLimit;
        this.upkeep = new Upkeep(this, config, services, producerLimit);
        found.recovery.deleted().forEach(checkpointer::onDeleted);
        LogSettings unset = new LogSettings(defaults.topicConfig(Map.of()), Map.of());
        for (RecoveredLog log : found.recovery.logs()) {
            LogContents contents = log.contents();
            recovered.put(
                    contents.identity().logId(), new LocalPartitionLog(this, contents, CheckpointState.of(log), unset));
        }
    }

    /** What is there once recovery is over. */
    private record Recovered(
            DataDirectory directory,
            OpenFiles openFiles,
            Catalogue catalogue,
            LogRecovery recovery,
            Journal journal,
            JournalNote journalNote,
            boolean startedClean,
            SteadyTime steadyTime,
            ProducerLimit producerLimit) {}

    static LocalLogs open(
            DataDirectory directory,
            GivenNumbers given,
            JournalRecovery journalRecovery,
            JournalResources journalResources,
            LocalStorageConfig config,
            LocalStorageServices services)
            throws IOException {
        boolean done = false;
        try {
            SteadyTime steadyTime = new SteadyTime(services.clock());
            OpenFiles openFiles = new OpenFiles(
                    config.maxOpenFiles(), DeletedFiles.inSteps(services.scheduler(), services.readers()));
            ProducerLimit producerLimit = config.producers().limit();
            LogRecovery recovery = new LogRecovery(
                    services.fileSystem(),
                    directory.logs(),
                    openFiles,
                    producerLimit,
                    new ChunkCache(config.producers().abortedInBlock()),
                    steadyTime.millis());
            JournalMatch.requireCatalogue(services.fileSystem(), directory.path(), directory.logs(), journalRecovery);
            Catalogue catalogue = Catalogue.open(services.fileSystem(), directory.path(), recovery);
            recovery.onCatalogueRead();
            boolean lost =
                    JournalMatch.isLost(directory.path(), catalogue, journalRecovery, config.acceptJournalLoss());
            MissingRecords.requireLogs(directory, recovery, journalRecovery);
            JournalNote note = new JournalNote(services.fileSystem(), directory.logs());
            if (!lost) {
                note.requireNotAhead(directory.path(), journalRecovery);
            }
            MetadataMatch metadata = new MetadataMatch(directory.path(), given);
            metadata.requireAsNewAsCatalogue(recovery.logs());
            journalRecovery.replay(recovery);
            metadata.requireAsNewAsJournal(recovery.logs());
            recovery.finish();
            if (lost) { // before anything says that there is a journal again
                note.forget();
                new Leftovers(services.fileSystem(), directory.logs()).setAside(logId -> recovery.find(logId) != null);
            }
            Journal journal = journalRecovery.start(journalResources);
            JournalMatch.note(catalogue, journalRecovery, lost);
            boolean clean = !lost && journalRecovery.endedCleanly() && !recovery.hasMemoryLogs();
            LocalLogs logs = new LocalLogs(
                    new Recovered(
                            directory, openFiles, catalogue, recovery, journal, note, clean, steadyTime, producerLimit),
                    config,
                    services);
            logs.start();
            done = true;
            return logs;
        } finally {
            if (!done) {
                directory.close();
            }
        }
    }

    private void start() throws IOException {
        // Not on the thread that forces: it may hold a log's lock, and waiters are told. Nothing is forced meanwhile.
        recovery.durable().onFailure(cause -> runInBackground(() -> fence(cause)));
        MissingRecords.report(recovery.logs());
        new Leftovers(services.fileSystem(), directory.logs())
                .remove(recovered::containsKey, Set.copyOf(recovery.deleted())::contains, services.maintenance());
        services.cleaner().execute(new OrphanedSegments(recovery.logs()));
        journal.addFlushListener(this);
        journal.addFlushListener(journalWait);
        registerGauges(services.metrics());
        spaceWatch.start();
        upkeep.start();
        noteJournalEverySecond();
        producerLimit.onPassed(() -> runInBackground(upkeep::forgetIdleProducers));
        checkpointer.start();
        LOG.atInfo()
                .addKeyValue("logs", recovered.size())
                .addKeyValue("clean", startedClean)
                .addKeyValue("replayedBytes", recovery.replayedBytes())
                .log("logs recovered");
    }

    private void noteJournalEverySecond() {
        if (!closed && !isLost()) {
            journalNote.note(journal.durablePosition());
            noteTimer = services.scheduler().schedule(this::noteJournalEverySecond, NOTE_NANOS, services.maintenance());
        }
    }

    /** Whether the paths lead elsewhere: nothing is to be made there. */
    private boolean isLost() {
        return fenced instanceof DirectoryLostException;
    }

    private void registerGauges(Metrics to) {
        to.gauge(Metric.LOG_PARTITIONS, logs::size);
        to.gauge(Metric.LOG_OPEN_FILES, openFiles::count);
        to.gauge(Metric.LOG_PRODUCERS, producerLimit::count);
        to.gauge(Metric.LOG_CATCH_UP_BYTES, catchUpReaders::takenBytes);
        to.gauge(Metric.JOURNAL_UNRELEASED_BYTES, journal::unreleasedBytes);
        to.gauge(
                Metric.LOG_SIZE_BYTES,
                () -> logs.values().stream()
                        .mapToLong(LocalPartitionLog::sizeInBytes)
                        .sum());
        to.gauge(
                Metric.LOG_QUARANTINED_RANGES,
                () -> quarantined().stream().mapToLong(QuarantinedLog::ranges).sum());
    }

    // ---- the store's operations ----

    boolean startedClean() {
        return startedClean;
    }

    synchronized OptionalInt recoveredLeaderEpoch(long logId) {
        LocalPartitionLog known = recovered.get(logId);
        if (known != null) {
            return OptionalInt.of(known.contents().epochs().latest());
        }
        return logs.values().stream()
                .filter(open -> open.contents().identity().logId() == logId)
                .mapToInt(LocalPartitionLog::leaderEpoch)
                .findFirst();
    }

    @Nullable LocalPartitionLog find(PartitionId partition) {
        return logs.get(partition);
    }

    Collection<LocalPartitionLog> all() {
        return logs.values();
    }

    List<QuarantinedLog> quarantined() {
        return logs.values().stream()
                .map(LocalPartitionLog::contents)
                .map(log -> new QuarantinedLog(log.identity().displayName(), log.quarantinedRanges()))
                .filter(log -> log.ranges() > 0)
                .sorted(Comparator.comparing(QuarantinedLog::name))
                .toList();
    }

    Checkpointer checkpointer() {
        return checkpointer;
    }

    boolean isFenced() {
        return fenced != null;
    }

    CompletionStage<PartitionLog> openLog(
            PartitionId partition, String topicName, long logId, int leaderEpoch, Map<String, String> configs) {
        LogSettings settings;
        try {
            settings = settings(topicName, configs);
        } catch (ConfigException e) {
            return CompletableFuture.failedFuture(e);
        }
        LocalPartitionLog log;
        synchronized (this) {
            log = logs.get(partition);
            if (log == null) {
                log = newLog(new LogIdentity(logId, partition, topicName), settings);
                logs.put(partition, log);
            }
        }
        return new LogOpening(this, log, leaderEpoch).run();
    }

    private LocalPartitionLog newLog(LogIdentity identity, LogSettings settings) {
        LocalPartitionLog known = recovered.remove(identity.logId());
        if (known == null) {
            return new LocalPartitionLog(this, recovery.newContents(identity), new CheckpointState(), settings);
        }
        known.configure(settings);
        return known;
    }

    void setDefaults(TopicDefaults newDefaults) {
        defaults = newDefaults;
        for (LocalPartitionLog log : logs.values()) {
            configure(log, log.settings().own());
        }
    }

    void configure(PartitionId partition, Map<String, String> configs) {
        LocalPartitionLog log = logs.get(partition);
        if (log != null) {
            configure(log, configs);
        }
    }

    private void configure(LocalPartitionLog log, Map<String, String> own) {
        log.configure(settings(log.contents().identity().topicName(), own));
    }

    private LogSettings settings(String topicName, Map<String, String> own) {
        TopicDefaults inherited = defaults;
        String yielding = inherited.yielding(own);
        if (yielding != null) {
            LOG.warn(
                    "the node's {} contradicts what topic {} has itself: the topic's own value stands",
                    yielding,
                    topicName);
        }
        return new LogSettings(inherited.effectiveConfig(TopicNames.isInternal(topicName), own), own);
    }

    void delete(PartitionId partition) {
        LocalPartitionLog log;
        synchronized (this) {
            log = logs.remove(partition);
            if (log != null) {
                pendingDeletions.add(log);
            }
        }
        if (log != null) {
            log.toDeleted();
            new LogDeletion(this, log, directory.logs()).run();
        }
    }

    synchronized void deleteUnless(LongPredicate known) {
        for (LocalPartitionLog log : List.copyOf(recovered.values())) {
            LogContents contents = log.contents();
            if (!known.test(contents.identity().logId())) {
                LOG.atInfo()
                        .setMessage("A log is deleted: the metadata has no partition of its number any more")
                        .addKeyValue("log", contents.identity().displayName())
                        .addKeyValue("directory", contents.directory().path())
                        .addKeyValue("endOffset", contents.endOffset())
                        .log();
                recovered.remove(contents.identity().logId());
                pendingDeletions.add(log);
                log.toDeleted();
                new LogDeletion(this, log, directory.logs()).run();
            }
        }
    }

    /** The journal has the entry of a log's deletion: a checkpoint need no longer take care of the log. */
    void onDeletionNoted(LocalPartitionLog log) {
        pendingDeletions.remove(log);
    }

    /** Whether a start would find this deleted log still there. */
    boolean isDeletionPending(LocalPartitionLog log) {
        return pendingDeletions.contains(log);
    }

    /**
     * All logs, those not opened yet and those whose deletion is not in the journal yet included: a checkpoint must not
     * release what they need.
     */
    synchronized List<LocalPartitionLog> allForCheckpoint() {
        List<LocalPartitionLog> all = new ArrayList<>(logs.values());
        all.addAll(recovered.values());
        all.addAll(pendingDeletions);
        return all;
    }

    void close() {
        if (closed) {
            return;
        }
        closed = true;
        upkeep.stop();
        spaceWatch.stop();
        checkpointer.stop();
        Scheduler.Timer timer = noteTimer;
        if (timer != null) {
            timer.cancel();
        }
        for (LocalPartitionLog log : logs.values()) {
            log.toStopped();
        }
        closeAll();
    }

    private void closeAll() {
        try {
            journal.close();
            if (!isLost()) {
                journalNote.noteAtEnd(journal.durablePosition());
            }
            catalogue.close();
        } catch (IOException e) {
            LOG.error("closing the journal failed; the next start recovers", e);
            fenced = fenced == null ? e : fenced;
        } finally {
            openFiles.closeAll();
            releaseDirectory();
        }
    }

    private void releaseDirectory() {
        try {
            directory.close();
        } catch (IOException e) {
            LOG.warn("the lock of the data directory was not released", e);
        }
    }

    // ---- flushes ----

    @Override
    public void onDurable(long durablePosition) {
        dispatcher.onDurable(durablePosition);
        checkpointer.onJournalGrown();
    }

    @Override
    public void onFailure(IOException cause) {
        fence(cause);
    }

    @Override
    public void fence(IOException cause) {
        synchronized (journalWait) {
            if (fenced != null) {
                return;
            }
            fenced = cause;
        }
        if (cause instanceof DirectoryLostException) {
            LOG.error(
                    "nothing is appended until the node is restarted, because nobody would find it again reason={}",
                    cause.getMessage());
        } else {
            LOG.error(
                    "a write failed and its outcome is unknown: nothing is appended until the node is restarted",
                    cause);
        }
        dispatcher.onFailure(cause, logs.values());
        journalWait.onFailure(cause);
    }

    @Override
    public @Nullable IOException fenceCause() {
        return fenced;
    }

    @Override
    public boolean isEnding() {
        return closed || fenced != null || journal.isFailed();
    }

    // ---- what logs share ----

    @Override
    public Journal journal() {
        return journal;
    }

    @Override
    public JournalWait journalWait() {
        return journalWait;
    }

    @Override
    public FlushDispatcher dispatcher() {
        return dispatcher;
    }

    @Override
    public CatchUpReaders catchUpReaders() {
        return catchUpReaders;
    }

    @Override
    public ByteBufAllocator allocator() {
        return services.allocator();
    }

    @Override
    public long nanoTime() {
        return services.clock().nanoTime();
    }

    @Override
    public long epochMillis() {
        return services.clock().epochMillis();
    }

    @Override
    public long steadyMillis() {
        return steadyTime.millis();
    }

    @Override
    public boolean isLowOnSpace() {
        return spaceWatch.isLow();
    }

    @Override
    public OncePerInterval refusals() {
        return refusals;
    }

    @Override
    public LogMetrics metrics() {
        return metrics;
    }

    @Override
    public OpenFiles openFiles() {
        return openFiles;
    }

    @Override
    public void onAppending(LocalPartitionLog log) {
        earlyForce.onAppend(log);
    }

    @Override
    public void onAppended(int bytes) {
        checkpointer.onAppended(bytes);
        spaceWatch.onAppended(bytes);
    }

    @Override
    public void runInBackgroundAfter(long millis, Runnable task) {
        services.scheduler().schedule(task, TimeUnit.MILLISECONDS.toNanos(millis), services.maintenance());
    }

    @Override
    public CompletionStage<Void> checkpointAfresh() {
        return checkpointer.runAfresh();
    }

    @Override
    public void runInBackground(Runnable task) {
        try {
            services.maintenance().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the maintenance executor has shut down", e);
        }
    }
}
