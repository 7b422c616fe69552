package io.sluice.coordinator.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SystemClock;
import io.sluice.base.time.SystemScheduler;
import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.InMemoryCluster;
import io.sluice.storage.config.BrokerConfigKeys;
import io.sluice.storage.config.TopicDefaults;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.InitializeShareGroupStateRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against the library that keeps the state, with its own rules of what replaces what. */
class LibraryStoreTest {
    private static final int STATE_EPOCH = 4;

    private final InMemoryCluster cluster = new InMemoryCluster();
    private final ExecutorService background = Executors.newFixedThreadPool(2);
    private final SystemScheduler scheduler =
            new SystemScheduler(SystemClock.INSTANCE, task -> new Thread(task, "library-store-timer"));
    private final LibraryShareState shares = new LibraryShareState(new CoordinatorEnvironment(
            BrokerConfigKeys.SCHEMA.read(Map.of()),
            SystemClock.INSTANCE,
            scheduler,
            background,
            cluster,
            () -> TopicDefaults.NONE,
            cluster,
            cluster,
            cluster,
            UnpooledByteBufAllocator.DEFAULT,
            new Metrics()));
    private final PatientShareState state = new PatientShareState(shares, SystemClock.INSTANCE, scheduler, background);
    private final TopicImage topic = cluster.create("t", 1);
    private final PatientShareState.Key key = new PatientShareState.Key(
            "g", new Uuid(topic.id().mostSignificantBits(), topic.id().leastSignificantBits()), 0);
    private final LibraryStore store = new LibraryStore(state, key, 0);

    @BeforeEach
    void initialize() {
        var answer = await(state.initialize(
                key,
                new InitializeShareGroupStateRequestData.PartitionData()
                        .setPartition(0)
                        .setStateEpoch(STATE_EPOCH)
                        .setStartOffset(SharePartitionStore.UNINITIALIZED)));
        assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.NONE);
    }

    @AfterEach
    void close() {
        shares.close();
        scheduler.close();
        background.shutdownNow();
    }

    private static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }

    private void write(long start, SavedRange... ranges) {
        assertThat(await(store.write(new SharePartitionStore.Change(STATE_EPOCH, start, 0, List.of(ranges)))))
                .isEqualTo(Errors.NONE);
    }

    private SharePartition load(long logEndOffset) {
        ShareGroupSettings settings = new ShareGroupSettings(3, 30_000, 100, true, false, false, "earliest");
        SharePartition partition = new SharePartition(
                "g:t-0",
                store,
                () -> settings,
                DeadLetters.NONE,
                new SharePartitionListener() {
                    @Override
                    public void onAvailable() {}

                    @Override
                    public void onLost(Errors error) {}
                },
                new SharePartition.Time(SystemClock.INSTANCE, scheduler, background));
        assertThat(await(partition.load(() -> CompletableFuture.completedFuture(0L), logEndOffset)))
                .isEqualTo(Errors.NONE);
        return partition;
    }

    private static List<AcquiredRange> acquire(SharePartition partition, long last) {
        long from = partition.nextOffset();
        return partition.acquire(
                "ann", from, List.of(new FetchedBatch(from, last, true)), new AcquireLimits(500, false));
    }

    @Test
    void replacesNothingByWhatIsWeaker() {
        write(40, new SavedRange(60, 70, SavedRange.ACKNOWLEDGED, (short) 1));

        write(30, new SavedRange(60, 70, SavedRange.AVAILABLE, (short) 0));

        assertThat(await(store.read()))
                .isEqualTo(new SharePartitionStore.Loaded(
                        Errors.NONE, STATE_EPOCH, 40, List.of(new SavedRange(60, 70, SavedRange.ACKNOWLEDGED, (short)
                                1))));
    }

    @Test
    void goesOnWhereALogBeginsAgainThatHasLostItsEnd() {
        write(100, new SavedRange(105, 110, SavedRange.ACKNOWLEDGED, (short) 1));
        SharePartition shorter = load(50);
        assertThat(acquire(shorter, 54)).containsExactly(new AcquiredRange(50, 54, (short) 1));
        assertThat(await(shorter.acknowledge(
                        "ann", List.of(new Acknowledgement(50, 54, new byte[] {Acknowledgement.ACCEPT})))))
                .isEqualTo(Errors.NONE);

        assertThat(acquire(load(150), 149)).containsExactly(new AcquiredRange(55, 149, (short) 1));
    }

    @Test
    void forgetsWhatWasSettledOfRecordsThatAreGone() {
        write(
                40,
                new SavedRange(42, 44, SavedRange.ACKNOWLEDGED, (short) 1),
                new SavedRange(60, 70, SavedRange.ACKNOWLEDGED, (short) 1));
        load(50);

        assertThat(acquire(load(150), 99))
                .containsExactly(new AcquiredRange(40, 41, (short) 1), new AcquiredRange(45, 99, (short) 1));
    }
}
