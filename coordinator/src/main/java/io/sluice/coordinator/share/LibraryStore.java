package io.sluice.coordinator.share;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.InitializeShareGroupStateRequestData;
import org.apache.kafka.common.message.ReadShareGroupStateResponseData;
import org.apache.kafka.common.message.WriteShareGroupStateRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state of one share partition in the topic of share groups' state. */
public final class LibraryStore implements SharePartitionStore {
    private static final Logger LOG = LoggerFactory.getLogger(LibraryStore.class);

    private final PatientShareState state;
    private final PatientShareState.Key key;
    private final int leaderEpoch;

    /**
     * Nothing is read yet.
     *
     * @param leaderEpoch under which the partition is served: it fences those before it
     */
    public LibraryStore(PatientShareState state, PatientShareState.Key key, int leaderEpoch) {
        this.state = state;
        this.key = key;
        this.leaderEpoch = leaderEpoch;
    }

    @Override
    public CompletionStage<Loaded> read() {
        return state.read(key, leaderEpoch).handle((answer, failure) -> {
            if (failure != null) {
                LOG.error("The state of {} could not be read", key, failure);
                return Loaded.failed(Errors.forException(failure));
            }
            return loaded(answer);
        });
    }

    private static Loaded loaded(ReadShareGroupStateResponseData.PartitionResult answer) {
        Errors error = Errors.forCode(answer.errorCode());
        return error != Errors.NONE
                ? Loaded.failed(error)
                : new Loaded(
                        Errors.NONE,
                        answer.stateEpoch(),
                        answer.startOffset(),
                        answer.stateBatches().stream()
                                .map(batch -> new SavedRange(
                                        batch.firstOffset(),
                                        batch.lastOffset(),
                                        batch.deliveryState(),
                                        batch.deliveryCount()))
                                .toList());
    }

    @Override
    public CompletionStage<Errors> write(Change change) {
        return state.write(
                        key,
                        new WriteShareGroupStateRequestData.PartitionData()
                                .setPartition(key.partition())
                                .setStateEpoch(change.stateEpoch())
                                .setLeaderEpoch(leaderEpoch)
                                .setStartOffset(change.startOffset())
                                .setDeliveryCompleteCount(change.settledCount())
                                .setStateBatches(batches(change.ranges())))
                .handle((answer, failure) -> {
                    if (failure != null) {
                        LOG.error("The state of {} could not be written", key, failure);
                        return Errors.forException(failure);
                    }
                    return Errors.forCode(answer.errorCode());
                });
    }

    @Override
    public CompletionStage<Errors> reset(int stateEpoch, long startOffset) {
        return state.initialize(
                        key,
                        new InitializeShareGroupStateRequestData.PartitionData()
                                .setPartition(key.partition())
                                .setStateEpoch(stateEpoch)
                                .setStartOffset(startOffset))
                .handle((answer, failure) -> {
                    if (failure != null) {
                        LOG.error("The state of {} could not be begun anew", key, failure);
                        return Errors.forException(failure);
                    }
                    return Errors.forCode(answer.errorCode());
                });
    }

    private static List<WriteShareGroupStateRequestData.StateBatch> batches(List<SavedRange> ranges) {
        return ranges.stream()
                .map(range -> new WriteShareGroupStateRequestData.StateBatch()
                        .setFirstOffset(range.firstOffset())
                        .setLastOffset(range.lastOffset())
                        .setDeliveryState(range.state())
                        .setDeliveryCount(range.deliveryCount()))
                .toList();
    }
}
