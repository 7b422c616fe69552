package io.sluice.broker.group;

import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.coordinator.group.GroupCall;
import io.sluice.coordinator.group.GroupPort;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.OffsetFetchRequest;
import org.apache.kafka.common.requests.OffsetFetchResponse;

/**
 * OffsetFetch: one group up to version 7, several since; topics by id since version 10 (KIP-848). A group without a list
 * of topics asks for everything it has committed.
 */
final class OffsetFetchHandler implements ApiHandler<OffsetFetchRequest> {
    private final GroupPort groups;
    private final ClusterImageSource images;

    OffsetFetchHandler(GroupPort groups, ClusterImageSource images) {
        this.groups = groups;
        this.images = images;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.OFFSET_FETCH;
    }

    @Override
    public void handle(Call<OffsetFetchRequest> call) {
        GroupCall caller = GroupCalls.caller(call);
        boolean stable = call.request().requireStable();
        TopicNames names = new TopicNames(
                images.current(), OffsetFetchRequest.useTopicIds(call.header().apiVersion()));
        List<CompletableFuture<OffsetFetchResponseGroup>> answers = call.request().groups().stream()
                .map(group -> OffsetFetchRequest.requestAllOffsets(group)
                        ? fetchAll(caller, group, stable, names)
                        : fetchSome(caller, group, stable, names))
                .toList();
        CompletableFuture<Void> all = CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
        GroupCalls.answer(
                call,
                all,
                done -> new OffsetFetchResponse.Builder(
                                answers.stream().map(CompletableFuture::join).toList())
                        .build(call.header().apiVersion()));
    }

    private CompletableFuture<OffsetFetchResponseGroup> fetchAll(
            GroupCall caller, OffsetFetchRequestGroup group, boolean stable, TopicNames names) {
        return fetch(caller, group, stable).thenApply(answer -> {
            if (names.byId() && answer.errorCode() == Errors.NONE.code()) {
                answer.setTopics(withIds(answer.topics(), names));
            }
            return answer;
        });
    }

    /** Offsets of topics that are gone have no id to be named with. */
    private static List<OffsetFetchResponseTopics> withIds(List<OffsetFetchResponseTopics> topics, TopicNames names) {
        List<OffsetFetchResponseTopics> found = new ArrayList<>(topics.size());
        for (OffsetFetchResponseTopics topic : topics) {
            TopicImage image = names.image().topic(topic.name());
            if (image != null) {
                found.add(topic.setTopicId(KafkaIds.toUuid(image.id())));
            }
        }
        return found;
    }

    private CompletableFuture<OffsetFetchResponseGroup> fetchSome(
            GroupCall caller, OffsetFetchRequestGroup group, boolean stable, TopicNames names) {
        List<OffsetFetchRequestTopics> known = new ArrayList<>();
        List<OffsetFetchResponseTopics> unknown = new ArrayList<>();
        for (OffsetFetchRequestTopics topic : group.topics()) {
            TopicImage image = names.byId() ? names.find(topic.name(), topic.topicId()) : null;
            if (image != null) {
                topic.setName(image.name());
            }
            if (names.byId() && image == null) {
                unknown.add(unknownTopic(topic));
            } else {
                known.add(topic);
            }
        }
        OffsetFetchRequestGroup request = new OffsetFetchRequestGroup()
                .setGroupId(group.groupId())
                .setMemberId(group.memberId())
                .setMemberEpoch(group.memberEpoch())
                .setTopics(known);
        return fetch(caller, request, stable).thenApply(answer -> {
            if (answer.errorCode() == Errors.NONE.code() && !unknown.isEmpty()) {
                List<OffsetFetchResponseTopics> topics = new ArrayList<>(answer.topics());
                topics.addAll(unknown);
                answer.setTopics(topics);
            }
            return answer;
        });
    }

    private static OffsetFetchResponseTopics unknownTopic(OffsetFetchRequestTopics topic) {
        return new OffsetFetchResponseTopics()
                .setTopicId(topic.topicId())
                .setName(topic.name())
                .setPartitions(topic.partitionIndexes().stream()
                        .map(partition -> new OffsetFetchResponsePartitions()
                                .setPartitionIndex(partition)
                                .setErrorCode(Errors.UNKNOWN_TOPIC_ID.code())
                                .setCommittedOffset(OffsetFetchResponse.INVALID_OFFSET)
                                .setMetadata(OffsetFetchResponse.NO_METADATA)
                                .setCommittedLeaderEpoch(-1))
                        .toList());
    }

    /** Never fails: an error becomes the group's. */
    private CompletableFuture<OffsetFetchResponseGroup> fetch(
            GroupCall caller, OffsetFetchRequestGroup group, boolean stable) {
        return groups.fetchOffsets(caller, group, stable)
                .exceptionally(failure ->
                        OffsetFetchResponse.groupError(group, GroupCalls.error(failure), caller.apiVersion()))
                .toCompletableFuture();
    }
}
