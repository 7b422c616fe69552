package io.sluice.storage.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.config.ConfigException;
import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.PartitionImage;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metadata.TopicNames;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.metadata.TopicOutcome.Done;
import io.sluice.storage.metadata.TopicOutcome.Reason;
import io.sluice.storage.metadata.TopicOutcome.Refused;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class TopicCatalogueTest {
    private static final Path DIRECTORY = Path.of("/data/metadata");

    private final SimulatedFileSystem files = new SimulatedFileSystem(1);
    private final Queue<Runnable> metadataThread = new ArrayDeque<>();
    private FileMetadataStore store;
    private ClusterImages images;
    private TopicCatalogue topics;

    TopicCatalogueTest() throws IOException {
        store = FileMetadataStore.open(files, DIRECTORY, metadataThread::add);
        images = new ClusterImages(store, metadataThread::add, "AAAAAAAAAAAAAAAAAAAAAA");
        topics = catalogue();
        images.load();
        run();
    }

    @Test
    void aTopicIsInTheImageWhenItsCreationIsAnswered() {
        CompletionStage<TopicOutcome> created = topics.create(topic("a", 3));
        CompletionStage<Boolean> there =
                created.thenApply(outcome -> images.current().topic("a") != null);
        assertThat(done(created).partitions()).hasSize(3);
        assertThat(there.toCompletableFuture()).isCompletedWithValue(true);
        assertThat(images.current().partitionCount()).isEqualTo(3);
    }

    @Test
    void refusalsNameWhatIsWrong() {
        done(topics.create(topic("a.b", 90)));
        assertThat(refused(topics.create(topic("a.b", 1))).reason()).isEqualTo(Reason.EXISTS);
        assertThat(refused(topics.create(topic("a_b", 1))).reason()).isEqualTo(Reason.INVALID_NAME);
        assertThat(refused(topics.create(topic("", 1))).reason()).isEqualTo(Reason.INVALID_NAME);
        assertThat(refused(topics.create(topic("..", 1))).reason()).isEqualTo(Reason.INVALID_NAME);
        assertThat(refused(topics.create(topic("x".repeat(250), 1))).message()).contains("250", "249");
        assertThat(refused(topics.create(topic("b", 0))).reason()).isEqualTo(Reason.INVALID_PARTITIONS);
        assertThat(refused(topics.create(topic("b", 11))).message()).contains("sluice.max.partitions is 100");
        assertThat(refused(topics.create(new NewTopic("b", 1, 2, Map.of()))).reason())
                .isEqualTo(Reason.INVALID_REPLICATION_FACTOR);
        assertThat(refused(topics.create(new NewTopic("b", 1, 1, Map.of("foo", "1"))))
                        .reason())
                .isEqualTo(Reason.INVALID_CONFIG);
        assertThat(refused(topics.create(
                                new NewTopic("__consumer_offsets", 1, 1, Map.of("sluice.durability", "memory"))))
                        .message())
                .contains("always has disk durability");
        assertThat(images.current().topics()).hasSize(1);
    }

    @Test
    void creationsAtTheSameTimeTogetherKeepTheLimitAndTheNames() {
        List<CompletionStage<TopicOutcome>> outcomes = new ArrayList<>();
        outcomes.add(topics.create(topic("a.b", 60)));
        outcomes.add(topics.create(topic("a.b", 1)));
        outcomes.add(topics.create(topic("a_b", 1)));
        outcomes.add(topics.create(topic("c", 60)));
        run();
        assertThat(outcomes.stream().map(TopicCatalogueTest::reason))
                .containsExactly("done", "EXISTS", "INVALID_NAME", "TOO_MANY_PARTITIONS");
        done(topics.create(topic("c", 40)));
    }

    @Test
    void thousandsOfTopicsAreCreatedInAFewFlushes() {
        TopicCatalogue large =
                new TopicCatalogue(store, images, TopicId::random, () -> TopicDefaults.NONE, () -> 100_000, 1);
        run();
        long before = files.operations();
        List<CompletionStage<TopicOutcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            outcomes.add(large.create(topic("t" + i, 1)));
        }
        run();
        assertThat(outcomes).allMatch(outcome -> reason(outcome).equals("done"));
        assertThat(files.operations() - before).isLessThan(60);
        Set<Long> logIds = new HashSet<>();
        images.current().topics().forEach(topic -> topic.partitions().forEach(one -> logIds.add(one.logId())));
        assertThat(logIds).hasSize(10_000);
    }

    @Test
    void deletionIsByIdAndForGood() {
        TopicImage first = done(topics.create(topic("a", 1)));
        assertThat(done(topics.delete(first.id()))).isEqualTo(first);
        assertThat(refused(topics.delete(first.id())).reason()).isEqualTo(Reason.UNKNOWN_ID);
        TopicImage second = done(topics.create(topic("a", 1)));
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(second.partitions().get(0).logId())
                .isGreaterThan(first.partitions().get(0).logId());
        assertThat(refused(topics.delete(first.id())).reason()).isEqualTo(Reason.UNKNOWN_ID);
        assertThat(images.current().topic("a")).isEqualTo(second);
    }

    @Test
    void aNameFreedByDeletionCollidesNoMore() {
        TopicImage topic = done(topics.create(topic("a.b", 1)));
        done(topics.delete(topic.id()));
        done(topics.create(topic("a_b", 1)));
    }

    @Test
    void growthKeepsThePartitionsThereAre() {
        TopicImage before = done(topics.create(topic("a", 2)));
        done(topics.create(topic("b", 1)));
        TopicImage after = done(topics.growTo("a", 4));
        assertThat(after.partitions().subList(0, 2)).isEqualTo(before.partitions());
        assertThat(after.partitions()).extracting(PartitionImage::partition).containsExactly(0, 1, 2, 3);
        assertThat(refused(topics.growTo("a", 4)).reason()).isEqualTo(Reason.INVALID_PARTITIONS);
        assertThat(refused(topics.growTo("a", 3)).reason()).isEqualTo(Reason.INVALID_PARTITIONS);
        assertThat(refused(topics.growTo("a", 1000)).reason()).isEqualTo(Reason.TOO_MANY_PARTITIONS);
        assertThat(refused(topics.growTo("nope", 4)).reason()).isEqualTo(Reason.UNKNOWN_NAME);
    }

    @Test
    void anInternalTopicKeepsTheNumberOfItsPartitions() {
        done(topics.create(topic(TopicNames.CONSUMER_OFFSETS, 2)));
        Refused refused = refused(topics.growTo(TopicNames.CONSUMER_OFFSETS, 4));
        assertThat(refused.reason()).isEqualTo(Reason.INVALID_PARTITIONS);
        assertThat(refused.message())
                .contains("__consumer_offsets keeps the number of partitions")
                .contains("committed offsets would be lost");
        assertThat(topics.validateGrowth(TopicNames.CONSUMER_OFFSETS, 4)).isEqualTo(refused);
        assertThat(images.current().topic(TopicNames.CONSUMER_OFFSETS))
                .satisfies(topic -> assertThat(topic.partitions()).hasSize(2));
    }

    @Test
    void twoWhoGrowATopicAtOnceDoNotBothDoIt() {
        done(topics.create(topic("a", 1)));
        List<CompletionStage<TopicOutcome>> outcomes = List.of(topics.growTo("a", 3), topics.growTo("a", 4));
        run();
        assertThat(outcomes.stream().map(TopicCatalogueTest::reason)).containsExactly("done", "INVALID_PARTITIONS");
        assertThat(Objects.requireNonNull(images.current().topic("a")).partitions())
                .hasSize(3);
    }

    @Test
    void settingsChangedAtOnceByManyAreAllThereInTheEnd() {
        done(topics.create(topic("a", 1)));
        List<String> keys = List.of("retention.ms", "segment.ms", "flush.ms", "retention.bytes", "max.message.bytes");
        List<CompletionStage<TopicOutcome>> outcomes = new ArrayList<>();
        for (String key : keys) {
            outcomes.add(topics.configure("a", now -> {
                Map<String, String> next = new java.util.HashMap<>(now);
                next.put(key, "77");
                return next;
            }));
        }
        run();
        assertThat(outcomes).allMatch(outcome -> reason(outcome).equals("done"));
        assertThat(Objects.requireNonNull(images.current().topic("a")).configs())
                .containsOnlyKeys(keys);
    }

    @Test
    void aRefusedEditChangesNothing() {
        done(topics.create(topic("a", 1)));
        assertThat(refused(topics.configure("a", now -> {
                            throw new ConfigException("no");
                        }))
                        .message())
                .isEqualTo("no");
        assertThat(refused(topics.configure("a", now -> Map.of("retention.ms", "x")))
                        .reason())
                .isEqualTo(Reason.INVALID_CONFIG);
        assertThat(refused(topics.configure("nope", now -> now)).reason()).isEqualTo(Reason.UNKNOWN_NAME);
    }

    @Test
    void everythingIsThereAfterARestartAndLogIdsGoOnBehind() throws IOException {
        TopicImage a = done(topics.create(new NewTopic("a", 2, 1, Map.of("retention.ms", "5"))));
        TopicImage b = done(topics.create(topic("b", 1)));
        done(topics.delete(b.id()));
        files.powerCut();
        store = FileMetadataStore.open(files, DIRECTORY, metadataThread::add);
        images = new ClusterImages(store, metadataThread::add, "AAAAAAAAAAAAAAAAAAAAAA");
        topics = catalogue();
        images.load();
        run();
        assertThat(images.current().topics()).containsExactly(a);
        TopicImage c = done(topics.create(topic("c", 1)));
        assertThat(c.partitions().get(0).logId())
                .isGreaterThan(b.partitions().get(0).logId());
    }

    @Test
    void anImageKnowsWhatChangedSinceTheOneBefore() {
        List<Set<TopicId>> changes = new ArrayList<>();
        images.addListener((previous, current) -> changes.add(current.topicsChangedSince(previous)));
        run();
        TopicImage a = done(topics.create(topic("a", 1)));
        ClusterImage early = images.current();
        TopicImage b = done(topics.create(topic("b", 1)));
        done(topics.delete(a.id()));
        assertThat(changes).containsExactly(Set.of(), Set.of(a.id()), Set.of(b.id()), Set.of(a.id()));
        assertThat(images.current().topicsChangedSince(early)).containsExactlyInAnyOrder(a.id(), b.id());
    }

    private TopicCatalogue catalogue() {
        return new TopicCatalogue(store, images, TopicId::random, () -> TopicDefaults.NONE, () -> 100, 1);
    }

    private static NewTopic topic(String name, int partitions) {
        return new NewTopic(name, partitions, 1, Map.of());
    }

    private TopicImage done(CompletionStage<TopicOutcome> outcome) {
        return ((Done) now(outcome)).topic();
    }

    private Refused refused(CompletionStage<TopicOutcome> outcome) {
        return (Refused) now(outcome);
    }

    private TopicOutcome now(CompletionStage<TopicOutcome> outcome) {
        run();
        CompletableFuture<TopicOutcome> future = outcome.toCompletableFuture();
        assertThat(future).isDone();
        return future.join();
    }

    private static String reason(CompletionStage<TopicOutcome> outcome) {
        TopicOutcome done = outcome.toCompletableFuture().join();
        return done instanceof Refused refused ? refused.reason().name() : "done";
    }

    private void run() {
        for (Runnable task = metadataThread.poll(); task != null; task = metadataThread.poll()) {
            task.run();
        }
    }
}
