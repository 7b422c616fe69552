package io.sluice.broker.topic;

import io.sluice.base.concurrent.StageList;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metadata.TopicNames;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.broker.directory.TopicErrors;
import io.sluice.protocol.frame.Placed;
import io.sluice.storage.config.DynamicConfigs;
import io.sluice.storage.config.TopicDefaultKeys;
import io.sluice.storage.metadata.TopicCatalogue;
import io.sluice.storage.metadata.TopicOutcome;
import io.sluice.storage.metadata.TopicOutcome.Refused;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.common.requests.DeleteTopicsRequest;
import org.apache.kafka.common.requests.DeleteTopicsResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** DeleteTopics, by name or by id. When the answer arrives the topic is gone for good; its space follows. */
public final class DeleteTopicsHandler implements ApiHandler<DeleteTopicsRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(DeleteTopicsHandler.class);
    private static final short DISABLED_ERROR_SINCE = 3;

    private final TopicCatalogue catalogue;
    private final ClusterImageSource images;
    private final DynamicConfigs configs;

    /** Deletes through the catalogue. */
    public DeleteTopicsHandler(TopicCatalogue catalogue, ClusterImageSource images, DynamicConfigs configs) {
        this.catalogue = catalogue;
        this.images = images;
        this.configs = configs;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.DELETE_TOPICS;
    }

    @Override
    public void handle(Call<DeleteTopicsRequest> call) {
        DeleteTopicsRequest request = call.request();
        if (!configs.current().values().get(TopicDefaultKeys.DELETE_TOPIC_ENABLE)) {
            Errors error =
                    request.version() < DISABLED_ERROR_SINCE ? Errors.INVALID_REQUEST : Errors.TOPIC_DELETION_DISABLED;
            ApiError disabled = new ApiError(error, null);
            call.respond(response(request.topics().stream()
                    .map(topic -> failed(topic, disabled))
                    .toList()));
            return;
        }
        ClusterImage image = images.current();
        List<DeleteTopicState> topics = request.topics();
        Mentions mentions = Mentions.of(topics);
        List<CompletionStage<DeletableTopicResult>> results = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (DeleteTopicState topic : topics) {
            if (!seen.add(keyOf(topic))) {
                continue; // one answer for all that are the same
            }
            ApiError fault = fault(topic, mentions, image);
            results.add(fault != null ? refuse(topic, fault) : delete(topic, image));
        }
        AsyncAnswer.give(call, StageList.all(results).thenApply(DeleteTopicsHandler::response));
    }

    /** A text, because a set of texts stays fast where many have the same hash: they can be put in order. */
    private static String keyOf(DeleteTopicState topic) {
        return topic.name() == null ? topic.topicId().toString() : topic.topicId() + "/" + topic.name();
    }

    private CompletionStage<DeletableTopicResult> delete(DeleteTopicState requested, ClusterImage image) {
        TopicImage topic = find(requested, image);
        if (topic == null) {
            boolean byName = requested.name() != null;
            Errors error = byName ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.UNKNOWN_TOPIC_ID;
            return refuse(requested, new ApiError(error, error.message()));
        }
        DeleteTopicState found = new DeleteTopicState().setName(topic.name()).setTopicId(KafkaIds.toUuid(topic.id()));
        return catalogue.delete(topic.id()).handle((outcome, cause) -> result(found, outcome, cause));
    }

    private static String forgotten(String internal) {
        return switch (internal) {
            case TopicNames.CONSUMER_OFFSETS -> "groups and the offsets that they have committed";
            case TopicNames.TRANSACTION_STATE ->
                "transactional ids; a transaction that is open now is not ended any more, and keeps those who read what is"
                        + " committed before it, until its producer writes to the partition in another, or it is aborted with"
                        + " kafka-transactions";
            default -> "what share groups are done with";
        };
    }

    private static DeletableTopicResult result(
            DeleteTopicState topic, @Nullable TopicOutcome outcome, @Nullable Throwable cause) {
        if (cause != null) {
            return failed(topic, TopicErrors.of(cause));
        }
        if (Objects.requireNonNull(outcome) instanceof Refused refused) {
            return failed(topic, TopicErrors.of(refused));
        }
        if (TopicNames.isInternal(topic.name())) {
            LOG.atWarn()
                    .setMessage(
                            "An internal topic was deleted because a client asked for it, and what it held is forgotten")
                    .addKeyValue("topic", topic.name())
                    .addKeyValue("forgotten", forgotten(topic.name()))
                    .log();
        }
        return new Placed.DeletedTopic().setName(topic.name()).setTopicId(topic.topicId());
    }

    private static @Nullable TopicImage find(DeleteTopicState topic, ClusterImage image) {
        return topic.name() != null ? image.topic(topic.name()) : image.topic(KafkaIds.toTopicId(topic.topicId()));
    }

    /** How often a request has each name, and each id without a name; and all ids, those beside names too. */
    private record Mentions(Map<String, Integer> names, Map<Uuid, Integer> idsAlone, Set<Uuid> ids) {
        static Mentions of(List<DeleteTopicState> topics) {
            Mentions all = new Mentions(new HashMap<>(), new HashMap<>(), new HashSet<>());
            for (DeleteTopicState topic : topics) {
                all.ids.add(topic.topicId());
                if (topic.name() != null) {
                    all.names.merge(topic.name(), 1, Integer::sum);
                } else {
                    all.idsAlone.merge(topic.topicId(), 1, Integer::sum);
                }
            }
            return all;
        }

        boolean isRepeated(DeleteTopicState topic) {
            return topic.name() != null
                    ? names.getOrDefault(topic.name(), 0) > 1
                    : idsAlone.getOrDefault(topic.topicId(), 0) > 1;
        }

        /** Whether another entry means the same topic, by id where this one is by name, and the other way round. */
        boolean hasOtherwise(TopicImage found, boolean byName) {
            return byName ? ids.contains(KafkaIds.toUuid(found.id())) : names.containsKey(found.name());
        }
    }

    private static @Nullable ApiError fault(DeleteTopicState topic, Mentions mentions, ClusterImage image) {
        boolean hasName = topic.name() != null;
        boolean hasId = !topic.topicId().equals(Uuid.ZERO_UUID);
        if (!hasName && !hasId) {
            return invalid("Neither topic name nor id were specified.");
        }
        if (hasName && hasId) {
            return invalid("You may not specify both topic name and topic id.");
        }
        if (mentions.isRepeated(topic)) {
            return invalid(hasName ? "Duplicate topic name." : "Duplicate topic id.");
        }
        TopicImage found = find(topic, image);
        return found != null && mentions.hasOtherwise(found, hasName)
                ? invalid("The provided topic name maps to an ID that was already supplied.")
                : null;
    }

    private static ApiError invalid(String message) {
        return new ApiError(Errors.INVALID_REQUEST, message);
    }

    private static CompletionStage<DeletableTopicResult> refuse(DeleteTopicState topic, ApiError error) {
        return CompletableFuture.completedFuture(failed(topic, error));
    }

    private static DeletableTopicResult failed(DeleteTopicState topic, ApiError error) {
        return new Placed.DeletedTopic()
                .setName(topic.name())
                .setTopicId(topic.topicId())
                .setErrorCode(error.error().code())
                .setErrorMessage(error.message());
    }

    private static DeleteTopicsResponse response(List<DeletableTopicResult> results) {
        DeleteTopicsResponseData data = new DeleteTopicsResponseData();
        results.forEach(result -> Placed.add(data.responses(), result));
        return new DeleteTopicsResponse(data);
    }
}
