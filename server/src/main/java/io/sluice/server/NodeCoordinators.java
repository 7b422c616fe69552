package io.sluice.server;

import io.sluice.coordinator.group.GroupLag;
import io.sluice.coordinator.group.GroupPort;
import io.sluice.coordinator.library.LibraryGroups;
import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.InternalTopics;
import io.sluice.coordinator.share.LibraryShareState;
import io.sluice.coordinator.share.PatientShareState;
import io.sluice.coordinator.share.ShareStatePort;
import io.sluice.coordinator.share.StatePersister;
import io.sluice.coordinator.transaction.NoTransactions;
import io.sluice.coordinator.transaction.TransactionPort;
import io.sluice.server.config.NodeConfig;

/** The coordinators of a node. Idle until somebody needs them. */
record NodeCoordinators(
        GroupPort groups, TransactionPort transactions, ShareStatePort shareState, PatientShareState patientShareState)
        implements AutoCloseable {
    static NodeCoordinators open(
            NodeConfig config, NodeRuntime runtime, NodeStorage storage, InternalTopics internalTopics) {
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
        TransactionPort transactions = new NoTransactions();
        ShareStatePort shareState = new LibraryShareState(env);
        PatientShareState patient =
                new PatientShareState(shareState, runtime.clock(), runtime.scheduler(), runtime.background());
        GroupPort groups = new LibraryGroups(env, transactions, new StatePersister(patient));
        GroupLag.register(groups, storage.images, storage.logs, runtime.clock(), runtime.metrics());
        return new NodeCoordinators(groups, transactions, shareState, patient);
    }

    /** Transactions first: what they end, they end in groups' offsets too. */
    @Override
    public void close() {
        transactions.close();
        groups.close();
        shareState.close();
    }
}
