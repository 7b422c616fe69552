package io.sluice.coordinator.share;

import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.CoordinatorLife;
import io.sluice.coordinator.runtime.CoordinatorLocation;
import io.sluice.coordinator.runtime.InternalTopics;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.kafka.common.message.DeleteShareGroupStateRequestData;
import org.apache.kafka.common.message.DeleteShareGroupStateResponseData;
import org.apache.kafka.common.message.InitializeShareGroupStateRequestData;
import org.apache.kafka.common.message.InitializeShareGroupStateResponseData;
import org.apache.kafka.common.message.ReadShareGroupStateRequestData;
import org.apache.kafka.common.message.ReadShareGroupStateResponseData;
import org.apache.kafka.common.message.ReadShareGroupStateSummaryRequestData;
import org.apache.kafka.common.message.ReadShareGroupStateSummaryResponseData;
import org.apache.kafka.common.message.WriteShareGroupStateRequestData;
import org.apache.kafka.common.message.WriteShareGroupStateResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DeleteShareGroupStateResponse;
import org.apache.kafka.common.requests.InitializeShareGroupStateResponse;
import org.apache.kafka.common.requests.ReadShareGroupStateResponse;
import org.apache.kafka.common.requests.ReadShareGroupStateSummaryResponse;
import org.apache.kafka.common.requests.WriteShareGroupStateResponse;
import org.apache.kafka.coordinator.share.ShareCoordinatorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state of share groups, kept by Kafka's own share coordinator library in {@code __share_group_state}. */
public final class LibraryShareState implements ShareStatePort {
    private static final Logger LOG = LoggerFactory.getLogger(LibraryShareState.class);

    private final CoordinatorLife<ShareStateRun> life;

    /** Idle; listens to metadata and ownership from now on. */
    public LibraryShareState(CoordinatorEnvironment env) {
        this.life = new CoordinatorLife<>(
                "The state of share groups",
                env,
                InternalTopics.Spec.ofShareState(env.config()),
                topic -> new ShareStateRun(env, topic));
    }

    @Override
    public CompletionStage<CoordinatorLocation> locate(String key) {
        return life.locate(key);
    }

    @Override
    public CompletionStage<InitializeShareGroupStateResponseData> initialize(
            InitializeShareGroupStateRequestData request) {
        return ask(
                service -> service.initializeState(null, request),
                request,
                InitializeShareGroupStateResponse::toGlobalErrorResponse);
    }

    @Override
    public CompletionStage<ReadShareGroupStateResponseData> read(ReadShareGroupStateRequestData request) {
        return ask(
                service -> service.readState(null, request),
                request,
                ReadShareGroupStateResponse::toGlobalErrorResponse);
    }

    @Override
    public CompletionStage<WriteShareGroupStateResponseData> write(WriteShareGroupStateRequestData request) {
        if (hasBatchThatIsNoRange(request)) {
            return CompletableFuture.completedFuture(
                    WriteShareGroupStateResponse.toGlobalErrorResponse(request, Errors.INVALID_REQUEST));
        }
        return ask(
                service -> service.writeState(null, request),
                request,
                WriteShareGroupStateResponse::toGlobalErrorResponse);
    }

    /** On such a batch the library fails with a bare NullPointerException, and only when it merges it with others. */
    private static boolean hasBatchThatIsNoRange(WriteShareGroupStateRequestData request) {
        return request.topics().stream()
                .flatMap(topic -> topic.partitions().stream())
                .flatMap(partition -> partition.stateBatches().stream())
                .anyMatch(batch -> batch.firstOffset() < 0
                        || batch.firstOffset() > batch.lastOffset()
                        || batch.lastOffset() == Long.MAX_VALUE);
    }

    @Override
    public CompletionStage<DeleteShareGroupStateResponseData> delete(DeleteShareGroupStateRequestData request) {
        return ask(
                service -> service.deleteState(null, request),
                request,
                DeleteShareGroupStateResponse::toGlobalErrorResponse);
    }

    @Override
    public CompletionStage<ReadShareGroupStateSummaryResponseData> readSummary(
            ReadShareGroupStateSummaryRequestData request) {
        return ask(
                service -> service.readStateSummary(null, request),
                request,
                ReadShareGroupStateSummaryResponse::toGlobalErrorResponse);
    }

    /** The library must have heard of the topics: one of them may have been created a moment ago. */
    private <Q, A> CompletionStage<A> ask(
            Function<ShareCoordinatorService, CompletableFuture<A>> question,
            Q request,
            BiFunction<Q, Errors, A> errorAnswer) {
        return life.ask(run -> run.metadataCaughtUp().thenCompose(nothing -> question.apply(run.service())))
                .exceptionally(failure -> errorAnswer.apply(request, error(failure)));
    }

    private static Errors error(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        Errors error = Errors.forException(cause);
        if (error == Errors.UNKNOWN_SERVER_ERROR) {
            LOG.error("A request for the state of share groups failed", cause);
        }
        return error;
    }

    @Override
    public void close() {
        life.close();
    }
}
