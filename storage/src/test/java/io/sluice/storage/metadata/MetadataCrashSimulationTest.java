package io.sluice.storage.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.MetadataStore.SessionState;
import io.sluice.base.metadata.PartitionImage;
import io.sluice.base.metadata.TopicImage;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import io.sluice.storage.metadata.TopicOutcome.Done;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random creations, growths, settings and deletions of topics in a process that is killed, or loses its power, in the middle
 * of a random file operation or after a force that failed, again and again. 30 seeds of 100 changes.
 */
@Tag("simulation")
class MetadataCrashSimulationTest {
    private static final Path DIRECTORY = Path.of("/data/metadata");
    private static final int CHANGES = 100;
    private static final int ROLL_BYTES = 6000;

    @ParameterizedTest
    @MethodSource("seeds")
    void everyChangeIsWhollyThereOrNot(long seed) throws Exception {
        new World(seed).run();
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 30);
    }

    /** What a topic looks like, whatever its ids. */
    private record Shape(TopicId id, int partitions, Map<String, String> configs) {
        static @Nullable Shape of(@Nullable TopicImage topic) {
            return topic == null
                    ? null
                    : new Shape(topic.id(), topic.partitions().size(), topic.configs());
        }
    }

    /** A change under way: the topic before it, and what it may have become. */
    private record Pending(
            String name, @Nullable Shape before, @Nullable Shape after, CompletableFuture<Boolean> done) {}

    private static final class World {
        private final Random random;
        private final SimulatedFileSystem files;
        private final Map<String, Shape> acknowledged = new HashMap<>();
        private final Set<TopicId> deleted = new HashSet<>();
        private final Map<Long, String> logIdOwners = new HashMap<>();
        private final List<Pending> pending = new ArrayList<>();
        private Queue<Runnable> metadataThread = new ArrayDeque<>();
        private @Nullable FileMetadataStore store;
        private @Nullable ClusterImages images;
        private @Nullable TopicCatalogue catalogue;
        private int crashes;
        private int changes;

        World(long seed) {
            random = new Random(seed * 7919);
            files = new SimulatedFileSystem(seed);
        }

        void run() throws Exception {
            start();
            while (changes < CHANGES) {
                if (random.nextInt(8) == 0) {
                    files.crashAfter(1 + random.nextInt(12));
                } else if (random.nextInt(8) == 0) {
                    Operation broken = random.nextInt(3) == 0 ? Operation.FORCE_DIRECTORY : Operation.FORCE;
                    files.failWith((operation, path) -> operation == broken, random.nextInt(3), 1);
                }
                for (int i = random.nextInt(5); i >= 0; i--) {
                    change("t" + random.nextInt(6));
                }
                runMetadataThread();
                settle();
                if (files.crashed() || isLost() || random.nextInt(15) == 0) {
                    restart();
                }
                check();
            }
            assertThat(crashes).isPositive();
        }

        private void start() throws IOException {
            metadataThread = new ArrayDeque<>();
            Queue<Runnable> thread = metadataThread;
            FileMetadataStore opened = FileMetadataStore.open(files, DIRECTORY, thread::add, ROLL_BYTES);
            store = opened;
            ClusterImages loaded = new ClusterImages(opened, thread::add, "AAAAAAAAAAAAAAAAAAAAAA");
            loaded.load();
            images = loaded;
            catalogue = new TopicCatalogue(
                    opened,
                    loaded,
                    () -> new TopicId(random.nextLong(), random.nextLong()),
                    () -> TopicDefaults.NONE,
                    () -> 1000,
                    1);
            runMetadataThread();
        }

        private boolean isLost() {
            return java.util.Objects.requireNonNull(store).sessionState() == SessionState.LOST;
        }

        /** Also while opening the process may die. */
        private void restart() throws Exception {
            crashes++;
            boolean again = true;
            while (again) {
                if (random.nextBoolean()) {
                    files.powerCut();
                } else {
                    files.kill();
                }
                if (random.nextInt(4) == 0) {
                    files.crashAfter(1 + random.nextInt(6));
                }
                again = !started();
            }
            pending.forEach(this::findOut);
            pending.clear();
        }

        private boolean started() throws IOException {
            try {
                start();
                return !files.crashed();
            } catch (IOException e) {
                if (!files.crashed()) {
                    throw e;
                }
                return false;
            }
        }

        private void runMetadataThread() {
            for (Runnable task = metadataThread.poll(); task != null; task = metadataThread.poll()) {
                task.run();
            }
        }

        private void change(String name) {
            if (pending.stream().anyMatch(other -> other.name().equals(name))) {
                return;
            }
            changes++;
            Shape before = acknowledged.get(name);
            if (before == null) {
                create(name);
            } else if (random.nextInt(3) == 0) {
                await(name, before, null, requireCatalogue().delete(before.id()).toCompletableFuture());
            } else if (random.nextBoolean()) {
                int total = before.partitions() + 1 + random.nextInt(3);
                Shape after = new Shape(before.id(), total, before.configs());
                await(
                        name,
                        before,
                        after,
                        requireCatalogue().growTo(name, total).toCompletableFuture());
            } else {
                Map<String, String> configs = Map.of("retention.ms", Integer.toString(random.nextInt(100_000)));
                Shape after = new Shape(before.id(), before.partitions(), configs);
                await(
                        name,
                        before,
                        after,
                        requireCatalogue().configure(name, now -> configs).toCompletableFuture());
            }
        }

        private void create(String name) {
            int partitions = 1 + random.nextInt(4);
            Map<String, String> configs = Map.of("segment.ms", Integer.toString(1 + random.nextInt(1000)));
            NewTopic topic = new NewTopic(name, partitions, 1, configs);
            Shape after = new Shape(TopicId.ZERO, partitions, configs);
            await(name, null, after, requireCatalogue().create(topic).toCompletableFuture());
        }

        private void await(
                String name, @Nullable Shape before, @Nullable Shape after, CompletableFuture<TopicOutcome> outcome) {
            pending.add(new Pending(name, before, after, outcome.thenApply(Done.class::isInstance)));
        }

        /** What has been answered must be so from now on. */
        private void settle() {
            for (Pending one : List.copyOf(pending)) {
                if (one.done().isDone() && !one.done().isCompletedExceptionally()) {
                    assertThat(one.done().join()).as("%s is refused", one).isTrue();
                    pending.remove(one);
                    requireAfter(one, Shape.of(topic(one.name())));
                }
            }
        }

        private void findOut(Pending one) {
            Shape now = Shape.of(topic(one.name()));
            if (java.util.Objects.equals(now, one.before())) {
                return;
            }
            requireAfter(one, now);
        }

        private void requireAfter(Pending one, @Nullable Shape now) {
            Shape after = one.after();
            if (after == null) {
                assertThat(now)
                        .as("wholly there or not: deletion of %s", one.name())
                        .isNull();
                deleted.add(java.util.Objects.requireNonNull(one.before()).id());
                acknowledged.remove(one.name());
                return;
            }
            assertThat(now).as("wholly there or not: %s", one).isNotNull();
            Shape there = java.util.Objects.requireNonNull(now);
            TopicId id = one.before() == null ? there.id() : after.id();
            assertThat(there).isEqualTo(new Shape(id, after.partitions(), after.configs()));
            acknowledged.put(one.name(), there);
        }

        private void check() {
            acknowledgedNeverLost();
            deletedNeverReturns();
            logIdsAreNeverUsedTwice();
        }

        private void acknowledgedNeverLost() {
            acknowledged.forEach((name, shape) -> {
                if (pending.stream().noneMatch(one -> one.name().equals(name))) {
                    assertThat(Shape.of(topic(name)))
                            .as("acknowledgedNeverLost %s", name)
                            .isEqualTo(shape);
                }
            });
        }

        private void deletedNeverReturns() {
            for (TopicImage topic : requireImages().current().topics()) {
                assertThat(deleted).as("deletedNeverReturns").doesNotContain(topic.id());
            }
        }

        private void logIdsAreNeverUsedTwice() {
            for (TopicImage topic : requireImages().current().topics()) {
                for (PartitionImage partition : topic.partitions()) {
                    String owner = topic.id() + "-" + partition.partition();
                    String before = logIdOwners.putIfAbsent(partition.logId(), owner);
                    assertThat(before == null ? owner : before)
                            .as("logIdsAreNeverUsedTwice")
                            .isEqualTo(owner);
                }
            }
        }

        private @Nullable TopicImage topic(String name) {
            return requireImages().current().topic(name);
        }

        private ClusterImages requireImages() {
            return java.util.Objects.requireNonNull(images);
        }

        private TopicCatalogue requireCatalogue() {
            return java.util.Objects.requireNonNull(catalogue);
        }
    }
}
