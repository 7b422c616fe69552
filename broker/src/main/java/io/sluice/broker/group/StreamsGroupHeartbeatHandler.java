package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.api.RepeatedNames;
import io.sluice.broker.topic.StreamsTopicCreation;
import io.sluice.coordinator.group.GroupPort;
import io.sluice.coordinator.group.StreamsHeartbeat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.KeyValue;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatRequest;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatResponse;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatResponse.Status;
import org.jspecify.annotations.Nullable;

/**
 * StreamsGroupHeartbeat (KIP-1071): joins, leaves and learns tasks. What the topology of a group needs of internal topics is
 * created on the way; the member is told that they are missing until they are there, and why, where they cannot be created.
 */
final class StreamsGroupHeartbeatHandler implements ApiHandler<StreamsGroupHeartbeatRequest> {
    /** For so many heartbeats a topic that could not be created is not tried again, and members are told why. */
    private static final int BACK_OFF_HEARTBEATS = 2;

    /** The coordinator keeps them on the heap as long as the member lives. */
    private static final int MAX_TASK_OFFSETS = 10_000;

    private static final int MAX_NAMED = 3;

    private final GroupPort groups;
    private final StreamsTopicCreation topics;

    StreamsGroupHeartbeatHandler(GroupPort groups, StreamsTopicCreation topics) {
        this.groups = groups;
        this.topics = topics;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.STREAMS_GROUP_HEARTBEAT;
    }

    @Override
    public void handle(Call<StreamsGroupHeartbeatRequest> call) {
        StreamsGroupHeartbeatRequestData request = call.request().data();
        ApiError fault = fault(request);
        if (fault != null) {
            call.respond(new StreamsGroupHeartbeatResponse(new StreamsGroupHeartbeatResponseData()
                    .setErrorCode(fault.error().code())
                    .setErrorMessage(fault.message())));
            return;
        }
        GroupCalls.answer(
                call, groups.streamsGroupHeartbeat(GroupCalls.caller(call), request), heartbeat -> response(heartbeat));
    }

    /** What is wrong with a request, whatever the group; null where nothing is. */
    static @Nullable ApiError fault(StreamsGroupHeartbeatRequestData request) {
        String topology = request.topology() == null ? null : StreamsTopologyRules.fault(request.topology());
        if (topology != null) {
            return new ApiError(Errors.STREAMS_INVALID_TOPOLOGY, topology);
        }
        if (request.topology() != null && request.topology().epoch() < 0) {
            return new ApiError(
                    Errors.STREAMS_INVALID_TOPOLOGY_EPOCH,
                    "The epoch of the topology is " + request.topology().epoch() + "; it must not be below 0.");
        }
        String tag = request.clientTags() == null
                ? null
                : RepeatedNames.firstOf(request.clientTags().stream().map(KeyValue::key));
        if (tag != null) {
            return new ApiError(Errors.INVALID_REQUEST, "The client has the tag " + tag + " twice.");
        }
        int offsets = Math.max(count(request.taskOffsets()), count(request.taskEndOffsets()));
        return offsets <= MAX_TASK_OFFSETS
                ? null
                : new ApiError(
                        Errors.INVALID_REQUEST,
                        "A member tells the offsets of " + offsets + " tasks; at most " + MAX_TASK_OFFSETS
                                + " are allowed.");
    }

    private static int count(@Nullable List<?> list) {
        return list == null ? 0 : list.size();
    }

    private StreamsGroupHeartbeatResponse response(StreamsHeartbeat heartbeat) {
        StreamsGroupHeartbeatResponseData answer = heartbeat.answer();
        if (!heartbeat.missingTopics().isEmpty()) {
            addFailures(answer, heartbeat.missingTopics());
            topics.begin(
                    heartbeat.missingTopics(),
                    TimeUnit.MILLISECONDS.toNanos((long) BACK_OFF_HEARTBEATS * answer.heartbeatIntervalMs()));
        }
        return new StreamsGroupHeartbeatResponse(answer);
    }

    /** Where the answer tells of missing topics it tells, too, why they could not be created, of the first few. */
    private void addFailures(StreamsGroupHeartbeatResponseData answer, List<CreatableTopic> missing) {
        if (answer.status() == null) {
            return;
        }
        Map<String, String> failures =
                topics.failures(missing.stream().map(CreatableTopic::name).toList());
        if (failures.isEmpty()) {
            return;
        }
        String named = failures.entrySet().stream()
                .limit(MAX_NAMED)
                .map(failure -> failure.getKey() + " (" + failure.getValue() + ")")
                .collect(Collectors.joining(", "));
        String more = failures.size() > MAX_NAMED ? " and " + (failures.size() - MAX_NAMED) + " more" : "";
        answer.status().stream()
                .filter(status -> status.statusCode() == Status.MISSING_INTERNAL_TOPICS.code())
                .findFirst()
                .ifPresent(status ->
                        status.setStatusDetail(status.statusDetail() + "; Creation failed: " + named + more + "."));
    }
}
