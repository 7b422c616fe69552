package io.sluice.broker.topic;

import io.sluice.base.concurrent.StageList;
import io.sluice.base.config.ConfigValues;
import io.sluice.base.metadata.TopicNames;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.broker.api.RepeatedNames;
import io.sluice.broker.configuration.TopicConfigDescription;
import io.sluice.broker.directory.BrokerDirectory;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.broker.directory.TopicErrors;
import io.sluice.protocol.frame.Placed;
import io.sluice.storage.config.DynamicConfigs;
import io.sluice.storage.metadata.NewTopic;
import io.sluice.storage.metadata.TopicCatalogue;
import io.sluice.storage.metadata.TopicCreator;
import io.sluice.storage.metadata.TopicOutcome;
import io.sluice.storage.metadata.TopicOutcome.Done;
import io.sluice.storage.metadata.TopicOutcome.Refused;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.CreateTopicsResponse;
import org.jspecify.annotations.Nullable;

/**
 * CreateTopics. Topics of one request are created independently of each other and flushed together; each is usable when the
 * answer arrives.
 */
public final class CreateTopicsHandler implements ApiHandler<CreateTopicsRequest> {
    private static final String CLUSTER_METADATA = "__cluster_metadata";
    /** Each comes with all of its settings; what is really created is bounded by the partitions there may be. */
    private static final int MAX_VALIDATED = 5_000;

    /** So many topics are answered with all of their settings; what is said of further ones is that they were left out. */
    private static final int MAX_DESCRIBED = 1_000;

    private static final ApiError TOO_MANY = new ApiError(
            Errors.INVALID_REQUEST,
            "At most " + MAX_VALIDATED + " topics can be validated in one request; send the others in another one.");

    private final TopicCatalogue catalogue;
    private final TopicCreator creator;
    private final DynamicConfigs configs;
    private final BrokerDirectory brokers;

    /** Creates through the creator; validates against the catalogue. */
    public CreateTopicsHandler(
            TopicCatalogue catalogue, TopicCreator creator, DynamicConfigs configs, BrokerDirectory brokers) {
        this.catalogue = catalogue;
        this.creator = creator;
        this.configs = configs;
        this.brokers = brokers;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.CREATE_TOPICS;
    }

    @Override
    public void handle(Call<CreateTopicsRequest> call) {
        boolean validateOnly = call.request().data().validateOnly();
        ConfigValues settings = configs.current().values();
        Set<Integer> nodes =
                brokers.brokers().stream().map(BrokerDirectory.Broker::nodeId).collect(Collectors.toSet());
        Set<String> duplicates =
                RepeatedNames.of(call.request().data().topics().stream().map(CreatableTopic::name));
        List<CompletionStage<CreatableTopicResult>> results = new ArrayList<>();
        Set<String> done = new HashSet<>();
        for (CreatableTopic requested : call.request().data().topics()) {
            String name = requested.name();
            if (!done.add(name)) {
                continue;
            }
            if (duplicates.contains(name)) {
                results.add(refuse(name, new ApiError(Errors.INVALID_REQUEST, "Duplicate topic name.")));
            } else if (name.equals(CLUSTER_METADATA)) {
                String message = "Creation of internal topic " + CLUSTER_METADATA + " is prohibited.";
                results.add(refuse(name, new ApiError(Errors.INVALID_REQUEST, message)));
            } else if (validateOnly && results.size() >= MAX_VALIDATED) {
                results.add(refuse(name, TOO_MANY));
            } else {
                TopicRequest request = TopicRequest.read(requested, settings, nodes);
                results.add(create(name, request, validateOnly).thenApply(limit(results.size())));
            }
        }
        AsyncAnswer.give(call, StageList.all(results).thenApply(CreateTopicsHandler::response));
    }

    /** Leaves out the settings of a topic too many: tens of thousands of topics would have an answer of a hundred megabytes. */
    private static UnaryOperator<CreatableTopicResult> limit(int before) {
        return result -> before < MAX_DESCRIBED || result.errorCode() != Errors.NONE.code()
                ? result
                : result.setConfigs(null).setTopicConfigErrorCode(Errors.INVALID_REQUEST.code());
    }

    private CompletionStage<CreatableTopicResult> create(String name, TopicRequest request, boolean validateOnly) {
        String nameFault = TopicNames.fault(name);
        if (nameFault != null) {
            return refuse(name, new ApiError(Errors.INVALID_TOPIC_EXCEPTION, nameFault));
        }
        NewTopic topic = request.topic();
        if (topic == null) {
            return refuse(name, Objects.requireNonNull(request.error()));
        }
        if (!validateOnly) {
            return creator.create(topic).handle((outcome, cause) -> result(topic, outcome, cause));
        }
        Refused refused = catalogue.validate(topic);
        return refused == null
                ? CompletableFuture.completedFuture(described(topic))
                : refuse(name, TopicErrors.of(refused));
    }

    private CreatableTopicResult result(NewTopic topic, @Nullable TopicOutcome outcome, @Nullable Throwable cause) {
        if (cause != null) {
            return failed(topic.name(), TopicErrors.of(cause));
        }
        return outcome instanceof Done done
                ? described(topic).setTopicId(KafkaIds.toUuid(done.topic().id()))
                : failed(topic.name(), TopicErrors.of((Refused) Objects.requireNonNull(outcome)));
    }

    private CreatableTopicResult described(NewTopic topic) {
        return new Placed.CreatedTopic()
                .setName(topic.name())
                .setErrorMessage(null)
                .setNumPartitions(topic.partitions())
                .setReplicationFactor((short) topic.replicationFactor())
                .setConfigs(new TopicConfigDescription(configs).afterCreation(topic.name(), topic.configs()));
    }

    private static CompletionStage<CreatableTopicResult> refuse(String name, ApiError error) {
        return CompletableFuture.completedFuture(failed(name, error));
    }

    private static CreatableTopicResult failed(String name, ApiError error) {
        return new Placed.CreatedTopic()
                .setName(name)
                .setErrorCode(error.error().code())
                .setErrorMessage(error.message());
    }

    private static CreateTopicsResponse response(List<CreatableTopicResult> results) {
        CreateTopicsResponseData data = new CreateTopicsResponseData();
        results.forEach(result -> Placed.add(data.topics(), result));
        return new CreateTopicsResponse(data);
    }
}
