package io.sluice.server;

import io.sluice.broker.transaction.LocalMarkers;
import io.sluice.coordinator.group.GroupLag;
import io.sluice.coordinator.group.GroupPort;
import io.sluice.coordinator.library.LibraryGroups;
import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.InternalTopics;
import io.sluice.coordinator.runtime.TransactionEnd;
import io.sluice.coordinator.share.LibraryShareState;
import io.sluice.coordinator.share.PatientShareState;
import io.sluice.coordinator.share.ShareStatePort;
import io.sluice.coordinator.share.StatePersister;
import io.sluice.coordinator.transaction.GroupOffsetPartitions;
import io.sluice.coordinator.transaction.LogTransactions;
import io.sluice.coordinator.transaction.TransactionMarkers;
import io.sluice.coordinator.transaction.TransactionPort;
import io.sluice.server.config.NodeConfig;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The coordinators of a node. Groups and transactions ask each other: groups whether a transaction may commit offsets,
 * transactions where those are, and to end them. Idle until somebody needs them.
 */
final class NodeCoordinators implements AutoCloseable {
    private final NodeStorage storage;
    private final TransactionMarkers markers;
    private final TransactionPort transactions;
    private final ShareStatePort shareState;
    private final PatientShareState patientShareState;
    private final GroupPort groups;

    NodeCoordinators(NodeConfig config, NodeRuntime runtime, NodeStorage storage, InternalTopics internalTopics) {
        this.storage = storage;
        CoordinatorEnvironment env = new CoordinatorEnvironment(
                config.values(),
                runtime.clock(),
                runtime.scheduler(),
                runtime.background(),
                storage.logs,
                () -> storage.configs.current().topicDefaults(),
                storage.ownership,
                storage.images,
                internalTopics,
                runtime.allocator(),
                runtime.metrics());
        this.markers = new LocalMarkers(
                storage.images,
                storage.ownership,
                storage.logs,
                this::completeOffsets,
                runtime.allocator(),
                runtime.clock(),
                runtime.background());
        this.transactions = new LogTransactions(env, markers, storage.producerIds::take, this::partitionOfOffsets);
        this.shareState = new LibraryShareState(env);
        this.patientShareState =
                new PatientShareState(shareState, runtime.clock(), runtime.scheduler(), runtime.background());
        this.groups = new LibraryGroups(env, transactions, new StatePersister(patientShareState));
        GroupLag.register(groups, storage.images, storage.logs, runtime.clock(), runtime.metrics());
    }

    private CompletionStage<Void> completeOffsets(int partition, TransactionEnd end) {
        return groups.completeTransaction(partition, end);
    }

    private CompletionStage<@Nullable TopicPartition> partitionOfOffsets(String groupId) {
        return new GroupOffsetPartitions(groups, storage.images).find(groupId);
    }

    GroupPort groups() {
        return groups;
    }

    TransactionPort transactions() {
        return transactions;
    }

    TransactionMarkers markers() {
        return markers;
    }

    ShareStatePort shareState() {
        return shareState;
    }

    PatientShareState patientShareState() {
        return patientShareState;
    }

    /** Transactions first: what they end, they end in groups' offsets too. */
    @Override
    public void close() {
        transactions.close();
        groups.close();
        shareState.close();
    }
}
