package io.sluice.coordinator.share;

import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
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
import org.apache.kafka.server.share.SharePartitionKey;

/**
 * Reads and changes the state of one share partition at a time, asking again while its coordinator loads, moves or has no
 * topic yet: after {@value #FIRST_PAUSE_MILLIS} ms, then after twice as long each time, up to a second, until {@value
 * #LONGEST_MILLIS} ms have passed; then the last answer stands. Every change may be repeated without harm. Safe on every
 * thread.
 */
public final class PatientShareState {
    static final long FIRST_PAUSE_MILLIS = 20;
    static final long LONGEST_PAUSE_MILLIS = 1000;
    static final long LONGEST_MILLIS = 15_000;

    private final ShareStatePort state;
    private final Clock clock;
    private final Scheduler scheduler;
    private final Executor executor;
    private final List<Consumer<Key>> replacementListeners = new CopyOnWriteArrayList<>();

    /**
     * Nothing is asked yet.
     *
     * @param executor where questions are repeated; must not be held up
     */
    public PatientShareState(ShareStatePort state, Clock clock, Scheduler scheduler, Executor executor) {
        this.state = state;
        this.clock = clock;
        this.scheduler = scheduler;
        this.executor = executor;
    }

    /** One share partition. */
    public record Key(String groupId, Uuid topicId, int partition) {
        String coordinatorKey() {
            return SharePartitionKey.asCoordinatorKey(groupId, topicId, partition);
        }
    }

    /**
     * From now on tells of each share partition whose group's coordinator has deleted its state, or begun it anew, before that
     * coordinator hears that it is done. A new group may have the epochs of the one before: whoever goes on with the former state
     * would not be fenced.
     *
     * @param listener called on the coordinator's thread; must not block
     */
    public void onReplaced(Consumer<Key> listener) {
        replacementListeners.add(listener);
    }

    /** The state of a share partition was deleted, or begun anew, by the coordinator of its group. */
    void tellReplaced(Key key) {
        replacementListeners.forEach(listener -> listener.accept(key));
    }

    /** Reads, under a leader epoch that fences older ones. */
    public CompletionStage<ReadShareGroupStateResponseData.PartitionResult> read(Key key, int leaderEpoch) {
        ReadShareGroupStateRequestData request = new ReadShareGroupStateRequestData()
                .setGroupId(key.groupId())
                .setTopics(List.of(new ReadShareGroupStateRequestData.ReadStateData()
                        .setTopicId(key.topicId())
                        .setPartitions(List.of(new ReadShareGroupStateRequestData.PartitionData()
                                .setPartition(key.partition())
                                .setLeaderEpoch(leaderEpoch)))));
        return ask(
                key,
                () -> state.read(request)
                        .thenApply(
                                answer -> answer.results().get(0).partitions().get(0)),
                ReadShareGroupStateResponseData.PartitionResult::errorCode);
    }

    /** Writes; the data name the key's partition. */
    public CompletionStage<WriteShareGroupStateResponseData.PartitionResult> write(
            Key key, WriteShareGroupStateRequestData.PartitionData data) {
        WriteShareGroupStateRequestData request = new WriteShareGroupStateRequestData()
                .setGroupId(key.groupId())
                .setTopics(List.of(new WriteShareGroupStateRequestData.WriteStateData()
                        .setTopicId(key.topicId())
                        .setPartitions(List.of(data))));
        return ask(
                key,
                () -> state.write(request)
                        .thenApply(
                                answer -> answer.results().get(0).partitions().get(0)),
                WriteShareGroupStateResponseData.PartitionResult::errorCode);
    }

