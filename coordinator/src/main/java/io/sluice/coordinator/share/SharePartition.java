package io.sluice.coordinator.share;

import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import io.sluice.coordinator.share.Span.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of one partition as one share group consumes them (KIP-932): which may be delivered, who holds which and until
 * when, how many times each was delivered, and which are settled. What becomes of the records is in {@link Span}.
 *
 * <pre>
 *               retire while it loads
 *    .------------------------------------------.
 *    |                          retire          v      all is kept
 * LOADING ---> ACTIVE -----------------------> RETIRING ---------> LOST
 *                ^                              |  ^                ^
 *                |     its state is as it was   |  | retire         |  its log or its state went elsewhere,
 *                '---------- RETURNING <--------'  |                |  whatever it is
 *                               |          reuse   |
 *                               '------------------'
 * </pre>
 *
 * <p>An acknowledgement is answered when what it says is durable, and takes effect at the same moment; until then the records
 * count as held. There is one write at a time: what comes meanwhile goes together into the next one. What goes to the dead
 * letter queue is first kept as being on its way there, which answers the member, and is settled only when it is there. What is
 * lost in a crash is who held what: those records are delivered again, with the count that was kept.
 *
 * <p>Threads: safe on every thread; the lock is held for moments, and never while the store, the listener or who waits for an answer is
 * called.
 */
public final class SharePartition {
    private enum Status {
        LOADING,
        ACTIVE,
        RETIRING,
        RETURNING,
        LOST
    }

    private static final Logger LOG = LoggerFactory.getLogger(SharePartition.class);

    /** How long until a write that failed is tried again for changes that nobody waits for, or a read. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How many times it is tried to keep what changed last, when nobody reads any more, or to read it when somebody does again. */
    private static final int MOST_LAST_TRIES = 10;

    private final String name;
    private final SharePartitionStore store;
    private final Supplier<ShareGroupSettings> settings;
    private final LettersUnderWay letters;
    private final SharePartitionListener listener;
    private final Time time;
    private final CertainWriter writer;
    private final LockTimer locks;
    private final ReturnAttempts returns;
    private final StateKeeping keeping;

    private Status status = Status.LOADING;
    /** Nobody reads here; only while LOADING. */
    private boolean idle;

    private Errors lostWith = Errors.NONE;
    private InFlight inFlight = new InFlight(0);
    private int lastTries;

    /** What time it is, how to wait, and where to go on after waiting. */
    public record Time(Clock clock, Scheduler scheduler, Executor executor) {}

    /**
     * A share partition that has to be loaded.
     *
     * @param name for the log
     * @param settings the group's, asked each time
     */
    public SharePartition(
            String name,
            SharePartitionStore store,
            Supplier<ShareGroupSettings> settings,
            DeadLetters deadLetters,
            SharePartitionListener listener,
            Time time) {
        this.name = name;
        this.store = store;
        this.settings = settings;
        this.letters = new LettersUnderWay(name, deadLetters, this::onLettersSent);
        this.listener = listener;
        this.time = time;
        this.writer = new CertainWriter(name, store, this::mayGoOn, time);
        this.locks = new LockTimer(time, this::expire);
        this.keeping = new StateKeeping(time);
        this.returns = new ReturnAttempts(name, MOST_LAST_TRIES);
    }

    /** Where a group begins that has no state yet. */
    @FunctionalInterface
    public interface FirstOffset {
        /** Completes with the offset, or fails. */
        CompletionStage<Long> find();
    }

    // ---- Loading and use

    /**
     * Reads what is kept. A group that has not begun gets its first offset, which is kept before anything is delivered, so that
     * it stays what it was.
     *
     * @param logEndOffset where the log ends: what is kept of offsets beyond was said of records that the log has lost, and is
     *     forgotten for good
     * @return NONE, or the error to answer
     */
    public CompletionStage<Errors> load(FirstOffset firstOffset, long logEndOffset) {
        return new StateLoading(name, store)
                .load(firstOffset, logEndOffset)
                .thenApply(loaded -> loaded.error() == Errors.NONE ? activate(loaded) : lose(loaded.error()));
    }

    private Errors activate(StateLoading.Result loaded) {
        ShareGroupSettings now = settings.get();
        Effects effects = new Effects();
        Errors told;
        synchronized (this) {
            if (status == Status.LOST) {
                return lostWith;
            }
            inFlight = InFlight.load(loaded.kept());
            keeping.begin(loaded.stateEpoch(), loaded.kept().startOffset());
            status = idle ? Status.RETIRING : Status.ACTIVE;
            letters.send(
                    inFlight.all().stream()
                            .filter(span -> span.state == State.ARCHIVING)
                            .toList(),
                    now.deliveryLimit(),
                    effects);
            if (idle) {
                planWrite(effects);
            }
            told = lostWith;
        }
        effects.run();
        return told;
    }

