package io.sluice.protocol.frame;

import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopic;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Readable;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AlterConfigsRequest;
import org.apache.kafka.common.requests.CreatePartitionsRequest;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.DescribeLogDirsRequest;
import org.apache.kafka.common.requests.IncrementalAlterConfigsRequest;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochRequest;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.utils.internals.ImplicitLinkedHashCollection;

/**
 * Reads requests whose list of topics or resources would make Kafka's hash table slow: the rest of the body first, as if the
 * list were empty, then its elements one by one, each with a place of its own for a hash, so that the time goes with their
 * number whatever they are called. The names of some thousand honest topics can be unlucky, too: numbers in a row, in a table
 * whose slots are nearly a multiple of 31. The elements are in the request as ever, in their order; only {@code find} does
 * not find them. Stateless.
 */
final class ApartLists {
    private ApartLists() {}

    /** Whether requests of this API can be read so. */
    static boolean areOf(ApiKeys api) {
        return switch (api) {
            case PRODUCE,
                    CREATE_TOPICS,
                    CREATE_PARTITIONS,
                    ALTER_CONFIGS,
                    INCREMENTAL_ALTER_CONFIGS,
                    OFFSET_FOR_LEADER_EPOCH,
                    DESCRIBE_LOG_DIRS -> true;
            default -> false;
        };
    }

    /** The bytes of the body that are not the list, from the frame's position on. */
    static int bytesWithout(ByteBuffer frame, RequestShape.Extent list) {
        return list.start() - frame.position() + frame.limit() - list.end();
    }

    /** The body without its list, from the frame's position on: a copy of {@link #bytesWithout} and a number. */
    static ByteBuffer without(ByteBuffer frame, RequestShape.Extent list) {
        int before = list.start() - frame.position();
        int behind = frame.limit() - list.end();
        ByteBuffer body = ByteBuffer.allocate(before + Integer.BYTES + behind);
        body.put(frame.slice(frame.position(), before));
        if (list.compact()) {
            body.put((byte) 1);
        } else {
            body.putInt(0);
        }
        return body.put(frame.slice(list.end(), behind)).flip();
    }

    /**
     * Reads the elements of the list into a request that was read without them.
     *
     * @param in from the first element on
     */
    static void add(AbstractRequest request, Readable in, int count) {
        short version = request.version();
        switch (request.apiKey()) {
            case PRODUCE ->
                fill(((ProduceRequest) request).data().topicData(), count, i -> new Produced(in, version, i));
            case CREATE_TOPICS ->
                fill(((CreateTopicsRequest) request).data().topics(), count, i -> new Created(in, version, i));
            case CREATE_PARTITIONS ->
                fill(((CreatePartitionsRequest) request).data().topics(), count, i -> new Grown(in, version, i));
            case ALTER_CONFIGS ->
                fill(((AlterConfigsRequest) request).data().resources(), count, i -> new Altered(in, version, i));
            case INCREMENTAL_ALTER_CONFIGS ->
                fill(
                        ((IncrementalAlterConfigsRequest) request).data().resources(),
                        count,
                        i -> new Changed(in, version, i));
            case OFFSET_FOR_LEADER_EPOCH ->
                fill(((OffsetsForLeaderEpochRequest) request).data().topics(), count, i -> new Asked(in, version, i));
            case DESCRIBE_LOG_DIRS ->
                fill(((DescribeLogDirsRequest) request).data().topics(), count, i -> new Described(in, version, i));
            default -> throw new IllegalArgumentException(request.apiKey() + " cannot be read apart");
        }
    }

    private static <E extends ImplicitLinkedHashCollection.Element> void fill(
            ImplicitLinkedHashCollection<E> table, int count, IntFunction<E> element) {
        for (int i = 0; i < count; i++) {
            table.add(element.apply(i));
        }
    }

    private static final class Produced extends TopicProduceData {
        private final int place;

        Produced(Readable in, short version, int place) {
            super(in, version);
            this.place = place;
        }

        @Override
        public int hashCode() {
            return Placed.hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    private static final class Created extends CreatableTopic {
        private final int place;

        Created(Readable in, short version, int place) {
            super(in, version);
            this.place = place;
        }

        @Override
        public int hashCode() {
            return Placed.hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    private static final class Grown extends CreatePartitionsTopic {
        private final int place;

        Grown(Readable in, short version, int place) {
            super(in, version);
            this.place = place;
        }

        @Override
        public int hashCode() {
            return Placed.hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    private static final class Altered extends AlterConfigsRequestData.AlterConfigsResource {
        private final int place;

        Altered(Readable in, short version, int place) {
            super(in, version);
            this.place = place;
        }

        @Override
        public int hashCode() {
            return Placed.hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    private static final class Changed extends IncrementalAlterConfigsRequestData.AlterConfigsResource {
        private final int place;

        Changed(Readable in, short version, int place) {
            super(in, version);
            this.place = place;
        }

        @Override
        public int hashCode() {
            return Placed.hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    private static final class Asked extends OffsetForLeaderTopic {
        private final int place;

        Asked(Readable in, short version, int place) {
            super(in, version);
            this.place = place;
        }

        @Override
        public int hashCode() {
            return Placed.hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    private static final class Described extends DescribableLogDirTopic {
        private final int place;

        Described(Readable in, short version, int place) {
            super(in, version);
            this.place = place;
        }

        @Override
        public int hashCode() {
            return Placed.hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }
}