    CompletionStage<InitializeShareGroupStateResponseData.PartitionResult> initialize(
            Key key, InitializeShareGroupStateRequestData.PartitionData data) {
        InitializeShareGroupStateRequestData request = new InitializeShareGroupStateRequestData()
                .setGroupId(key.groupId())
                .setTopics(List.of(new InitializeShareGroupStateRequestData.InitializeStateData()
                        .setTopicId(key.topicId())
                        .setPartitions(List.of(data))));
        return ask(
                key,
                () -> state.initialize(request)
                        .thenApply(
                                answer -> answer.results().get(0).partitions().get(0)),
                InitializeShareGroupStateResponseData.PartitionResult::errorCode);
    }

    CompletionStage<DeleteShareGroupStateResponseData.PartitionResult> delete(Key key) {
        DeleteShareGroupStateRequestData request = new DeleteShareGroupStateRequestData()
                .setGroupId(key.groupId())
                .setTopics(List.of(new DeleteShareGroupStateRequestData.DeleteStateData()
                        .setTopicId(key.topicId())
                        .setPartitions(List.of(
                                new DeleteShareGroupStateRequestData.PartitionData().setPartition(key.partition())))));
        return ask(
                key,
                () -> state.delete(request)
                        .thenApply(
                                answer -> answer.results().get(0).partitions().get(0)),
                DeleteShareGroupStateResponseData.PartitionResult::errorCode);
    }

    CompletionStage<ReadShareGroupStateSummaryResponseData.PartitionResult> readSummary(Key key, int leaderEpoch) {
        ReadShareGroupStateSummaryRequestData request = new ReadShareGroupStateSummaryRequestData()
                .setGroupId(key.groupId())
                .setTopics(List.of(new ReadShareGroupStateSummaryRequestData.ReadStateSummaryData()
                        .setTopicId(key.topicId())
                        .setPartitions(List.of(new ReadShareGroupStateSummaryRequestData.PartitionData()
                                .setPartition(key.partition())
                                .setLeaderEpoch(leaderEpoch)))));
        return ask(
                key,
                () -> state.readSummary(request)
                        .thenApply(
                                answer -> answer.results().get(0).partitions().get(0)),
                ReadShareGroupStateSummaryResponseData.PartitionResult::errorCode);
    }

    private <A> CompletionStage<A> ask(Key key, Supplier<CompletionStage<A>> question, Function<A, Short> errorCode) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        long deadlineNanos = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONGEST_MILLIS);
        new Asking<>(key, question, errorCode, answer, deadlineNanos).ask(FIRST_PAUSE_MILLIS);
        return answer;
    }

    private static boolean helpsToWait(Errors error) {
        return switch (error) {
            case NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE, COORDINATOR_LOAD_IN_PROGRESS -> true;
            default -> false;
        };
    }

    private final class Asking<A> {
        private final Key key;
        private final Supplier<CompletionStage<A>> question;
        private final Function<A, Short> errorCode;
        private final CompletableFuture<A> answer;
        private final long deadlineNanos;

        Asking(
                Key key,
                Supplier<CompletionStage<A>> question,
                Function<A, Short> errorCode,
                CompletableFuture<A> answer,
                long deadlineNanos) {
            this.key = key;
            this.question = question;
            this.errorCode = errorCode;
            this.answer = answer;
            this.deadlineNanos = deadlineNanos;
        }

        /** The coordinator is found first, because that makes the topic of the state where there is none. */
        void ask(long pauseMillis) {
            CompletionStage<?> unused = state.locate(key.coordinatorKey())
                    .thenCompose(location -> question.get())
                    .handle((given, failure) -> {
                        if (failure != null) {
                            answer.completeExceptionally(failure);
                        } else {
                            onAnswer(given, pauseMillis);
                        }
                        return null;
                    });
        }

        private void onAnswer(A given, long pauseMillis) {
            boolean again = helpsToWait(Errors.forCode(errorCode.apply(given))) && clock.nanoTime() - deadlineNanos < 0;
            if (again) {
                long next = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
                scheduler.schedule(() -> ask(next), TimeUnit.MILLISECONDS.toNanos(pauseMillis), executor);
            } else {
                answer.complete(given);
            }
        }
    }
}
