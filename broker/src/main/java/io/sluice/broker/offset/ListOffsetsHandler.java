package io.sluice.broker.offset;

import io.sluice.base.ownership.Ownership;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.storage.log.OffsetQuery;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import io.sluice.storage.log.ReadRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;

/**
 * Serves ListOffsets, versions 1 to 11: the offset at a time, or at one of the places that negative times stand for. There
 * is no tiered storage, so the last tiered offset (-5) and the first not uploaded (-6) are answered with "none", -1, as Kafka
 * does without it.
 */
public final class ListOffsetsHandler implements ApiHandler<ListOffsetsRequest> {
    private static final short MAX_TIMESTAMP_VERSION = 7;
    private static final short EARLIEST_LOCAL_VERSION = 8;
    private static final short LATEST_TIERED_VERSION = 9;
    private static final short PENDING_UPLOAD_VERSION = 11;
    private static final short LEADER_EPOCH_VERSION = 4;

    private final PartitionLookup lookup;

    /** A handler. */
    public ListOffsetsHandler(ServedTopics topics, PartitionLogStore logs, Ownership ownership) {
        lookup = new PartitionLookup(topics, logs, ownership);
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.LIST_OFFSETS;
    }

    @Override
    public void handle(Call<ListOffsetsRequest> call) {
        byte isolation = call.request().data().isolationLevel();
        if (isolation < 0 || isolation > IsolationLevel.READ_COMMITTED.id()) {
            call.respond(call.request().getErrorResponse(new InvalidRequestException("unknown isolation level")));
            return;
        }
        new Listing(call).start();
    }

    /** One request: asks all logs, answers when all have answered. On the event loop. */
    private final class Listing {
        private final Call<ListOffsetsRequest> call;
        private final short version;
        private final ReadRequest.Limit limit;
        private final List<ListOffsetsTopicResponse> topics = new ArrayList<>();
        private int unanswered = 1;

        Listing(Call<ListOffsetsRequest> call) {
            this.call = call;
            version = call.header().apiVersion();
            limit = limitOf(call.request());
        }

        private static ReadRequest.Limit limitOf(ListOffsetsRequest request) {
            if (request.replicaId() != ListOffsetsRequest.CONSUMER_REPLICA_ID) {
                return ReadRequest.Limit.END;
            }
            return request.isolationLevel() == IsolationLevel.READ_COMMITTED
                    ? ReadRequest.Limit.LAST_STABLE
                    : ReadRequest.Limit.VISIBLE;
        }

        void start() {
            for (ListOffsetsTopic topic : call.request().topics()) {
                List<ListOffsetsPartitionResponse> answers =
                        new ArrayList<>(topic.partitions().size());
                topics.add(new ListOffsetsTopicResponse().setName(topic.name()).setPartitions(answers));
                Set<Integer> duplicates = new HashSet<>();
                for (ListOffsetsPartition partition : topic.partitions()) {
                    if (isDuplicate(topic, partition) && !duplicates.add(partition.partitionIndex())) {
                        continue; // one answer for all of them
                    }
                    ListOffsetsPartitionResponse answer = new ListOffsetsPartitionResponse()
                            .setPartitionIndex(partition.partitionIndex())
                            .setTimestamp(ListOffsetsResponse.UNKNOWN_TIMESTAMP)
                            .setOffset(ListOffsetsResponse.UNKNOWN_OFFSET);
                    answers.add(answer);
                    ask(topic, partition, answer);
                }
            }
            oneAnswered();
        }

        private void ask(ListOffsetsTopic topic, ListOffsetsPartition partition, ListOffsetsPartitionResponse answer) {
            if (isDuplicate(topic, partition)) {
                answer.setErrorCode(Errors.INVALID_REQUEST.code());
                return;
            }
            if (!isKnown(partition.timestamp())) {
                answer.setErrorCode(Errors.UNSUPPORTED_VERSION.code());
                return;
            }
            PartitionLookup.Found found =
                    lookup.find(topic.name(), partition.partitionIndex(), partition.currentLeaderEpoch());
            PartitionLog log = found.log();
            if (log == null) {
                answer.setErrorCode(found.error().code());
                return;
            }
            call.connection().noteTopic(topic.name());
            boolean tiered = partition.timestamp() == ListOffsetsRequest.LATEST_TIERED_TIMESTAMP
                    || partition.timestamp() == ListOffsetsRequest.EARLIEST_PENDING_UPLOAD_TIMESTAMP;
            if (!tiered) {
                unanswered++;
                log.findOffset(
                        new OffsetQuery(partition.timestamp(), limit, call.executor()), result -> take(answer, result));
            }
        }

        private boolean isDuplicate(ListOffsetsTopic topic, ListOffsetsPartition partition) {
            var duplicates = call.request().duplicatePartitions();
            return !duplicates.isEmpty()
                    && duplicates.contains(new TopicPartition(topic.name(), partition.partitionIndex()));
        }

        /** Negative times are places; each has the version that introduced it. */
        private boolean isKnown(long timestamp) {
            if (timestamp >= ListOffsetsRequest.EARLIEST_TIMESTAMP) {
                return true;
            }
            short since = switch ((int) Math.max(timestamp, Integer.MIN_VALUE)) {
                case (int) ListOffsetsRequest.MAX_TIMESTAMP -> MAX_TIMESTAMP_VERSION;
                case (int) ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP -> EARLIEST_LOCAL_VERSION;
                case (int) ListOffsetsRequest.LATEST_TIERED_TIMESTAMP -> LATEST_TIERED_VERSION;
                case (int) ListOffsetsRequest.EARLIEST_PENDING_UPLOAD_TIMESTAMP -> PENDING_UPLOAD_VERSION;
                default -> Short.MAX_VALUE;
            };
            return version >= since;
        }

        private void take(ListOffsetsPartitionResponse answer, OffsetQuery.Result result) {
            if (result instanceof OffsetQuery.Result.Found found) {
                answer.setOffset(found.offset()).setTimestamp(found.timestamp());
                if (version >= LEADER_EPOCH_VERSION && found.leaderEpoch() >= 0) {
                    answer.setLeaderEpoch(found.leaderEpoch());
                }
            } else if (result instanceof OffsetQuery.Result.Failed) {
                answer.setErrorCode(Errors.KAFKA_STORAGE_ERROR.code());
            }
            oneAnswered();
        }

        private void oneAnswered() {
            unanswered--;
            if (unanswered == 0) {
                call.respond(new ListOffsetsResponse(new ListOffsetsResponseData().setTopics(topics)));
            }
        }
    }
}