    /**
     * Nobody of the group reads here any more: what is still held is given back as delivered, and when all that is under way,
     * dead letters included, has come to its end and is kept, it is lost. What is loaded again then is the whole truth. One that
     * loads writes too, and comes to the end of that before.
     */
    public void retire() {
        ShareGroupSettings now = settings.get();
        Effects effects = new Effects();
        synchronized (this) {
            if (status == Status.LOADING) {
                idle = true;
            } else if (status == Status.ACTIVE || status == Status.RETURNING) {
                status = Status.RETIRING;
                lastTries = 0;
                giveBack(held -> true, true, now, effects);
            }
        }
        effects.run();
    }

    /**
     * Somebody reads here again. What is kept may have been altered while nobody did: nothing is delivered before that is known.
     *
     * @return false if it is of no use any more, and another one has to be loaded
     */
    public boolean reuse() {
        int attempt;
        synchronized (this) {
            idle = false;
            if (status != Status.RETIRING) {
                return status != Status.LOST;
            }
            status = Status.RETURNING;
            attempt = returns.begin();
        }
        readAgain(attempt);
        synchronized (this) {
            return status != Status.LOST;
        }
    }

    private void readAgain(int attempt) {
        CompletionStage<?> unused = store.read()
                .exceptionally(failure -> SharePartitionStore.Loaded.failed(Errors.forException(failure)))
                .thenAccept(loaded -> onReadAgain(attempt, loaded));
    }

    private void onReadAgain(int attempt, SharePartitionStore.Loaded loaded) {
        Effects effects = new Effects();
        synchronized (this) {
            if (status != Status.RETURNING || !returns.isLast(attempt)) {
                return;
            }
            Errors error = loaded.error();
            if (error == Errors.NONE && keeping.isOwn(loaded)) {
                status = Status.ACTIVE;
                effects.add(listener::onAvailable);
            } else if (error == Errors.NONE) {
                markLost(Errors.FENCED_STATE_EPOCH, effects);
            } else if (CertainWriter.isFinal(error) || isGivenUp(error)) {
                markLost(error, effects);
            } else {
                effects.add(() -> time.scheduler().schedule(() -> readAgain(attempt), AGAIN_NANOS, time.executor()));
            }
        }
        effects.run();
    }

    /** Where nothing is under way that would be forgotten, a successor loads, and tells members why it cannot. */
    private boolean isGivenUp(Errors error) {
        return returns.onFailure(error) && !keeping.isUnderWay() && letters.areNone();
    }

    /** Whether it has a state that changes. */
    private boolean isLive() {
        return status == Status.ACTIVE || status == Status.RETIRING || status == Status.RETURNING;
    }

    // ---- Acquiring

    /** Where to read for the next member: the first offset that may be delivered. */
    public synchronized long nextOffset() {
        return inFlight.nextOffset();
    }

    /**
     * Whether there may be something to deliver.
     *
     * @param readableEnd where what may be read ends
     */
    public boolean canAcquire(long readableEnd) {
        int maxRecordLocks = settings.get().maxRecordLocks();
        synchronized (this) {
            boolean more = inFlight.endOffset() < readableEnd && !inFlight.isFull(maxRecordLocks);
            return status == Status.ACTIVE && (more || inFlight.hasFree(readableEnd));
        }
    }

    /**
     * Gives a member what is free among batches that were read; its locks begin now.
     *
     * @param from where they were read from: {@link #nextOffset} as it was then
     * @param batches in the order of the log
     * @return in the order of the log; empty where nothing is free
     */
    public List<AcquiredRange> acquire(String member, long from, List<FetchedBatch> batches, AcquireLimits limits) {
        ShareGroupSettings now = settings.get();
        Effects effects = new Effects();
        List<AcquiredRange> acquired;
        synchronized (this) {
            if (status != Status.ACTIVE) {
                return List.of();
            }
            long deadline = deadline(now);
            acquired =
                    inFlight.acquire(from, batches, new InFlight.Claim(member, deadline, limits, now.maxRecordLocks()));
            if (!acquired.isEmpty()) {
                locks.add(deadline);
            }
            planWrite(effects);
        }
        effects.run();
        return acquired;
    }

    private long deadline(ShareGroupSettings now) {
        return time.clock().nanoTime() + TimeUnit.MILLISECONDS.toNanos(now.lockMillis());
    }

