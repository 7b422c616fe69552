package io.sluice.broker.fetch;

import io.sluice.base.id.PartitionId;
import io.sluice.broker.serving.ServedTopic;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.VisibilityListener;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Comparator;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * One partition that a client is interested in. Hears from the log that something moved and marks itself in its session, at
 * most once until the session has looked; everything else belongs to whoever holds the session's monitor.
 */
final class FetchPartition implements VisibilityListener {
    private static final VarHandle MARKED;

    static {
        try {
            MARKED = MethodHandles.lookup().findVarHandle(FetchPartition.class, "marked", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What a look at the partition found. */
    enum Finding {
        /** Nothing that the client does not know. */
        QUIET,
        /** The visible offset or the log's start moved, but there is nothing to read. */
        MOVED,
        /** There is something to read. */
        DATA,
        /** An error to tell. */
        ERROR
    }

    /**
     * How clients name a partition: by the topic's name, or by its id from version 13 on. In an order, so that a hash map stays
     * fast whatever ids a client makes up.
     */
    record Key(@Nullable String topicName, Uuid topicId, int partition) implements Comparable<Key> {
        private static final Comparator<Key> ORDER = Comparator.comparing(
                        Key::topicName, Comparator.nullsFirst(Comparator.<String>naturalOrder()))
                .thenComparing(Key::topicId)
                .thenComparingInt(Key::partition);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    private final FetchSession session;
    private final Key key;

    @SuppressWarnings("unused") // through MARKED
    private volatile boolean marked;

    /** Next in the session's stack of marked partitions. */
    @Nullable FetchPartition nextMarked;

    /** Neighbours in the session's list of ready partitions. */
    @Nullable FetchPartition previousReady;

    @Nullable FetchPartition nextReady;

    boolean ready;

    // ---- What the client asked for
    long fetchOffset;
    int maxBytes;
    private int currentLeaderEpoch;
    private int lastFetchedEpoch;

    // ---- What the client was told last
    private long toldVisibleOffset = FetchAnswers.NO_OFFSET;
    private long toldLogStartOffset = FetchAnswers.NO_OFFSET;

    // ---- Where it is served
    private @Nullable ServedTopic topic;
    private boolean topicSeen;
    private @Nullable PartitionId id;
    private @Nullable PartitionLog log;
    private @Nullable PartitionLog listenedTo;
    private long seenSizeBytes = -1;

    /** What is to be told now. */
    final PartitionAnswer answer = new PartitionAnswer();

    FetchPartition(FetchSession session, Key key) {
        this.session = session;
        this.key = key;
    }

    Key key() {
        return key;
    }

    void request(FetchRequestData.FetchPartition asked) {
        fetchOffset = asked.fetchOffset();
        maxBytes = asked.partitionMaxBytes();
        currentLeaderEpoch = asked.currentLeaderEpoch();
        lastFetchedEpoch = asked.lastFetchedEpoch();
    }

    // ---- Hearing from the log, on any thread

    @Override
    public void onVisible(PartitionLog moved) {
        mark();
    }

    @Override
    public void onStateChange(PartitionLog changed) {
        mark();
    }

    private void mark() {
        if (MARKED.compareAndSet(this, false, true)) {
            session.onMarked(this);
        }
    }

    /** From here on it marks itself again. */
    void unmark() {
        nextMarked = null;
        marked = false;
    }

    // ---- Looking, with the session's monitor

    /** Looks at the partition: sets the answer but for the records. */
    Finding look(FetchContext context) {
        answer.reset();
        Errors error = resolve(context);
        if (session.isListening()) {
            listenTo(log);
        }
        if (error == Errors.NONE && log != null) {
            error = check(context, log);
        }
        if (error != Errors.NONE || log == null) {
            answer.fail(error);
            context.setLeader(answer, id);
            // When the error goes away, the client must hear of the partition again.
            toldVisibleOffset = FetchAnswers.NO_OFFSET;
            return Finding.ERROR;
        }
        return answer.hasDivergingEpoch() ? Finding.ERROR : compare(context, log);
    }

    private Errors resolve(FetchContext context) {
        topic = context.findTopic(key);
        id = topic == null ? null : topic.partition(key.partition());
        log = id == null ? null : context.findLog(id);
        if (context.isFromReplica()) {
            return Errors.NOT_LEADER_OR_FOLLOWER;
        }
        if (topic == null) {
            return unknownTopic();
        }
        topicSeen = true;
        if (id == null) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        if (log == null) {
            return Errors.NOT_LEADER_OR_FOLLOWER;
        }
        return errorOf(log.state());
    }

    Errors errorOf(LogState state) {
        return switch (state) {
            case SERVING, FROZEN, SEALED, FAILED -> Errors.NONE;
            case RECOVERING -> Errors.NOT_LEADER_OR_FOLLOWER;
            case DELETED -> unknownTopic();
        };
    }

    /** Like Kafka, says "unknown id" only of an id that the fetch session has never known. */
    private Errors unknownTopic() {
        return key.topicName() == null && !topicSeen ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }

    private Errors check(FetchContext context, PartitionLog found) {
        if (currentLeaderEpoch >= 0 && currentLeaderEpoch != found.leaderEpoch()) {
            return currentLeaderEpoch > found.leaderEpoch() ? Errors.UNKNOWN_LEADER_EPOCH : Errors.FENCED_LEADER_EPOCH;
        }
        if (topic != null
                && context.hidesZstd()
                && topic.config().compressionType().equals("zstd")) {
            return Errors.UNSUPPORTED_COMPRESSION_TYPE;
        }
        if (lastFetchedEpoch >= 0) {
            Errors diverged =
                    answer.compareEpoch(found.endOffsetForEpoch(lastFetchedEpoch), lastFetchedEpoch, fetchOffset);
            if (diverged != Errors.NONE) {
                return diverged;
            }
        }
        return fetchOffset < found.logStartOffset() || fetchOffset > found.endOffset()
                ? Errors.OFFSET_OUT_OF_RANGE
                : Errors.NONE;
    }

    private Finding compare(FetchContext context, PartitionLog found) {
        long limit = context.readCommitted() ? found.lastStableOffset() : found.visibleOffset();
        answer.setOffsets(found.visibleOffset(), found.lastStableOffset(), found.logStartOffset());
        if (fetchOffset < limit) {
            return Finding.DATA;
        }
        return answer.visibleOffset() != toldVisibleOffset || answer.logStartOffset() != toldLogStartOffset
                ? Finding.MOVED
                : Finding.QUIET;
    }

    /**
     * Bytes by which the log grew since the last call; an estimate, for deciding when to read again. Where it is not known,
     * because the log was not looked at or has been cut since, all of it: too much costs one read, too little the wait.
     */
    long grownBytes() {
        if (log == null) {
            return 0;
        }
        long size = log.sizeInBytes();
        long grown = seenSizeBytes < 0 || size < seenSizeBytes ? size : size - seenSizeBytes;
        seenSizeBytes = size;
        return grown;
    }

    /** Most bytes that reading it can yield. */
    long readableBytes() {
        return log == null ? 0 : Math.min(maxBytes, log.sizeInBytes());
    }

    /** Notes that the answer was given. */
    void told() {
        if (answer.error() == Errors.NONE) {
            toldVisibleOffset = answer.visibleOffset();
            toldLogStartOffset = answer.logStartOffset();
        }
    }

    /** Whether an incremental answer must name it. */
    boolean isNews() {
        return answer.error() != Errors.NONE
                || answer.hasDivergingEpoch()
                || answer.recordBytes() > 0
                || answer.visibleOffset() != toldVisibleOffset
                || answer.logStartOffset() != toldLogStartOffset;
    }

    /** The log found by the last {@link #look}. */
    @Nullable PartitionLog log() {
        return log;
    }

    /** The topic found by the last {@link #look}. */
    @Nullable ServedTopic topic() {
        return topic;
    }

    void listenTo(@Nullable PartitionLog wanted) {
        if (listenedTo == wanted) {
            return;
        }
        if (listenedTo != null) {
            listenedTo.removeVisibilityListener(this);
        }
        listenedTo = wanted;
        if (wanted != null) {
            wanted.addVisibilityListener(this);
        }
    }
}
