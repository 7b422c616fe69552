package io.sluice.broker.topic;

import io.sluice.base.concurrent.StageList;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.broker.api.RepeatedNames;
import io.sluice.broker.directory.BrokerDirectory;
import io.sluice.broker.directory.TopicErrors;
import io.sluice.storage.metadata.TopicCatalogue;
import io.sluice.storage.metadata.TopicCreator;
import io.sluice.storage.metadata.TopicOutcome;
import io.sluice.storage.metadata.TopicOutcome.Refused;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsAssignment;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.common.requests.CreatePartitionsRequest;
import org.apache.kafka.common.requests.CreatePartitionsResponse;
import org.jspecify.annotations.Nullable;

/** CreatePartitions. New partitions are usable when the answer arrives. */
public final class CreatePartitionsHandler implements ApiHandler<CreatePartitionsRequest> {
    private final TopicCatalogue catalogue;
    private final TopicCreator creator;
    private final ClusterImageSource images;
    private final BrokerDirectory brokers;

    /** Grows topics through the creator; validates against the catalogue. */
    public CreatePartitionsHandler(
            TopicCatalogue catalogue, TopicCreator creator, ClusterImageSource images, BrokerDirectory brokers) {
        this.catalogue = catalogue;
        this.creator = creator;
        this.images = images;
        this.brokers = brokers;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.CREATE_PARTITIONS;
    }

    @Override
    public void handle(Call<CreatePartitionsRequest> call) {
        List<CompletionStage<CreatePartitionsTopicResult>> results = new ArrayList<>();
        Set<String> done = new HashSet<>();
        Set<String> duplicates =
                RepeatedNames.of(call.request().data().topics().stream().map(CreatePartitionsTopic::name));
        for (CreatePartitionsTopic topic : call.request().data().topics()) {
            if (!done.add(topic.name())) {
                continue;
            }
            ApiError fault = duplicates.contains(topic.name())
                    ? new ApiError(Errors.INVALID_REQUEST, "Duplicate topic name.")
                    : fault(topic);
            results.add(
                    fault != null
                            ? CompletableFuture.completedFuture(result(topic.name(), fault))
                            : grow(topic, call.request().data().validateOnly()));
        }
        AsyncAnswer.give(
                call,
                StageList.all(results)
                        .thenApply(all ->
                                new CreatePartitionsResponse(new CreatePartitionsResponseData().setResults(all))));
    }

    private CompletionStage<CreatePartitionsTopicResult> grow(CreatePartitionsTopic topic, boolean validateOnly) {
        CompletionStage<TopicOutcome> outcome = validateOnly
                ? CompletableFuture.completedFuture(catalogue.validateGrowth(topic.name(), topic.count()))
                : creator.growTo(topic.name(), topic.count());
        return outcome.handle((grown, cause) -> result(topic.name(), error(grown, cause)));
    }

    private static ApiError error(@Nullable TopicOutcome outcome, @Nullable Throwable cause) {
        if (cause != null) {
            return TopicErrors.of(cause);
        }
        return Objects.requireNonNull(outcome) instanceof Refused refused ? TopicErrors.of(refused) : ApiError.NONE;
    }

    /** What is wrong with an assignment by hand; without one nothing is. */
    private @Nullable ApiError fault(CreatePartitionsTopic requested) {
        List<CreatePartitionsAssignment> assignments = requested.assignments();
        TopicImage topic = images.current().topic(requested.name());
        if (assignments == null
                || topic == null
                || requested.count() <= topic.partitions().size()) {
            return null;
        }
        int added = requested.count() - topic.partitions().size();
        if (assignments.size() != added) {
            return ReplicaAssignment.refuse("Attempted to add " + added + " additional partition(s), but only "
                    + assignments.size() + " assignment(s) were specified.");
        }
        Set<Integer> nodes =
                brokers.brokers().stream().map(BrokerDirectory.Broker::nodeId).collect(Collectors.toSet());
        for (CreatePartitionsAssignment assignment : assignments) {
            ApiError fault = ReplicaAssignment.fault(assignment.brokerIds(), nodes, topic.replicationFactor());
            if (fault != null) {
                return fault;
            }
        }
        return null;
    }

    private static CreatePartitionsTopicResult result(String name, ApiError error) {
        return new CreatePartitionsTopicResult()
                .setName(name)
                .setErrorCode(error.error().code())
                .setErrorMessage(error.message());
    }
}