    /** The log begins later now: what lies below cannot be delivered any more. */
    public void onLogStart(long logStartOffset) {
        Effects effects = new Effects();
        synchronized (this) {
            if (isLive()) {
                inFlight.archiveBelow(logStartOffset);
                planWrite(effects);
            }
        }
        effects.run();
    }

    // ---- Settling

    /**
     * What a member says became of records that it holds: all of it counts, or nothing.
     *
     * @param acknowledgements without fault
     * @return NONE once it is durable; INVALID_RECORD_STATE where the member does not hold a record, be it that its lock has
     *     expired; INVALID_REQUEST where there is no such record; else why it could not be kept, or that nobody knows yet
     *     whether it was: where it was not, the member holds them still
     */
    public CompletionStage<Errors> acknowledge(String member, List<Acknowledgement> acknowledgements) {
        ShareGroupSettings now = settings.get();
        Settlement settlement = new Settlement();
        Effects effects = new Effects();
        Errors error;
        synchronized (this) {
            AcknowledgeRules rules = new AcknowledgeRules(inFlight, member, now, settlement);
            error = isLive() ? rules.settle(acknowledgements) : lostOrLoading();
            if (error == Errors.NONE) {
                rules.renew(acknowledgements, deadline(now));
                submit(settlement, effects);
                Errors told = keeping.doubt();
                if (told != Errors.NONE) {
                    effects.add(() -> keeping.answerLater(List.of(settlement), told));
                }
            } else {
                settlement.undo();
                // What it names may be its own, and on its way since an earlier attempt.
                error = error == Errors.INVALID_RECORD_STATE && keeping.hasDoubted()
                        ? Errors.COORDINATOR_NOT_AVAILABLE
                        : error;
            }
        }
        effects.run();
        return error == Errors.NONE ? settlement.answer : CompletableFuture.completedFuture(error);
    }

    private Errors lostOrLoading() {
        return status == Status.LOST ? lostWith : Errors.INVALID_RECORD_STATE;
    }

    /**
     * A member is gone, and what it holds may be delivered to others.
     *
     * @param delivered whether the records may have been seen by the application: then this delivery counts, and those that
     *     were delivered too often are given up; else it is as though they had not been delivered
     */
    public void release(String member, boolean delivered) {
        release(span -> span.isHeldBy(member), delivered);
    }

    /** What was acquired just now does not reach the member: it is as though it had not been delivered. */
    public void giveBack(String member, List<AcquiredRange> acquired) {
        release(span -> span.isHeldBy(member) && isAmong(span, acquired), false);
    }

    private static boolean isAmong(Span span, List<AcquiredRange> ranges) {
        return ranges.stream().anyMatch(range -> range.firstOffset() <= span.first && span.last <= range.lastOffset());
    }

    private void release(Predicate<Span> which, boolean delivered) {
        ShareGroupSettings now = settings.get();
        Effects effects = new Effects();
        synchronized (this) {
            if (isLive()) {
                giveBack(which, delivered, now, effects);
            }
        }
        effects.run();
    }

    private void giveBack(Predicate<Span> which, boolean delivered, ShareGroupSettings now, Effects effects) {
        Settlement settlement = new Settlement();
        if (new GiveBackRules(inFlight, now, time.clock().nanoTime(), settlement).giveBack(which, delivered)) {
            effects.add(listener::onAvailable);
        }
        submit(settlement, effects);
    }

    // ---- Time

    private void expire() {
        ShareGroupSettings now = settings.get();
        Effects effects = new Effects();
        synchronized (this) {
            locks.clear();
            if (isLive()) {
                long nowNanos = time.clock().nanoTime();
                giveBack(span -> span.deadlineNanos - nowNanos <= 0, true, now, effects);
                armNextExpiry();
            }
        }
        effects.run();
    }

    private void armNextExpiry() {
        for (Span span : inFlight.all()) {
            if (span.isHeld()) {
                locks.add(span.deadlineNanos);
            }
        }
    }

    private void onLettersSent(List<Span> spans) {
        Effects effects = new Effects();
        synchronized (this) {
            letters.arrive(spans);
            letters.archiveArrived(inFlight, keeping);
            planWrite(effects);
        }
        effects.run();
    }

    // ---- Keeping

    private void submit(Settlement settlement, Effects effects) {
        keeping.add(settlement);
        planWrite(effects);
    }

