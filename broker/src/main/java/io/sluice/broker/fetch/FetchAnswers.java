package io.sluice.broker.fetch;

import io.netty.buffer.ByteBuf;
import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.storage.log.EpochEndOffset;
import io.sluice.storage.log.LogSlice;
import io.sluice.storage.log.ReadResult;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/** Builds one Fetch answer, partition by partition, and encodes it around the records. */
final class FetchAnswers {
    static final long NO_OFFSET = -1;

    private final FetchContext context;
    private final FetchResponseData response;
    private final List<LogSlice> slices = new ArrayList<>();

    FetchAnswers(FetchContext context, int sessionId) {
        this.context = context;
        response = new FetchResponseData().setSessionId(sessionId);
    }

    /** Adds what is to be told of a partition; takes over its records. */
    void add(FetchPartition partition) {
        PartitionAnswer answer = partition.answer;
        PartitionData data = new PartitionData()
                .setPartitionIndex(partition.key().partition())
                .setErrorCode(context.translate(answer.error()).code())
                .setHighWatermark(answer.visibleOffset())
                .setLastStableOffset(answer.lastStableOffset())
                .setLogStartOffset(answer.logStartOffset())
                .setAbortedTransactions(abortedTransactions(answer))
                .setRecords(MemoryRecords.EMPTY);
        LogSlice slice = answer.takeRecords();
        if (slice != null) {
            slices.add(slice);
            data.setRecords(new SlicedRecords(slice));
            count(partition, slice.sizeInBytes());
        }
        if (answer.leaderId() >= 0) {
            data.currentLeader().setLeaderId(answer.leaderId()).setLeaderEpoch(answer.leaderEpoch());
        }
        EpochEndOffset diverging = answer.divergingEpoch();
        if (diverging != null) {
            data.divergingEpoch().setEpoch(diverging.leaderEpoch()).setEndOffset(diverging.endOffset());
        }
        topicOf(partition).partitions().add(data);
    }

    private static void count(FetchPartition partition, int bytes) {
        var topic = partition.topic();
        if (topic != null) {
            topic.series().bytesOut().add(bytes);
        }
    }

    /** Like Kafka: null where the client reads uncommitted data or the partition failed. */
    private @Nullable List<FetchResponseData.AbortedTransaction> abortedTransactions(PartitionAnswer answer) {
        if (!context.readCommitted() || answer.error() != Errors.NONE) {
            return null;
        }
        List<FetchResponseData.AbortedTransaction> aborted =
                new ArrayList<>(answer.abortedTransactions().size());
        for (ReadResult.AbortedTransaction transaction : answer.abortedTransactions()) {
            aborted.add(new FetchResponseData.AbortedTransaction()
                    .setProducerId(transaction.producerId())
                    .setFirstOffset(transaction.firstOffset()));
        }
        return aborted;
    }

    /** Partitions of one topic that follow each other share an entry. */
    private FetchableTopicResponse topicOf(FetchPartition partition) {
        FetchPartition.Key key = partition.key();
        String name = key.topicName() == null ? "" : key.topicName();
        List<FetchableTopicResponse> topics = response.responses();
        FetchableTopicResponse last = topics.isEmpty() ? null : topics.get(topics.size() - 1);
        if (last == null || !last.topic().equals(name) || !last.topicId().equals(key.topicId())) {
            last = new FetchableTopicResponse().setTopic(name).setTopicId(key.topicId());
            topics.add(last);
        }
        return last;
    }

    /**
     * The answer as parts to send; every part, and with them the records, are the caller's to release.
     *
     * @param buffers gives memory of a size
     * @throws MemoryExhaustedException when there is none; the records have been released
     */
    List<Object> encode(IntFunction<ByteBuf> buffers) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        MessageSizeAccumulator size = new MessageSizeAccumulator();
        response.addSize(size, cache, context.version());
        SplitWritable out = new SplitWritable(buffer(buffers, size.sizeExcludingZeroCopy()));
        response.write(out, cache, context.version());
        return out.finish();
    }

    private ByteBuf buffer(IntFunction<ByteBuf> buffers, int bytes) {
        try {
            return buffers.apply(bytes);
        } catch (MemoryExhaustedException e) {
            slices.forEach(LogSlice::release);
            throw e;
        }
    }
}
