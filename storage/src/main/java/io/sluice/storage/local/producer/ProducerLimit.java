package io.sluice.storage.local.producer;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many idempotent producers are remembered: by one log, and by all logs of a node together, where a producer counts once
 * for each log that it has sent to. Counts them. Whoever passes the node's bound has somebody forget those that have been
 * idle for longest, in whichever log they are, soon; but for those heard of lately, because their clients may still resend
 * what was not answered, and would then have it twice. Once there are twice as many as the bound, each log makes room for a
 * new one among its own: others' producers are out of the reach of who makes up new ones. Safe on every thread.
 */
public final class ProducerLimit {
    /** Producers of one log unless the node says otherwise. */
    public static final int DEFAULT_OF_LOG = 10_000;

    /** Producers of all logs where nothing else is said: about 32 MiB. */
    public static final int DEFAULT_OF_NODE = 131_072;

    /** Once there are too many, so many more are forgotten, or awaited, before all logs are looked through again. */
    private static final int TRIM_PARTS = 16;

    /** Producers whose transaction is being verified, of all logs: about 8 MiB. */
    static final int MOST_VERIFICATIONS = 65_536;

    /** Kafka's producers resend for two minutes ({@code delivery.timeout.ms}). */
    public static final long RECENT_MILLIS = 120_000;

    private final int ofLog;
    private final int ofNode;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicInteger verifications = new AtomicInteger();
    private final AtomicBoolean asked = new AtomicBoolean();
    private volatile int trimFrom;
    private volatile Runnable listener = () -> {};

    /**
     * A limit that nothing counts towards yet.
     *
     * @param ofLog at least 1
     * @param ofNode at least 1
     */
    public ProducerLimit(int ofLog, int ofNode) {
        if (ofLog < 1 || ofNode < 1) {
            throw new IllegalArgumentException("no producer could be remembered: " + ofLog + ", " + ofNode);
        }
        this.ofLog = ofLog;
        this.ofNode = ofNode;
        this.trimFrom = ofNode;
    }

    /** For who only looks at logs. */
    public static ProducerLimit none() {
        return new ProducerLimit(Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    int ofLog() {
        return ofLog;
    }

    /** How many all logs together may remember. */
    public int ofNode() {
        return ofNode;
    }

    /** How many all logs together remember now. */
    public int count() {
        return count.get();
    }

    /** How many were forgotten before their time because of the node's bound. */
    public long dropped() {
        return dropped.get();
    }

    /**
     * Tells who has others forgotten where there are too many, from now on.
     *
     * @param newListener is run under a log's append lock, once until {@link #onTrimmed}
     */
    public void onPassed(Runnable newListener) {
        listener = newListener;
        asked.set(false);
        askIfDue(count.get());
    }

    /** Whether others should be forgotten now. */
    public boolean isTrimDue() {
        return count.get() > trimFrom;
    }

    /** How many must be forgotten until others need not be for a while; 0 or less where no bound is passed. */
    public int excess() {
        int now = count.get();
        return now <= ofNode ? 0 : now - ofNode + Math.max(1, ofNode / TRIM_PARTS);
    }

    /** What can be forgotten was. Where that is not enough, because transactions are open, it is not tried again at once. */
    public void onTrimmed(int howMany) {
        dropped.addAndGet(howMany);
        int now = count.get();
        trimFrom = now <= ofNode ? ofNode : (int) Math.min(Integer.MAX_VALUE, (long) now + ofNode / TRIM_PARTS);
        asked.set(false);
    }

    /** Whether there was room for one more producer that is being verified; it counts then. */
    boolean tryAddVerification() {
        if (verifications.incrementAndGet() <= MOST_VERIFICATIONS) {
            return true;
        }
        verifications.decrementAndGet();
        return false;
    }

    void onVerificationsGone(int howMany) {
        verifications.addAndGet(-howMany);
    }

    void onAdded() {
        askIfDue(count.incrementAndGet());
    }

    private void askIfDue(int now) {
        if (now > trimFrom && asked.compareAndSet(false, true)) {
            listener.run();
        }
    }

    void onForgotten(int howMany) {
        count.addAndGet(-howMany);
    }

    /** One was forgotten by its own log in place of those that are idle for longer elsewhere. */
    void onDropped() {
        dropped.incrementAndGet();
    }

    /** Whether a log has to make room among its own. */
    boolean isFarPassed() {
        return count.get() >= 2L * ofNode;
    }
}
