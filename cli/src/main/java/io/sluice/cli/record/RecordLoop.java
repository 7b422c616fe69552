package io.sluice.cli.record;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.output.Console;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Reads and prints until the partitions' ends (as they were when reading began), a count, or an interrupt; gives up when
 * nothing comes within the time-out, unless it follows. For one thread, but for the wake-up that an interrupt gives.
 */
final class RecordLoop implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(250);
    private static final Duration CLOSE = Duration.ofSeconds(2);
    /** For a consumer whose JoinGroup may be waiting for its answer: its LeaveGroup would wait behind it. */
    private static final Duration CLOSE_UNSETTLED = Duration.ofMillis(300);
    /** For all that an interrupted consumer has to end: a commit, its own end, and that of its membership. */
    private static final Duration INTERRUPT = Duration.ofSeconds(10);

    private final Consumer<byte[], byte[]> consumer;
    private final ReadProbe probe;
    private final StallCheck stall;
    private final Console console;
    private final RecordPrinter printer;
    private final Membership membership;
    private final OutageWatch outage;
    private final Duration timeout;
    private final boolean follow;
    private final long limit;
    private final CountDownLatch closed = new CountDownLatch(1);
    private long printed;
    private boolean outIsGone;
    /** Printed last and not committed yet: only what is printed after it can tell that nobody reads any more. */
    private final Map<TopicPartition, OffsetAndMetadata> uncommitted = new HashMap<>();

    private long missing = Long.MAX_VALUE;
    private long progressNanos;
    private Progress progress;
    private volatile boolean interrupted;
    private boolean joining;
    /** Why the group's state could not be read when that was asked last. */
    private @Nullable UserException refused;

    /**
     * Registers for interrupts.
     *
     * @param consumer closed with this
     * @param membership the consumer's place in its group
     */
    RecordLoop(
            Consumer<byte[], byte[]> consumer,
            Membership membership,
            ReadProbe probe,
            OutageWatch outage,
            Console console,
            RecordPrinter printer,
            ReadBounds bounds) {
        this.consumer = consumer;
        this.probe = probe;
        this.membership = membership;
        this.outage = outage;
        this.timeout = bounds.timeout();
        this.follow = bounds.follow();
        this.limit = bounds.limit();
        this.stall = new StallCheck(consumer, probe, console, StallCheck.patience(timeout), follow);
        this.console = console;
        this.printer = printer;
        this.progress = Progress.none();
        this.progressNanos = console.clock().nanoTime();
        console.interrupts().accept(this::interrupt);
    }

    /** Reads one partition or all, outside any group. */
    void consume(String topic, @Nullable Integer onlyPartition, StartPosition start) {
        try {
            Set<TopicPartition> partitions = partitions(topic, onlyPartition);
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, timeout);
            seek(partitions, start, ends);
            progress = progress(ends);
            while (!isDone() && !hasReached(ends)) {
                print(consumer.poll(POLL));
                requireProgress();
            }
        } catch (WakeupException e) {
            // The interrupt that ends a command, whatever it was at.
            return;
        }
    }

    /**
     * Reads as a member of the consumer's group and commits what was printed, one poll later: a pipe takes the records
     * that its reader never reads, and only the next write fails.
     */
    void consumeAsGroup(String topic) {
        Map<TopicPartition, Long> ends = new HashMap<>();
        try {
            partitions(topic, null);
            consumer.subscribe(List.of(topic), new CommitBeforeRevocation());
            joining = true;
            while (!isDone() && !hasReachedAssigned(ends)) {
                Map<TopicPartition, OffsetAndMetadata> done = print(consumer.poll(POLL));
                Map<TopicPartition, OffsetAndMetadata> before = Map.copyOf(uncommitted);
                // First of all: the commit may be interrupted, and these are printed.
                uncommitted.putAll(done);
                commit(before);
                requireProgress();
            }
        } catch (WakeupException e) {
            // The interrupt that ends a command, whatever it was at.
            progress.to(printed);
        }
        commitLast();
    }

    /** An interrupt may come just here as well; it comes once. */
    private void commitLast() {
        try {
            commit(Map.copyOf(uncommitted));
        } catch (WakeupException e) {
            commit(Map.copyOf(uncommitted));
        }
    }

    private boolean hasReachedAssigned(Map<TopicPartition, Long> ends) {
        if (follow || consumer.assignment().isEmpty()) {
            return false;
        }
        addEnds(ends);
        return hasReached(ends);
    }

    /** What could not be printed is for the next reader. */
    private void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (offsets.isEmpty() || outIsGone) {
            return;
        }
        try {
            consumer.commitSync(offsets, interrupted ? min(timeout, CLOSE) : timeout);
            uncommitted.entrySet().removeAll(offsets.entrySet());
        } catch (TimeoutException | CommitFailedException | RebalanceInProgressException e) {
            // A follower outlives its node: what is not committed stays noted while the partition is this member's, and
            // goes with the next commit.
            if (!follow || interrupted) {
                throw e;
            }
        }
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    /**
     * Who gets a partition next is to begin behind what was printed here. What could not be committed by then is printed
     * again: the next owner may have got further when there is another chance to commit.
     */
    private final class CommitBeforeRevocation implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            try {
                commit(Map.copyOf(uncommitted));
            } catch (WakeupException e) {
                commit(Map.copyOf(uncommitted));
                throw e;
            } finally {
                uncommitted.keySet().removeAll(partitions);
            }
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            uncommitted.keySet().removeAll(partitions);
        }
    }

    private boolean isDone() {
        return printed >= limit || outIsGone;
    }

    /** A bar where the records themselves are not seen. */
    private Progress progress(Map<TopicPartition, Long> ends) {
        long total = 0;
        for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
            total += end.getValue() - consumer.position(end.getKey(), timeout);
        }
        return Progress.start(
                console, !follow && !console.outIsTerminal(), "Reading", " records", Math.min(total, limit));
    }

    private void requireProgress() {
        if (follow) {
            outage.look();
        }
        if (isDone() || console.clock().nanoTime() - progressNanos <= timeout.toNanos()) {
            return;
        }
        stall.requireReadable();
        requireReadableGroup();
        if (follow) {
            onProgress();
            return;
        }
        throw new UserException(
                ExitCode.UNAVAILABLE,
                consumer.assignment().isEmpty()
                        ? "The group gave this member no partition within " + timeout.toSeconds()
                                + " s: its other members may hold them all ('sluice group describe'), or the node cannot"
                                + " write the group's state, of which its log tells. --follow waits."
                        : "No answer in time: nothing came within " + timeout.toSeconds() + " s, and " + missing
                                + " records are still to come. Does the node run? --timeout SECONDS waits longer.");
    }

    /** Where the group's state cannot be read nobody can be a member; a follower waits, and is told so once. */
    private void requireReadableGroup() {
        UserException refusal = joining && consumer.assignment().isEmpty() ? membership.refusal() : null;
        boolean again = refused != null && refusal != null && refused.line().equals(refusal.line());
        refused = refusal;
        if (refusal != null && !follow) {
            throw refusal;
        }
        if (refusal != null && !again) {
            console.err().println("sluice: warning: " + refusal.line() + " It is tried again.");
        }
    }

    private void onProgress() {
        progressNanos = console.clock().nanoTime();
    }

    private Set<TopicPartition> partitions(String topic, @Nullable Integer onlyPartition) {
        var infos = consumer.partitionsFor(topic, timeout);
        if (infos == null || infos.isEmpty()) {
            throw new UserException(
                    ExitCode.FAILED, "There is no topic '" + topic + "'. 'sluice topic list' shows those there are.");
        }
        if (onlyPartition != null && (onlyPartition < 0 || onlyPartition >= infos.size())) {
            throw new UserException(
                    ExitCode.USAGE,
                    "Topic '" + topic + "' has no partition " + onlyPartition + ": allowed is 0 to "
                            + (infos.size() - 1) + ".");
        }
        Set<TopicPartition> partitions = new HashSet<>();
        infos.forEach(info -> {
            if (onlyPartition == null || info.partition() == onlyPartition) {
                partitions.add(new TopicPartition(topic, info.partition()));
            }
        });
        return partitions;
    }

    private void seek(Set<TopicPartition> partitions, StartPosition start, Map<TopicPartition, Long> ends) {
        Map<TopicPartition, Long> starts = consumer.beginningOffsets(partitions, timeout);
        Map<TopicPartition, Long> wanted = new HashMap<>();
        if (start instanceof StartPosition.AtTime time) {
            wanted.putAll(atTime(partitions, time.epochMillis(), ends));
        }
        for (TopicPartition partition : partitions) {
            long first = starts.getOrDefault(partition, 0L);
            long end = ends.getOrDefault(partition, first);
            long offset = end;
            if (start instanceof StartPosition.Beginning) {
                offset = first;
            } else if (start instanceof StartPosition.AtOffset at) {
                offset = Math.min(Math.max(at.offset(), first), end);
            } else if (start instanceof StartPosition.AtTime) {
                offset = wanted.getOrDefault(partition, end);
            }
            consumer.seek(partition, offset);
        }
        if (start instanceof StartPosition.AtOffset at) {
            warnUnlessThere(at.offset(), partitions, starts, ends);
        }
    }

    /** Partitions end where they end; but an offset that none of them has is a slip of the pen. */
    private void warnUnlessThere(
            long offset,
            Set<TopicPartition> partitions,
            Map<TopicPartition, Long> starts,
            Map<TopicPartition, Long> ends) {
        boolean there = partitions.stream()
                .anyMatch(partition ->
                        offset >= starts.getOrDefault(partition, 0L) && offset <= ends.getOrDefault(partition, 0L));
        if (!there) {
            console.err()
                    .println("sluice: warning: no partition has offset " + offset
                            + ": reading begins at the nearest there is ('sluice topic describe').");
        }
    }

    private Map<TopicPartition, Long> atTime(
            Set<TopicPartition> partitions, long epochMillis, Map<TopicPartition, Long> ends) {
        Map<TopicPartition, Long> times = new HashMap<>();
        partitions.forEach(partition -> times.put(partition, epochMillis));
        Map<TopicPartition, Long> offsets = new HashMap<>(ends);
        Map<TopicPartition, @Nullable OffsetAndTimestamp> found = consumer.offsetsForTimes(times, timeout);
        found.forEach((partition, offset) -> {
            if (offset != null) {
                offsets.put(partition, offset.offset());
            }
        });
        return offsets;
    }

    /** Prints records up to the limit; returns the offsets to commit for what was printed. */
    private Map<TopicPartition, OffsetAndMetadata> print(ConsumerRecords<byte[], byte[]> records) {
        Map<TopicPartition, OffsetAndMetadata> done = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> read : records) {
            if (printed == limit) {
                break;
            }
            printer.print(read);
            printed++;
            done.put(new TopicPartition(read.topic(), read.partition()), new OffsetAndMetadata(read.offset() + 1));
        }
        progress.to(printed);
        if (!done.isEmpty()) {
            onProgress();
            outIsGone = console.out().failure() != null;
        }
        return done;
    }

    private void addEnds(Map<TopicPartition, Long> ends) {
        ends.keySet().retainAll(consumer.assignment());
        Set<TopicPartition> added = new HashSet<>(consumer.assignment());
        added.removeAll(ends.keySet());
        if (!added.isEmpty()) {
            ends.putAll(consumer.endOffsets(added, timeout));
        }
    }

    private boolean hasReached(Map<TopicPartition, Long> ends) {
        if (follow) {
            return false;
        }
        long before = missing;
        missing = 0;
        for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
            missing += Math.max(0, end.getValue() - consumer.position(end.getKey(), timeout));
        }
        // Positions move over what is never shown, too: markers of transactions, records compacted away.
        if (missing != before) {
            onProgress();
        }
        return missing == 0;
    }

    /** Runs on the thread that ends the process: lets the reading thread leave its group in order. */
    private void interrupt() {
        interrupted = true;
        consumer.wakeup();
        probe.stop();
        try {
            if (!closed.await(INTERRUPT.toMillis(), TimeUnit.MILLISECONDS)) {
                console.err().println("sluice: warning: ended before the consumer was closed.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        progress.close();
        try {
            leave();
        } finally {
            closed.countDown();
        }
    }

    /** Whatever the consumer was at: a member that is still in its group keeps it waiting until its session ends. */
    private void leave() {
        boolean settled = !joining || !consumer.assignment().isEmpty();
        Duration patience = settled ? CLOSE : CLOSE_UNSETTLED;
        long deadlineNanos = console.clock().nanoTime() + patience.toNanos();
        boolean left = false;
        try {
            consumer.close(
                    CloseOptions.timeout(patience).withGroupMembershipOperation(GroupMembershipOperation.LEAVE_GROUP));
            left = settled && console.clock().nanoTime() - deadlineNanos < 0;
        } finally {
            if (joining && !left && refused == null) {
                endMembership();
            }
        }
    }

    private void endMembership() {
        String failure = membership.end();
        if (failure != null) {
            console.err()
                    .println("sluice: warning: Could not leave the group (" + failure
                            + "): it waits for this member until its session ends.");
        }
    }
}
