package io.sluice.storage.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.ownership.Ownership.OwnershipListener;
import io.sluice.storage.config.TopicDefaults;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class PartitionLifecycleTest {
    private static final Executor DIRECT = Runnable::run;
    private static final int EPOCH = 3;

    private final InMemoryMetadataStore store = new InMemoryMetadataStore(DIRECT);
    private final ClusterImages images = new ClusterImages(store, DIRECT, "AAAAAAAAAAAAAAAAAAAAAA");
    private final RecordingLogStore logs = new RecordingLogStore();
    private final LocalOwnership ownership = new LocalOwnership(images, 1, EPOCH, DIRECT);
    private final PartitionLifecycle lifecycle = new PartitionLifecycle(logs, ownership, DIRECT);
    private final RecordingOwnership heard = new RecordingOwnership();
    private final TopicCatalogue topics =
            new TopicCatalogue(store, images, TopicId::random, () -> TopicDefaults.NONE, () -> 100, 1);

    @Test
    void opensWhatIsThereAndSettlesWhenAllServeOrFailed() {
        images.load();
        create("a", 2);
        List<String> progress = new ArrayList<>();
        CompletableFuture<Void> settled = lifecycle
                .start(images, (done, total) -> progress.add(done + " of " + total))
                .toCompletableFuture();
        CompletableFuture<Integer> heardBeforeTheEnd = settled.thenApply(nothing -> progress.size());
        assertThat(logs.asked).containsExactly("open a-0 epoch 3 {}", "open a-1 epoch 3 {}");
        assertThat(progress).isEmpty();
        logs.failOne();
        assertThat(progress).containsExactly("1 of 2");
        assertThat(settled).isNotDone();
        logs.serveAll();
        assertThat(settled).isCompleted();
        assertThat(lifecycle.failedCount()).isEqualTo(1);
        assertThat(progress).containsExactly("1 of 2", "2 of 2");
        assertThat(heardBeforeTheEnd).isCompletedWithValue(2);
    }

    @Test
    void aNewTopicServesWhenItsLogsDo() {
        start();
        TopicImage topic = create("a", 2);
        CompletableFuture<Void> serving = lifecycle.whenServing(topic).toCompletableFuture();
        assertThat(serving).isNotDone();
        assertThat(heard.events).isEmpty();
        logs.serveAll();
        assertThat(serving).isCompleted();
        assertThat(heard.events).containsExactly("acquired 0 epoch 3", "acquired 1 epoch 3");
    }

    @Test
    void aListenerThatComesLateHearsOfAllThatServe() {
        start();
        create("a", 1);
        logs.serveAll();
        RecordingOwnership late = new RecordingOwnership();
        ownership.addListener(late);
        assertThat(late.events).containsExactly("acquired 0 epoch 3");
    }

    @Test
    void settingsReachTheLogsAndMorePartitionsAreOpened() {
        start();
        create("a", 1);
        logs.serveAll();
        logs.asked.clear();
        topics.configure("a", now -> Map.of("retention.ms", "5"));
        topics.growTo("a", 3);
        assertThat(logs.asked)
                .containsExactly(
                        "configure 0 {retention.ms=5}",
                        "open a-1 epoch 3 {retention.ms=5}",
                        "open a-2 epoch 3 {retention.ms=5}");
    }

    @Test
    void aDeletedTopicIsReleasedBeforeItsLogsGo() {
        start();
        TopicImage topic = create("a", 1);
        logs.serveAll();
        heard.log = logs;
        topics.delete(topic.id());
        assertThat(heard.events).containsExactly("acquired 0 epoch 3", "released 0 with the log there");
        assertThat(logs.asked).endsWith("delete 0");
        assertThat(ownership.ownerOf(topic.partitionId(0))).isEqualTo(-1);
        assertThat(lifecycle.whenServing(topic).toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void aTopicDeletedWhileItsLogsOpenIsDeletedWhenTheyHave() {
        start();
        TopicImage topic = create("a", 1);
        CompletableFuture<Void> serving = lifecycle.whenServing(topic).toCompletableFuture();
        topics.delete(topic.id());
        assertThat(serving).isCompletedExceptionally();
        assertThat(logs.asked).doesNotContain("delete 0");
        logs.serveAll();
        assertThat(logs.asked).endsWith("delete 0");
        assertThat(heard.events).isEmpty();
    }

    @Test
    void aDefectInOneTopicKeepsNoOtherFromBeingOpenedNorTheStartFromEnding() {
        images.load();
        create("a", 1);
        create("b", 1);
        logs.defective = "a";
        CompletableFuture<Void> settled =
                lifecycle.start(images, (done, total) -> {}).toCompletableFuture();
        logs.serveAll();
        assertThat(settled).isCompleted();
        assertThat(lifecycle.failedCount()).isEqualTo(1);
        assertThat(logs.asked).containsExactly("open b-0 epoch 3 {}");
    }

    @Test
    void aDefectInASettingOfOneTopicKeepsLaterChangesFromNothing() {
        start();
        create("a", 1);
        logs.serveAll();
        logs.defective = "5";
        topics.configure("a", now -> Map.of("retention.ms", "5"));
        create("b", 1);
        assertThat(logs.asked).containsExactly("open a-0 epoch 3 {}", "open b-0 epoch 3 {}");
    }

    @Test
    void ownershipIsOfWhatTheImageHolds() {
        start();
        TopicImage topic = create("a", 1);
        assertThat(ownership.isLocal(topic.partitionId(0))).isTrue();
        assertThat(ownership.leaderEpochOf(topic.partitionId(0))).isEqualTo(EPOCH);
        assertThat(ownership.ownerOf(topic.partitionId(1))).isEqualTo(-1);
        assertThat(ownership.leaderEpochOf(new PartitionId(TopicId.random(), 0)))
                .isEqualTo(-1);
    }

    private void start() {
        images.load();
        lifecycle.start(images);
        ownership.addListener(heard);
    }

    private TopicImage create(String name, int partitions) {
        topics.create(new NewTopic(name, partitions, 1, Map.of()));
        TopicImage topic = images.current().topic(name);
        assertThat(topic).isNotNull();
        return topic;
    }

    private static final class RecordingOwnership implements OwnershipListener {
        final List<String> events = new ArrayList<>();
        private RecordingLogStore log = new RecordingLogStore();

        @Override
        public void onAcquired(PartitionId partition, int leaderEpoch) {
            events.add("acquired " + partition.partition() + " epoch " + leaderEpoch);
        }

        @Override
        public void onReleased(PartitionId partition) {
            boolean there = !log.asked.contains("delete " + partition.partition());
            events.add("released " + partition.partition() + (there ? " with the log there" : " too late"));
        }
    }
}
