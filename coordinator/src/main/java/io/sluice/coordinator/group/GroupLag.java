package io.sluice.coordinator.group;

import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.Clock;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/**
 * Shows how far groups are behind: one series for each partition a group has committed, at most {@link #MAX_SERIES}.
 *
 * <p>Nobody pays who does not look: a scrape asks the coordinator for the committed offsets, one group at a time, unless it
 * did so in the last {@link #MIN_INTERVAL_NANOS}; the answers show at the next scrape. The visible offset is read at the
 * scrape itself. So a series is right to within one scrape, and too high rather than too low.
 *
 * <p>Safe on every thread; the work is done on the coordinator's.
 */
public final class GroupLag {
    static final int MAX_SERIES = 10_000;
    static final long MIN_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final GroupCall CALL = new GroupCall(
            ApiKeys.OFFSET_FETCH.id,
            ApiKeys.OFFSET_FETCH.latestVersion(),
            0,
            "lag",
            InetAddress.getLoopbackAddress(),
            "");

    private final GroupPort groups;
    private final ClusterImageSource images;
    private final PartitionLogStore logs;
    private final Clock clock;
    private final Metrics metrics;
    private final int maxSeries;
    private final AtomicBoolean asking = new AtomicBoolean();
    private final Map<Key, Series> shown = new HashMap<>();
    private volatile long askedNanos;
    private volatile long hidden;

    private record Key(String group, String topic, int partition) {
        String[] labels() {
            return new String[] {group, topic, Integer.toString(partition)};
        }
    }

    private static final class Series {
        private volatile long committed;
    }

    private GroupLag(
            GroupPort groups,
            ClusterImageSource images,
            PartitionLogStore logs,
            Clock clock,
            Metrics metrics,
            int maxSeries) {
        this.groups = groups;
        this.images = images;
        this.logs = logs;
        this.clock = clock;
        this.metrics = metrics;
        this.maxSeries = maxSeries;
        this.askedNanos = clock.nanoTime() - MIN_INTERVAL_NANOS;
    }

    /** Shows lag from the second scrape on. */
    public static void register(
            GroupPort groups, ClusterImageSource images, PartitionLogStore logs, Clock clock, Metrics metrics) {
        register(groups, images, logs, clock, metrics, MAX_SERIES);
    }

    /** The same with another bound. */
    static void register(
            GroupPort groups,
            ClusterImageSource images,
            PartitionLogStore logs,
            Clock clock,
            Metrics metrics,
            int maxSeries) {
        GroupLag lag = new GroupLag(groups, images, logs, clock, metrics, maxSeries);
        metrics.gauge(Metric.GROUP_LAG_HIDDEN_PARTITIONS, lag::onScrape);
    }

    private double onScrape() {
        if (clock.nanoTime() - askedNanos >= MIN_INTERVAL_NANOS && asking.compareAndSet(false, true)) {
            askedNanos = clock.nanoTime();
            CompletionStage<?> unused = groups.listGroups(CALL, new ListGroupsRequestData())
                    .whenComplete((listed, failure) -> onListed(listed));
        }
        return hidden;
    }

    private void onListed(@Nullable ListGroupsResponseData listed) {
        Round round = new Round();
        if (listed == null || listed.errorCode() != 0) {
            asking.set(false);
            return;
        }
        listed.groups().forEach(group -> round.waiting.add(group.groupId()));
        round.next();
    }

    /** One walk over all groups. Its steps follow one another, on whatever thread answers. */
    private final class Round {
        private final Queue<String> waiting = new ArrayDeque<>();
        private final Map<Key, Long> committed = new HashMap<>();
        private long left;

        private void next() {
            String group = waiting.poll();
            if (group == null) {
                show(committed, left);
                asking.set(false);
                return;
            }
            CompletionStage<?> unused = groups.fetchOffsets(
                            CALL,
                            new OffsetFetchRequestGroup().setGroupId(group).setTopics(null),
                            false)
                    .whenComplete((answer, failure) -> onFetched(answer));
        }

        private void onFetched(@Nullable OffsetFetchResponseGroup answer) {
            if (answer == null) {
                // The coordinator has stopped or moved: what is shown stays until the next scrape.
                asking.set(false);
                return;
            }
            for (OffsetFetchResponseTopics topic : answer.topics()) {
                for (OffsetFetchResponsePartitions partition : topic.partitions()) {
                    add(new Key(answer.groupId(), topic.name(), partition.partitionIndex()), partition);
                }
            }
            next();
        }

        private void add(Key key, OffsetFetchResponsePartitions partition) {
            if (partition.committedOffset() < 0) {
                return;
            }
            if (committed.size() < maxSeries) {
                committed.put(key, partition.committedOffset());
            } else {
                left++;
            }
        }
    }

    private synchronized void show(Map<Key, Long> committed, long left) {
        hidden = left;
        shown.keySet().removeIf(key -> {
            boolean gone = !committed.containsKey(key);
            if (gone) {
                metrics.remove(Metric.GROUP_LAG_RECORDS, key.labels());
            }
            return gone;
        });
        committed.forEach((key, offset) -> {
            Series series = shown.computeIfAbsent(key, this::addSeries);
            series.committed = offset;
        });
    }

    private Series addSeries(Key key) {
        Series series = new Series();
        metrics.gauge(Metric.GROUP_LAG_RECORDS, () -> lag(key, series.committed), key.labels());
        return series;
    }

    /** Not a number where the partition is not served here. */
    private double lag(Key key, long committed) {
        TopicImage topic = images.current().topic(key.topic());
        PartitionLog log = topic != null && topic.hasPartition(key.partition())
                ? logs.find(topic.partitionId(key.partition()))
                : null;
        return log == null ? Double.NaN : Math.max(0, log.visibleOffset() - committed);
    }
}
