package io.sluice.broker.fetch;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.jspecify.annotations.Nullable;

/**
 * What one client is interested in: kept between requests where it is in the cache, else for one request.
 *
 * <p>A partition is <i>marked</i> when its log moved and nobody has looked since; <i>ready</i> when it had something to tell
 * when somebody looked last, or has not been looked at since the client asked anew. A fetch looks at marked and ready
 * partitions only, so that a session of many costs nothing while they are quiet.
 *
 * <p>Threads: the stack of marked partitions and {@link #waiting} are for every thread; everything else needs the monitor.
 */
final class FetchSession {
    private static final int FIRST_EPOCH = 1;

    private final FetchConnections.Entry connection;
    private final boolean usesTopicIds;
    private final long createdNanos;
    private final Map<FetchPartition.Key, FetchPartition> partitions = new LinkedHashMap<>();
    private final AtomicReference<@Nullable FetchPartition> marked = new AtomicReference<>();
    private volatile @Nullable PendingFetch waiting;

    private @Nullable FetchPartition firstReady;
    private @Nullable FetchPartition lastReady;
    private @Nullable PendingFetch current;
    private boolean listening;
    private boolean closed;
    private int id;
    private int epoch = FIRST_EPOCH;

    // ---- the cache's
    private long lastUsedNanos;
    private int countedPartitions;

    /**
     * A session of nothing.
     *
     * @param connection with which it ends
     */
    FetchSession(FetchConnections.Entry connection, boolean usesTopicIds, long nowNanos) {
        this.connection = connection;
        this.usesTopicIds = usesTopicIds;
        createdNanos = nowNanos;
        lastUsedNanos = nowNanos;
    }

    // ---- Marking, on every thread

    void onMarked(FetchPartition partition) {
        FetchPartition top;
        do {
            top = marked.get();
            partition.nextMarked = top;
        } while (!marked.compareAndSet(top, partition));
        PendingFetch sleeper = waiting;
        if (sleeper != null) {
            sleeper.wake();
        }
    }

    /** Names the fetch to wake when a partition is marked; null for none. */
    void setWaiting(@Nullable PendingFetch fetch) {
        waiting = fetch;
    }

    boolean hasMarked() {
        return marked.get() != null;
    }

    // ---- Interest

    /** Adds and changes what the client wants, and takes out what it forgets. */
    void update(List<FetchRequestData.FetchTopic> topics, List<FetchRequestData.ForgottenTopic> forgotten) {
        for (FetchRequestData.FetchTopic topic : topics) {
            for (FetchRequestData.FetchPartition asked : topic.partitions()) {
                FetchPartition.Key key = key(topic.topic(), topic.topicId(), asked.partition());
                FetchPartition partition = partitions.computeIfAbsent(key, wanted -> new FetchPartition(this, wanted));
                partition.request(asked);
                addReady(partition);
            }
        }
        for (FetchRequestData.ForgottenTopic topic : forgotten) {
            for (int number : topic.partitions()) {
                remove(key(topic.topic(), topic.topicId(), number));
            }
        }
    }

    private FetchPartition.Key key(String topicName, Uuid topicId, int partition) {
        return usesTopicIds
                ? new FetchPartition.Key(null, topicId, partition)
                : new FetchPartition.Key(topicName, Uuid.ZERO_UUID, partition);
    }

    private void remove(FetchPartition.Key key) {
        FetchPartition partition = partitions.remove(key);
        if (partition != null) {
            partition.listenTo(null);
            removeReady(partition);
        }
    }

    Collection<FetchPartition> partitions() {
        return partitions.values();
    }

    boolean isEmpty() {
        return partitions.isEmpty();
    }

    int size() {
        return partitions.size();
    }

    // ---- Ready partitions, in the order in which they are served

    /** Moves all marked partitions to the ready ones. */
    void takeMarked() {
        FetchPartition partition = marked.getAndSet(null);
        while (partition != null) {
            FetchPartition next = partition.nextMarked;
            partition.unmark();
            if (partitions.get(partition.key()) == partition) {
                addReady(partition);
            }
            partition = next;
        }
    }

    @Nullable FetchPartition firstReady() {
        return firstReady;
    }

    void addReady(FetchPartition partition) {
        if (partition.ready) {
            return;
        }
        partition.ready = true;
        partition.previousReady = lastReady;
        partition.nextReady = null;
        if (lastReady == null) {
            firstReady = partition;
        } else {
            lastReady.nextReady = partition;
        }
        lastReady = partition;
    }

    void removeReady(FetchPartition partition) {
        if (!partition.ready) {
            return;
        }
        partition.ready = false;
        FetchPartition before = partition.previousReady;
        FetchPartition after = partition.nextReady;
        if (before == null) {
            firstReady = after;
        } else {
            before.nextReady = after;
        }
        if (after == null) {
            lastReady = before;
        } else {
            after.previousReady = before;
        }
        partition.previousReady = null;
        partition.nextReady = null;
    }

    /** Lets others go first next time. */
    void moveToEnd(FetchPartition partition) {
        removeReady(partition);
        addReady(partition);
    }

    // ---- Listening

    boolean isListening() {
        return listening;
    }

    /** From the next look on, partitions listen to their logs. */
    void startListening() {
        listening = true;
    }

    private void stopListening() {
        listening = false;
        partitions.values().forEach(partition -> partition.listenTo(null));
    }

    // ---- The fetch that uses it now

    @Nullable PendingFetch current() {
        return current;
    }

    void begin(PendingFetch fetch) {
        current = fetch;
    }

    /** The fetch has its answer; a session that was given up meanwhile ends now. */
    void end(PendingFetch fetch) {
        if (current == fetch) {
            current = null;
            waiting = null;
            if (closed || id == 0) {
                stopListening();
            }
        }
    }

    /** Gives it up: nobody will ask for it again. */
    synchronized void close() {
        closed = true;
        connection.remove(this);
        if (current == null) {
            stopListening();
        }
    }

    // ---- Identity

    boolean usesTopicIds() {
        return usesTopicIds;
    }

    /** Number under which the cache has it, 0 where it has not. */
    int id() {
        return id;
    }

    void setId(int number) {
        id = number;
    }

    int epoch() {
        return epoch;
    }

    void nextEpoch() {
        epoch = epoch == Integer.MAX_VALUE ? FIRST_EPOCH : epoch + 1;
    }

    long createdNanos() {
        return createdNanos;
    }

    long lastUsedNanos() {
        return lastUsedNanos;
    }

    void setLastUsedNanos(long nanos) {
        lastUsedNanos = nanos;
    }

    int countedPartitions() {
        return countedPartitions;
    }

    void setCountedPartitions(int count) {
        countedPartitions = count;
    }
}
