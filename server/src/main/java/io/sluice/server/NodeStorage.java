package io.sluice.server;

import io.sluice.base.config.ConfigValues;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.TopicImage;
import io.sluice.broker.producerid.ProducerIds;
import io.sluice.server.config.MachineLimits;
import io.sluice.server.config.NodeConfig;
import io.sluice.server.config.RoomLimit;
import io.sluice.server.http.NodeHealth;
import io.sluice.server.process.NamedThreads;
import io.sluice.storage.config.DynamicConfigs;
import io.sluice.storage.config.StorageKeys;
import io.sluice.storage.config.TopicDefaultKeys;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.journal.FlushThread;
import io.sluice.storage.journal.JournalConfig;
import io.sluice.storage.journal.JournalDamagedException;
import io.sluice.storage.journal.JournalDirectory;
import io.sluice.storage.journal.JournalMismatchException;
import io.sluice.storage.journal.JournalRecovery;
import io.sluice.storage.journal.JournalResources;
import io.sluice.storage.journal.JournalVersionException;
import io.sluice.storage.local.DataDirectory;
import io.sluice.storage.local.DirectoryWatch;
import io.sluice.storage.local.LocalPartitionLogStore;
import io.sluice.storage.local.LocalStorageConfig;
import io.sluice.storage.local.LocalStorageServices;
import io.sluice.storage.metadata.ClusterImages;
import io.sluice.storage.metadata.ConfigCatalogue;
import io.sluice.storage.metadata.FileMetadataStore;
import io.sluice.storage.metadata.LocalOwnership;
import io.sluice.storage.metadata.NodeEpochs;
import io.sluice.storage.metadata.PartitionLifecycle;
import io.sluice.storage.metadata.TopicCatalogue;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node keeps: metadata and logs of its data directory, and everything derived from them. Opened in this order:
 * metadata, journal, logs, epoch, ownership, partitions; closed in reverse.
 */
