package io.sluice.broker.share;

import io.sluice.coordinator.share.Acknowledgement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;

/** What a request acknowledges, partition by partition, and what came of it. On one event loop. */
final class Acknowledging {
    private final SharePartitions partitions;
    private final String groupId;
    private final String holder;
    private final boolean mayRenew;
    private final Map<ShareSession.Part, CompletableFuture<Errors>> answers = new LinkedHashMap<>();

    /**
     * Nothing yet.
     *
     * @param mayRenew whether the request says that it prolongs locks (KIP-1222)
     */
    Acknowledging(SharePartitions partitions, ShareSession session, boolean mayRenew) {
        this.partitions = partitions;
        this.groupId = session.key().groupId();
        this.holder = session.holder();
        this.mayRenew = mayRenew;
    }

    /** Acknowledges records of one partition; nothing where there are none. */
    void add(ShareSession.Part part, List<Acknowledgement> acknowledgements) {
        if (!acknowledgements.isEmpty()) {
            answers.put(part, acknowledge(part, acknowledgements).exceptionally(Errors::forException));
        }
    }

    private CompletableFuture<Errors> acknowledge(ShareSession.Part part, List<Acknowledgement> acknowledgements) {
        ServedSharePartition partition = partitions.find(groupId, part.topicId(), part.partition());
        if (!areSound(acknowledgements)) {
            return CompletableFuture.completedFuture(Errors.INVALID_REQUEST);
        }
        return partition == null
                ? CompletableFuture.completedFuture(partitions.errorOfMissing(part.topicId()))
                : partition.records().acknowledge(holder, acknowledgements).toCompletableFuture();
    }

    private boolean areSound(List<Acknowledgement> acknowledgements) {
        long next = 0;
        for (Acknowledgement each : acknowledgements) {
            boolean renews = each.fault() == null && each.has(Acknowledgement.RENEW);
            if (each.fault() != null || each.firstOffset() < next || (renews && !mayRenew)) {
                return false;
            }
            next = each.lastOffset() + 1;
        }
        return true;
    }

    /** Tells what came of each. After {@link #whenDone}. */
    void forEach(Telling telling) {
        answers.forEach((part, error) -> telling.tell(part, error.join()));
    }

    /** Takes what came of one partition. */
    interface Telling {
        void tell(ShareSession.Part part, Errors error);
    }

    /** Goes on when all is durable, or was refused: at once where that is so already, else on the executor. */
    void whenDone(Executor executor, Consumer<Acknowledging> next) {
        CompletableFuture<Void> all = CompletableFuture.allOf(answers.values().toArray(CompletableFuture<?>[]::new));
        if (all.isDone()) {
            next.accept(this);
            return;
        }
        CompletableFuture<?> unused = all.handleAsync(
                (nothing, failure) -> {
                    next.accept(this);
                    return null;
                },
                executor);
    }
}