    private void planWrite(Effects effects) {
        if (keeping.isUnderWay() || !isLive()) {
            return;
        }
        StateKeeping.Write write = keeping.next(inFlight);
        if (write.isEmpty()) {
            effects.add(() -> StateKeeping.answer(write.settlements(), Errors.NONE));
            if (status == Status.RETIRING && letters.areNone()) {
                markLost(Errors.NOT_LEADER_OR_FOLLOWER, effects);
            }
            return;
        }
        effects.add(() -> {
            CompletionStage<?> unused = writer.write(write, this::onDoubt).thenAccept(error -> onOutcome(write, error));
        });
    }

    /**
     * Members are not left waiting for what may take long, neither for the write nor for those after it; that what they hold is
     * on its way remains.
     */
    private void onDoubt(Errors error) {
        List<Settlement> waiting;
        Errors told = CertainWriter.translate(error);
        synchronized (this) {
            waiting = keeping.onDoubt(told);
        }
        keeping.answerLater(waiting, told);
    }

    private void onOutcome(StateKeeping.Write write, Errors error) {
        ShareGroupSettings now = settings.get();
        Effects effects = new Effects();
        synchronized (this) {
            keeping.onOutcome(write, error);
            if (error == Errors.NONE && isLive()) {
                List<Span> archiving = new ArrayList<>();
                write.settlements().forEach(settlement -> archiving.addAll(settlement.reach(inFlight)));
                letters.send(archiving, now.deliveryLimit(), effects);
                inFlight.advance();
                effects.add(listener::onAvailable);
            } else if (isLive()) {
                onRefused(write, error, effects);
            }
            effects.add(() -> StateKeeping.answer(write.settlements(), CertainWriter.translate(error)));
            planWrite(effects);
        }
        effects.run();
    }

    /** It was not kept: members hold what they held, until they say so again or their locks expire. */
    private void onRefused(StateKeeping.Write write, Errors error, Effects effects) {
        write.settlements().forEach(Settlement::undo);
        if (CertainWriter.isFinal(error)) {
            markLost(error, effects);
        } else {
            write.change().ranges().forEach(range -> inFlight.markUnsaved(range.firstOffset(), range.lastOffset()));
            keeping.pause();
            time.scheduler().schedule(this::rewrite, AGAIN_NANOS, time.executor());
            armNextExpiry();
        }
    }

    private void rewrite() {
        boolean goesOn = mayGoOn();
        ShareGroupSettings now = settings.get();
        Effects effects = new Effects();
        synchronized (this) {
            keeping.resume();
            if (goesOn) {
                letters.archiveArrived(inFlight, keeping);
                if (status == Status.RETIRING) {
                    // What was on its way when the last member went is held by nobody who could say so again.
                    giveBack(held -> true, true, now, effects);
                }
                planWrite(effects);
            }
        }
        effects.run();
    }

    /** Whether there is still reason to try to keep what could not be kept. Nobody may wait for that for ever. */
    private boolean mayGoOn() {
        Effects effects = new Effects();
        boolean goesOn;
        synchronized (this) {
            if (status == Status.RETIRING && ++lastTries > MOST_LAST_TRIES) {
                LOG.warn("{}: its state could not be kept in the end", name);
                markLost(Errors.NOT_LEADER_OR_FOLLOWER, effects);
            }
            goesOn = isLive();
        }
        effects.run();
        return goesOn;
    }

    // ---- The end

    private Errors lose(Errors error) {
        Effects effects = new Effects();
        Errors told;
        synchronized (this) {
            markLost(error, effects);
            told = lostWith;
        }
        effects.run();
        return told;
    }

    /** Its log is not served any more: nothing more is delivered or kept; what waits is answered. */
    public void close() {
        lose(Errors.NOT_LEADER_OR_FOLLOWER);
    }

    private void markLost(Errors error, Effects effects) {
        if (status == Status.LOST) {
            return;
        }
        status = Status.LOST;
        lostWith = CertainWriter.translate(error);
        locks.clear();
        List<Settlement> waiting = keeping.abandon();
        Errors told = lostWith;
        effects.add(() -> StateKeeping.answer(waiting, told));
        effects.add(() -> listener.onLost(told));
    }

    // ---- For descriptions and tests

    /** Everything below is settled. */
    public synchronized long startOffset() {
        return inFlight.startOffset();
    }

    /** Nothing from here on was delivered yet. */
    public synchronized long endOffset() {
        return inFlight.endOffset();
    }

    /** Whether a member holds the record at an offset, and has not said what became of it. */
    synchronized boolean isHeld(long offset) {
        return inFlight.covers(offset) && inFlight.allWithin(offset, offset, Span::isHeld);
    }

    /** Whether it is on its way what becomes of the record at an offset. */
    synchronized boolean isUnderWay(long offset) {
        return inFlight.covers(offset) && inFlight.allWithin(offset, offset, span -> span.target != null);
    }
}
