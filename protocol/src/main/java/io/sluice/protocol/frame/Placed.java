package io.sluice.protocol.frame;

import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.utils.internals.ImplicitLinkedHashCollection;

/**
 * Elements of answers that Kafka's classes keep in hash tables, with a place of their own for a hash: the names in them are
 * the client's, who could choose them so that the tables become slow (see {@link HashSteps}), and nobody looks for one of them
 * by its name. Not safe for use by several threads.
 */
public final class Placed {
    private Placed() {}

    /** An element that is told its place. */
    private interface Element {
        void toPlace(int index);
    }

    /** No two are the same or next to each other, in a table of more than twice as many slots as it has elements. */
    static int hash(int place) {
        return 2 * place;
    }

    /**
     * Adds one to a table that has only such elements.
     *
     * @param element of one of the classes here
     * @throws ClassCastException if it is not
     */
    public static <E extends ImplicitLinkedHashCollection.Element> void add(
            ImplicitLinkedHashCollection<E> table, E element) {
        ((Element) element).toPlace(table.size());
        table.add(element);
    }

    /** What became of a topic's batches. */
    public static final class ProducedTopic extends TopicProduceResponse implements Element {
        private int place;

        @Override
        public void toPlace(int index) {
            place = index;
        }

        @Override
        public int hashCode() {
            return hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    /** A topic and who serves it. */
    public static final class TopicMetadata extends MetadataResponseTopic implements Element {
        private int place;

        @Override
        public void toPlace(int index) {
            place = index;
        }

        @Override
        public int hashCode() {
            return hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    /** A topic and some of its partitions. */
    public static final class TopicDescription extends DescribeTopicPartitionsResponseTopic implements Element {
        private int place;

        @Override
        public void toPlace(int index) {
            place = index;
        }

        @Override
        public int hashCode() {
            return hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    /** A topic that was created, or not. */
    public static final class CreatedTopic extends CreatableTopicResult implements Element {
        private int place;

        @Override
        public void toPlace(int index) {
            place = index;
        }

        @Override
        public int hashCode() {
            return hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    /** A topic that was deleted, or not. */
    public static final class DeletedTopic extends DeletableTopicResult implements Element {
        private int place;

        @Override
        public void toPlace(int index) {
            place = index;
        }

        @Override
        public int hashCode() {
            return hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    /** A topic whose records were deleted. */
    public static final class TrimmedTopic extends DeleteRecordsTopicResult implements Element {
        private int place;

        @Override
        public void toPlace(int index) {
            place = index;
        }

        @Override
        public int hashCode() {
            return hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    /** A partition whose records were deleted. */
    public static final class TrimmedPartition extends DeleteRecordsPartitionResult implements Element {
        private int place;

        @Override
        public void toPlace(int index) {
            place = index;
        }

        @Override
        public int hashCode() {
            return hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    /** Where a topic's epochs end. */
    public static final class TopicEpochEnds extends OffsetForLeaderTopicResult implements Element {
        private int place;

        @Override
        public void toPlace(int index) {
            place = index;
        }

        @Override
        public int hashCode() {
            return hash(place);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }
}
