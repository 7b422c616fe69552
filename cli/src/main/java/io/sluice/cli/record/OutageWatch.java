package io.sluice.cli.record;

import io.sluice.base.time.Clock;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Tells a follower when its node cannot be reached, once, and when it is back: Kafka's consumer tries again for ever and says
 * nothing. A node that is there answers every fetch within half a second, records or not, so nobody is asked as long as bytes
 * come. For one thread.
 */
final class OutageWatch {
    /** Longer than the pause between two heartbeats of a member that has no partition to fetch from. */
    private static final long QUIET_NANOS = Duration.ofSeconds(4).toNanos();

    private static final long PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

    private final Clock clock;
    private final PrintStream err;
    private final Supplier<OptionalLong> received;
    private final Supplier<Optional<String>> refusal;
    private long seen;
    private long lookAtNanos;
    private boolean out;

    /**
     * A watch that begins now.
     *
     * @param received bytes that came so far; empty where that is not known
     * @param refusal asks the node; why it does not answer, or empty where it does; blocks, within a time
     */
    OutageWatch(Clock clock, PrintStream err, Supplier<OptionalLong> received, Supplier<Optional<String>> refusal) {
        this.clock = clock;
        this.err = err;
        this.received = received;
        this.refusal = refusal;
        this.lookAtNanos = clock.nanoTime() + QUIET_NANOS;
    }

    /** To be called often. */
    void look() {
        OptionalLong now = received.get();
        if (now.isEmpty()) {
            return;
        }
        if (now.getAsLong() != seen) {
            seen = now.getAsLong();
            lookAtNanos = clock.nanoTime() + QUIET_NANOS;
            onBytes();
        } else if (clock.nanoTime() - lookAtNanos >= 0) {
            onSilence();
            lookAtNanos = clock.nanoTime() + PAUSE_NANOS;
        }
    }

    private void onBytes() {
        if (out) {
            out = false;
            err.println("sluice: The node answers again. Reading goes on where it was.");
        }
    }

    private void onSilence() {
        if (out) {
            return;
        }
        refusal.get().ifPresent(reason -> {
            out = true;
            err.println("sluice: warning: " + reason + " It is tried again until it answers.");
        });
    }
}
