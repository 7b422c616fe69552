package io.sluice.broker.share;

import io.sluice.coordinator.share.SharePartition;
import io.sluice.coordinator.share.SharePartitionListener;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.VisibilityListener;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A share partition with its log and with those who wait for its records. One at a time has its turn to read and take; who came
 * first is first, and who has had something goes to the end, so that a thousand members all get some. While it loads there are
 * no turns. Safe on every thread; turns are given with no lock held.
 */
final class ServedSharePartition implements VisibilityListener, SharePartitionListener {
    private static final Logger LOG = LoggerFactory.getLogger(ServedSharePartition.class);

    private static final int FIRST_GUESS_BYTES = 1024;

    private final ShareKey key;
    private final PartitionLog log;
    private final ShareGroupConfigs configs;
    private final SharePartition records;
    private final Consumer<ServedSharePartition> onGone;
    /** In the order they came; a fetch is in the lines of many partitions, and leaves all of them at once. */
    private final Set<ShareTurn> waiting = new LinkedHashSet<>();

    private @Nullable ShareTurn active;
    private volatile Errors lost = Errors.NONE;
    private volatile int bytesPerRecord = FIRST_GUESS_BYTES;

    /**
     * One that begins to load.
     *
     * @param records makes the share partition, which tells what happens to it
     * @param load loads it
     * @param onGone hears when it is of no use any more
     */
    ServedSharePartition(
            ShareKey key,
            PartitionLog log,
            ShareGroupConfigs configs,
            Function<SharePartitionListener, SharePartition> records,
            Function<SharePartition, CompletionStage<Errors>> load,
            Consumer<ServedSharePartition> onGone) {
        this.key = key;
        this.log = log;
        this.configs = configs;
        this.onGone = onGone;
        this.records = records.apply(this);
        log.addVisibilityListener(this);
        CompletionStage<?> unused = load.apply(this.records).whenComplete((error, failure) -> onLoadingOver(failure));
    }

    /** Those who wait since it began to load have their turns; where it cannot be used they know already. */
    private void onLoadingOver(@Nullable Throwable failure) {
        if (failure != null) {
            LOG.error("Loading {} of the share group {} failed", key.partition(), key.groupId(), failure);
            close();
        } else {
            // What befell the log before it was listened to, nobody has told.
            onStateChange(log);
            giveTurn();
        }
    }

    ShareKey key() {
        return key;
    }

    PartitionLog log() {
        return log;
    }

    SharePartition records() {
        return records;
    }

    /** NONE, or why it is of no use any more. */
    Errors lost() {
        return lost;
    }

    /** How far its group may see. */
    ReadRequest.Limit limit() {
        return configs.of(key.groupId()).readCommitted() ? ReadRequest.Limit.LAST_STABLE : ReadRequest.Limit.VISIBLE;
    }

    /** Where what may be read ends now. */
    long readableEnd(ReadRequest.Limit limit) {
        return limit == ReadRequest.Limit.LAST_STABLE ? log.lastStableOffset() : log.visibleOffset();
    }

    private boolean hasSome() {
        return records.canAcquire(readableEnd(limit()));
    }

    /** How large records are, about. */
    int bytesPerRecord() {
        return bytesPerRecord;
    }

    void noteSize(int bytes, long count) {
        if (count > 0) {
            bytesPerRecord = (int) Math.max(1, bytes / count);
        }
    }

    // ---- Turns

    /** Begins a turn at once, if there is something to take and nobody waits; {@link #end} must follow. */
    boolean tryBegin(ShareTurn turn) {
        boolean some = lost == Errors.NONE && hasSome();
        synchronized (waiting) {
            if (!some || active != null || !waiting.isEmpty()) {
                return false;
            }
            active = turn;
            return true;
        }
    }

    /** Waits for a turn. */
    void enqueue(ShareTurn turn) {
        synchronized (waiting) {
            waiting.add(turn);
        }
        if (lost != Errors.NONE) {
            turn.onLost(this);
        } else {
            giveTurn();
        }
    }

    /** Waits no more. A turn that has been given must be ended still. */
    void withdraw(ShareTurn turn) {
        synchronized (waiting) {
            waiting.remove(turn);
        }
    }

    /** The turn is over. */
    void end(ShareTurn turn) {
        synchronized (waiting) {
            if (active == turn) {
                active = null;
            }
        }
        giveTurn();
    }

    private void giveTurn() {
        if (lost != Errors.NONE || isQuiet() || !hasSome()) {
            return;
        }
        ShareTurn next;
        synchronized (waiting) {
            if (active != null || waiting.isEmpty()) {
                return;
            }
            next = waiting.iterator().next();
            waiting.remove(next);
            active = next;
        }
        next.onTurn(this);
    }

    private boolean isQuiet() {
        synchronized (waiting) {
            return active != null || waiting.isEmpty();
        }
    }

    // ---- What happens to it

    @Override
    public void onVisible(PartitionLog moved) {
        giveTurn();
    }

    @Override
    public void onStateChange(PartitionLog changed) {
        LogState state = changed.state();
        if (state == LogState.DELETED || state == LogState.FAILED || state == LogState.SEALED) {
            close();
        }
    }

    @Override
    public void onAvailable() {
        giveTurn();
    }

    @Override
    public void onLost(Errors error) {
        lost = error;
        log.removeVisibilityListener(this);
        onGone.accept(this);
        List<ShareTurn> told;
        synchronized (waiting) {
            told = new ArrayList<>(waiting);
            waiting.clear();
        }
        told.forEach(turn -> turn.onLost(this));
    }

    /** It is of no use any more. */
    void close() {
        records.close();
    }
}
