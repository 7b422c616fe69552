package io.sluice.broker.fetch;

import io.netty.buffer.ByteBuf;
import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.storage.log.LogSlice;
import io.sluice.storage.log.ReadResult;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gathers what one Fetch answer tells, partition by partition, and encodes it around the records, which stay where they
 * are: in memory or in files.
 *
 * <p>The encoding is written here instead of through Kafka's generated classes, because every consumer pays for it at every
 * poll and those make a dozen objects for each partition. A test holds every version of it, byte for byte, to what they
 * write.
 */
final class FetchAnswers {
    static final long NO_OFFSET = -1;

    private final FetchContext context;
    private final int sessionId;
    private final List<FetchPartition> told;

    /**
     * An answer that tells nothing yet.
     *
     * @param sessionId 0 for none
     * @param expected how many partitions it will tell of, about
     */
    FetchAnswers(FetchContext context, int sessionId, int expected) {
        this.context = context;
        this.sessionId = sessionId;
        told = new ArrayList<>(expected);
    }

    /** Tells of a partition; its records are taken at {@link #encode}. */
    void add(FetchPartition partition) {
        told.add(partition);
        int bytes = partition.answer.recordBytes();
        var topic = partition.topic();
        if (topic != null && bytes > 0) {
            topic.series().bytesOut().add(bytes);
            topic.series().recordsOut().add(partition.answer.recordCount());
        }
    }

    /**
     * The answer as parts to send; every part, and with them the records, are the caller's to release.
     *
     * @param buffers gives memory of a size
     * @throws MemoryExhaustedException when there is none; the records have been released
     */
    List<Object> encode(IntFunction<ByteBuf> buffers) {
        FetchEncoder encoder = new FetchEncoder(context.version(), buffer(buffers), 2 * told.size() + 1);
        encoder.begin(sessionId);
        encoder.writeCount(topicCount());
        for (int i = 0; i < told.size(); i = writeTopic(encoder, i)) {
            // All in the loop's step: a topic's partitions are written together.
        }
        return encoder.finish();
    }

    private ByteBuf buffer(IntFunction<ByteBuf> buffers) {
        int bytes = FetchEncoder.FRAME_BYTES;
        for (int i = 0; i < told.size(); i++) {
            bytes += FetchEncoder.maxBytes(told.get(i));
        }
        try {
            return buffers.apply(bytes);
        } catch (MemoryExhaustedException e) {
            told.forEach(partition -> partition.answer.dropRecords());
            throw e;
        }
    }

    private int topicCount() {
        int count = 0;
        for (int i = 0; i < told.size(); i++) {
            if (i == 0 || !isSameTopic(i - 1, i)) {
                count++;
            }
        }
        return count;
    }

    /** Partitions of one topic that follow each other share an entry. */
    private boolean isSameTopic(int one, int other) {
        FetchPartition.Key first = told.get(one).key();
        FetchPartition.Key second = told.get(other).key();
        return first.topicName() == null
                ? first.topicId().equals(second.topicId())
                : first.topicName().equals(second.topicName());
    }

    /** Writes the topic that begins at an index; returns where the next begins. */
    private int writeTopic(FetchEncoder encoder, int from) {
        int to = from + 1;
        while (to < told.size() && isSameTopic(from, to)) {
            to++;
        }
        encoder.beginTopic(told.get(from).key(), to - from);
        for (int i = from; i < to; i++) {
            writePartition(encoder, told.get(i));
        }
        encoder.endTopic();
        return to;
    }

    private void writePartition(FetchEncoder encoder, FetchPartition partition) {
        PartitionAnswer answer = partition.answer;
        encoder.beginPartition(partition.key().partition(), context.translate(answer.error()), answer);
        encoder.writeAborted(abortedOf(answer));
        LogSlice slice = answer.takeRecords();
        encoder.writeRecords(slice);
        encoder.endPartition(answer);
    }

    /**
     * Like Kafka: no list where the client reads uncommitted data or a log said no, an empty one where the metadata knew of
     * no log to ask.
     */
    private @Nullable List<ReadResult.AbortedTransaction> abortedOf(PartitionAnswer answer) {
        return switch (answer.error()) {
            case NONE -> context.readCommitted() ? answer.abortedTransactions() : null;
            case UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, UNSUPPORTED_COMPRESSION_TYPE ->
                context.isWoken() ? null : List.of();
            default -> null;
        };
    }
}