final class NodeStorage implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeStorage.class);
    private static final int MIB = 1 << 20;
    private static final int JOURNAL_BUFFER_BYTES = 16 * MIB;
    private static final int JOURNAL_FIRST_FILE_BYTES = 4 * MIB;
    private static final int JOURNAL_GROUP_BYTES = 64 << 10;
    private static final double FLUSH_CPU_SHARE = 0.10;
    private static final int CHECKPOINT_SLICE_BYTES = MIB;
    private static final int SMALL_TAIL_BYTES = 64 << 10;
    private static final long CATCH_UP_BYTES = 64L * MIB;
    private static final long STEP_SECONDS = 60;
    private static final long RECOVERY_SECONDS = 3_600;
    private static final int ONE_BROKER = 1;

    final DynamicConfigs configs;
    final ClusterImages images;
    final LocalOwnership ownership;
    final LocalPartitionLogStore logs;
    final PartitionLifecycle lifecycle;
    final TopicCatalogue topics;
    final ConfigCatalogue configCatalogue;
    final ProducerIds producerIds;
    final DataFileStore logDirectory;

    private final FileMetadataStore metadata;
    private final NodeEpochs epochs;
    private final DirectoryWatch watch;

    private NodeStorage(Opened opened, NodeConfig config, NodeRuntime runtime, int epoch) {
        metadata = opened.metadata;
        images = opened.images;
        logs = opened.logs;
        configs = opened.configs;
        epochs = opened.epochs;
        watch = opened.watch;
        int nodeId = config.values().get(StorageKeys.NODE_ID);
        ownership = new LocalOwnership(images, nodeId, epoch, runtime.metadataThread());
        lifecycle = new PartitionLifecycle(logs, ownership, runtime.metadataThread());
        topics = new TopicCatalogue(
                metadata,
                images,
                TopicId::random,
                () -> configs.current().topicDefaults(),
                () -> configs.current().values().get(TopicDefaultKeys.MAX_PARTITIONS),
                ONE_BROKER);
        configCatalogue = new ConfigCatalogue(metadata);
        producerIds = new ProducerIds(metadata);
        logDirectory = opened.logDirectory;
    }

    /** What is there before partitions are opened. */
    private record Opened(
            FileMetadataStore metadata,
            ClusterImages images,
            LocalPartitionLogStore logs,
            DynamicConfigs configs,
            NodeEpochs epochs,
            DataFileStore logDirectory,
            DirectoryWatch watch) {}

    /**
     * Recovers everything that the directory holds. Blocks.
     *
     * @param directory held, as the journal's is
     * @throws UserException when the directory cannot be read or holds less than was acknowledged
     */
    static NodeStorage open(
            DataDirectory directory,
            Path journal,
            FileSystem files,
            NodeConfig config,
            NodeRuntime runtime,
            NodeHealth health) {
        DirectoryWatch watch = new DirectoryWatch(files, runtime.scheduler(), runtime.readers());
        boolean done = false;
        try {
            Opened opened = open(directory, journal, files, config, runtime, health::toProgress, watch);
            int epoch =
                    Waiting.on("Beginning a new epoch", opened.epochs.begin(opened.logs.startedClean()), STEP_SECONDS);
            NodeStorage storage = new NodeStorage(opened, config, runtime, epoch);
            StorageFaults faults = new StorageFaults(storage.logs, storage.metadata, storage.lifecycle);
            faults.registerGauges(runtime.metrics());
            health.watch(faults);
            storage.openPartitions(health);
            storage.watchDirectories();
            done = true;
            return storage;
        } catch (JournalDamagedException | JournalMismatchException | JournalVersionException e) {
            throw new UserException(
                    ExitCode.BAD_DATA, "Cannot recover " + directory.path() + ": " + e.getMessage() + ".", e);
        } catch (IOException e) {
            throw new UserException(
                    ExitCode.IO_ERROR, "Cannot recover " + directory.path() + ": " + FileFailures.text(e) + ".", e);
        } finally {
            if (!done) {
                watch.close();
            }
        }
    }

    private static Opened open(
            DataDirectory directory,
            Path journal,
            FileSystem files,
            NodeConfig config,
            NodeRuntime runtime,
            MeasuredRecovery.Progress progress,
            DirectoryWatch watch)
            throws IOException {
        watch.hold(directory.path());
        ConfigValues values = config.values();
        int nodeId = values.get(StorageKeys.NODE_ID);
        Path metadataPath = directory.path().resolve(DataDirectory.METADATA);
        FileMetadataStore metadata = FileMetadataStore.open(files, metadataPath, runtime.metadataThread());
        watch.hold(metadataPath);
        ClusterImages images = new ClusterImages(
                metadata, runtime.metadataThread(), directory.meta().clusterId());
        DynamicConfigs configs = new DynamicConfigs(values.texts(), nodeId);
        Waiting.on("Reading the metadata", images.load(), STEP_SECONDS);
        NodeEpochs epochs = new NodeEpochs(metadata, nodeId);
        requireMetadata(directory, epochs);
        watch.hold(journal);
        RoomLimit.require(values, Files.getFileStore(directory.path()).getTotalSpace());
        JournalRecovery recovery = new MeasuredRecovery(
                JournalDirectory.open(files, journal, journalConfig(values), directory.journalOwner()), progress);
        LocalPartitionLogStore logs = LocalPartitionLogStore.open(
                directory,
                Waiting.on("Reading the metadata", epochs.given(), STEP_SECONDS),
                recovery,
                journalResources(runtime),
                storageConfig(values),
                services(files, runtime));
        watch.hold(directory.logs());
        DataFileStore logDirectory = new DataFileStore(directory.path(), Files.getFileStore(directory.path()), logs);
        return new Opened(metadata, images, logs, configs, epochs, logDirectory, watch);
    }

    /** There was metadata before the first log. Without it every log would count as one of a deleted topic. */
    private static void requireMetadata(DataDirectory directory, NodeEpochs epochs) throws IOException {
        Optional<Path> log = directory.anyLog();
        if (log.isPresent() && !Waiting.on("Reading the metadata", epochs.hasBegun(), STEP_SECONDS)) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    directory.path().resolve(DataDirectory.METADATA)
                            + " is missing or empty although there are logs, as " + log.get()
                            + ": the disk or another program removed it. Restore the data directory and its journal from"
                            + " one copy. To give up all records instead, move what is in " + directory.logs()
                            + " and in the journal directory away.");
        }
    }

    private void openPartitions(NodeHealth health) {
        Set<Long> known = new HashSet<>();
        for (TopicImage topic : images.current().topics()) {
            topic.partitions().forEach(partition -> known.add(partition.logId()));
        }
        logs.deleteUnless(known::contains);
        configs.addListener((previous, current) -> logs.setDefaults(current.topicDefaults()));
        logs.setDefaults(configs.current().topicDefaults());
        // Before the partitions: they are opened with the defaults that were set dynamically.
        configs.follow(images);
        health.toStep("opening partitions");
        Waiting.on("Opening the partitions", lifecycle.start(images, health::toProgress), RECOVERY_SECONDS);
        LOG.atInfo()
                .addKeyValue("topics", images.current().topics().size())
                .addKeyValue("partitions", known.size())
                .addKeyValue("failed", lifecycle.failedCount())
                .log("partitions open");
    }

    /** What is acknowledged into a directory that is gone is gone with it. */
    private void watchDirectories() {
        watch.follow(logs::journalFile);
        watch.follow(metadata::file);
        watch.start(lost -> {
            logs.fence(lost);
            metadata.lose(lost);
        });
    }

    private static JournalConfig journalConfig(ConfigValues values) {
        int fileBytes = Math.toIntExact(values.get(StorageKeys.JOURNAL_FILE_BYTES));
        return new JournalConfig(
                fileBytes,
                Math.min(fileBytes, JOURNAL_FIRST_FILE_BYTES),
                JOURNAL_BUFFER_BYTES,
                values.get(StorageKeys.JOURNAL_MAX_UNRELEASED_BYTES),
                JOURNAL_GROUP_BYTES,
                TimeUnit.MICROSECONDS.toNanos(values.get(StorageKeys.JOURNAL_MAX_WAIT_MICROS)),
                FLUSH_CPU_SHARE);
    }

    private static JournalResources journalResources(NodeRuntime runtime) {
        return new JournalResources(
                runtime.clock(),
                () -> ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime(),
                new FlushThread(new NamedThreads("flush"), runtime.clock()),
                runtime.background(),
                runtime.allocator(),
                runtime.metrics());
    }

    private static LocalStorageConfig storageConfig(ConfigValues values) {
        MachineLimits machine = MachineLimits.ofThisProcess();
        return new LocalStorageConfig(
                machine.openFiles(values),
                values.get(StorageKeys.JOURNAL_CHECKPOINT_BYTES),
                CHECKPOINT_SLICE_BYTES,
                SMALL_TAIL_BYTES,
                CATCH_UP_BYTES,
                values.get(StorageKeys.LOW_SPACE_BYTES),
                values.get(StorageKeys.LOG_RETENTION_CHECK_INTERVAL_MS),
                new LocalStorageConfig.ProducerConfig(
                        values.get(StorageKeys.PRODUCER_ID_EXPIRATION_MS),
                        values.get(StorageKeys.MAX_PRODUCERS_PER_PARTITION),
                        machine.maxProducers(values)),
                new LocalStorageConfig.CleanerConfig(
                        values.get(StorageKeys.LOG_CLEANER_ENABLE),
                        machine.keyMapBytes(values),
                        values.get(StorageKeys.LOG_CLEANER_BACKOFF_MS)),
                values.get(StorageKeys.JOURNAL_ACCEPT_LOSS));
    }

    private static LocalStorageServices services(FileSystem files, NodeRuntime runtime) {
        return new LocalStorageServices(
                files,
                runtime.clock(),
                runtime.scheduler(),
                runtime.allocator(),
                runtime.readers(),
                runtime.maintenance(),
                runtime.forcers(),
                runtime.cleaner(),
                runtime.metrics());
    }

    /** Flushes the journal, notes the clean stop, and lets go of the directory. */
    @Override
    public void close() {
        try (metadata;
                watch) {
            logs.close();
            IOException fence = logs.fenceCause();
            if (fence != null) {
                throw new IllegalStateException("not all of the journal was kept; the next start recovers", fence);
            }
            Waiting.on("Noting the clean stop", epochs.stopCleanly(), STEP_SECONDS);
        }
    }
}
