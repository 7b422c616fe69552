package io.sluice.cli.group;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A group as {@code group describe} shows it, whatever its type.
 *
 * @param assignor null where the group has had none yet
 * @param lag of all positions together
 */
@SuppressWarnings("checkstyle:ParameterNumber") // one field of the document each
record GroupDocument(
        String group,
        String type,
        String state,
        @Nullable String assignor,
        int coordinator,
        long lag,
        List<Member> members,
        List<Position> positions) {
    /**
     * One member.
     *
     * @param partitions what it reads
     */
    record Member(String memberId, @Nullable String instanceId, String clientId, String host, List<String> partitions) {
        /**
         * A member that reads partitions.
         *
         * @param host Kafka puts an empty name and a slash before the address
         */
        static Member of(
                String memberId,
                @Nullable String instanceId,
                String clientId,
                String host,
                Set<TopicPartition> partitions) {
            return new Member(
                    memberId,
                    instanceId,
                    clientId,
                    host.startsWith("/") ? host.substring(1) : host,
                    partitions.stream().map(TopicPartition::toString).sorted().toList());
        }
    }

    /** How far the group is in one partition, and who reads it. */
    @SuppressWarnings("checkstyle:ParameterNumber") // one field of the document each
    record Position(
            String topic,
            int partition,
            @Nullable Long committedOffset,
            @Nullable Long endOffset,
            @Nullable Long lag,
            @Nullable String memberId,
            @Nullable String clientId,
            @Nullable String host) {
        private static Position of(
                TopicPartition id,
                @Nullable OffsetAndMetadata committed,
                @Nullable Long end,
                @Nullable Long lag,
                @Nullable Member owner) {
            Long offset = committed == null ? null : committed.offset();
            Long behind = offset == null || end == null ? null : Long.valueOf(Math.max(0, end - offset));
            return new Position(
                    id.topic(),
                    id.partition(),
                    offset,
                    end,
                    lag == null ? behind : lag,
                    owner == null ? null : owner.memberId(),
                    owner == null ? null : owner.clientId(),
                    owner == null ? null : owner.host());
        }
    }

    /** What is known of the group itself. */
    record Head(
            String group,
            String type,
            String state,
            @Nullable String assignor,
            int coordinator) {}

    /** The partitions that the group has committed or that a member reads. */
    static Set<TopicPartition> partitions(
            Map<TopicPartition, OffsetAndMetadata> committed, Map<TopicPartition, Member> owners) {
        Set<TopicPartition> partitions = new HashSet<>(committed.keySet());
        partitions.addAll(owners.keySet());
        return partitions;
    }

    /**
     * All of it.
     *
     * @param owners who reads what
     * @param ends where the logs end
     * @param lags as the coordinator counts them; of others the lag is what lies between
     */
    static GroupDocument of(
            Head head,
            List<Member> members,
            Map<TopicPartition, Member> owners,
            Map<TopicPartition, OffsetAndMetadata> committed,
            Map<TopicPartition, Long> ends,
            Map<TopicPartition, Long> lags) {
        List<Position> positions = partitions(committed, owners).stream()
                .map(id -> Position.of(id, committed.get(id), ends.get(id), lags.get(id), owners.get(id)))
                .sorted(Comparator.comparing(Position::topic).thenComparing(Position::partition))
                .toList();
        long lag = positions.stream()
                .mapToLong(position -> position.lag() == null ? 0 : position.lag())
                .sum();
        return new GroupDocument(
                head.group(), head.type(), head.state(), head.assignor(), head.coordinator(), lag, members, positions);
    }
}
