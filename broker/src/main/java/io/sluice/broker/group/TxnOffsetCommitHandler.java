package io.sluice.broker.group;

import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.coordinator.group.GroupPort;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.TxnOffsetCommitRequest;
import org.apache.kafka.common.requests.TxnOffsetCommitResponse;

/**
 * TxnOffsetCommit: offsets that count once their transaction is committed (KIP-98, KIP-447). Topics and partitions that do not
 * exist are answered here, the rest is the coordinator's.
 */
final class TxnOffsetCommitHandler implements ApiHandler<TxnOffsetCommitRequest> {
    private final GroupPort groups;
    private final ClusterImageSource images;

    TxnOffsetCommitHandler(GroupPort groups, ClusterImageSource images) {
        this.groups = groups;
        this.images = images;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.TXN_OFFSET_COMMIT;
    }

    @Override
    public void handle(Call<TxnOffsetCommitRequest> call) {
        TxnOffsetCommitRequestData request = call.request().data();
        boolean byId = TxnOffsetCommitResponse.useTopicIds(call.header().apiVersion());
        TxnOffsetCommitResponse.Builder response = TxnOffsetCommitResponse.newBuilder(byId);
        TopicNames names = new TopicNames(images.current(), byId);
        List<TxnOffsetCommitRequestTopic> existing = new ArrayList<>();
        for (TxnOffsetCommitRequestTopic topic : request.topics()) {
            addExisting(existing, topic, names, response);
        }
        if (existing.isEmpty()) {
            call.respond(response.build());
            return;
        }
        TxnOffsetCommitRequestData known = new TxnOffsetCommitRequestData()
                .setTransactionalId(request.transactionalId())
                .setGroupId(request.groupId())
                .setProducerId(request.producerId())
                .setProducerEpoch(request.producerEpoch())
                .setGenerationIdOrMemberEpoch(request.generationIdOrMemberEpoch())
                .setMemberId(request.memberId())
                .setGroupInstanceId(request.groupInstanceId())
                .setTopics(existing);
        GroupCalls.answer(
                call,
                groups.commitTransactionalOffsets(GroupCalls.caller(call), known),
                data -> response.merge(data).build());
    }

    private static void addExisting(
            List<TxnOffsetCommitRequestTopic> existing,
            TxnOffsetCommitRequestTopic topic,
            TopicNames names,
            TxnOffsetCommitResponse.Builder response) {
        TopicImage image = names.find(topic.name(), topic.topicId());
        if (image == null) {
            response.addPartitions(
                    topic.topicId(),
                    topic.name(),
                    topic.partitions(),
                    TxnOffsetCommitRequestPartition::partitionIndex,
                    names.byId() ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION);
            return;
        }
        TxnOffsetCommitRequestTopic known = new TxnOffsetCommitRequestTopic()
                .setTopicId(KafkaIds.toUuid(image.id()))
                .setName(image.name());
        for (TxnOffsetCommitRequestPartition partition : topic.partitions()) {
            if (image.hasPartition(partition.partitionIndex())) {
                known.partitions().add(partition);
            } else {
                response.addPartition(
                        known.topicId(), known.name(), partition.partitionIndex(), Errors.UNKNOWN_TOPIC_OR_PARTITION);
            }
        }
        if (!known.partitions().isEmpty()) {
            existing.add(known);
        }
    }
}
