package io.sluice.broker.share;

import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.base.time.Scheduler;
import io.sluice.broker.api.Call;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.coordinator.share.AcquireLimits;
import io.sluice.coordinator.share.AcquiredRange;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.ShareFetchRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One ShareFetch on its way.
 *
 * <pre>
 * READING ---> DONE ---> answered, when its acknowledgements are durable too
 *  |    ^       ^
 *  |    | turn  | time is up
 * WAITING ------'
 * </pre>
 *
 * <p>It goes through the member's partitions once and takes what is free, until it has what it wants. Where there is nothing, it
 * waits in the line of each partition, be it that this loads still, for its turn: then it reads there, and is done if it got
 * something. Everything but turns and losses is heard of on the event loop; those are handed over to it.
 */
final class PendingShareFetch implements ShareTurn {
    private enum State {
        READING,
        WAITING,
        DONE
    }

    private static final Logger LOG = LoggerFactory.getLogger(PendingShareFetch.class);

    /** A read gets some more than what records took so far: their sizes differ. */
    private static final int READ_AHEAD_PERCENT = 130;

    private static final int LEAST_READ_BYTES = 16 * 1024;

    /** What is read is copied to the heap: a turn takes no more than this, or one batch. */
    private static final int MOST_READ_BYTES = 1 << 20;

    /** The same for one answer, of all partitions. */
    static final int MOST_ANSWER_BYTES = 4 << 20;

    /** How long until it lines up again after there was no memory for what it would have read. */
    static final long MEMORY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final byte RECORD_LIMIT = 1;

    private final ShareFetchHandler handler;
    private final Call<ShareFetchRequest> call;
    private final ShareSession session;
    private final Acknowledging acknowledging;
    private final ShareFetchAnswer answer = new ShareFetchAnswer();
    private final List<ServedSharePartition> partitions = new ArrayList<>();
    private final boolean strict;
    private final int maxRecords;
    private final int maxBytes;
    private final long deadlineNanos;

    private State state = State.READING;
    private Scheduler.@Nullable Timer timer;
    private int next;
    private long records;
    /** Of what is delivered. */
    private int bytes;
    /** Set aside for the answer, used or not. */
    private int reserved;

    private boolean news;
    private boolean answered;

    PendingShareFetch(
            ShareFetchHandler handler,
            Call<ShareFetchRequest> call,
            ShareSession session,
            Acknowledging acknowledging) {
        this.handler = handler;
        this.call = call;
        this.session = session;
        this.acknowledging = acknowledging;
        ShareFetchRequestData data = call.request().data();
        strict = data.shareAcquireMode() == RECORD_LIMIT;
        maxRecords = Math.max(0, data.maxRecords());
        maxBytes = Math.max(0, Math.min(Math.min(data.maxBytes(), MOST_ANSWER_BYTES), handler.maxBytes()));
        deadlineNanos = call.receivedNanos() + TimeUnit.MILLISECONDS.toNanos(Math.max(0, data.maxWaitMs()));
    }

    /** Begins. */
    void start(List<ShareSession.Part> parts) {
        call.forgetRequest();
        if (session.isEnded()) {
            endWithSession();
            return;
        }
        for (ShareSession.Part part : parts) {
            SharePartitions.Found found =
                    handler.partitions().require(session.key().groupId(), part.topicId(), part.partition());
            ServedSharePartition partition = found.partition();
            if (partition == null) {
                fail(part, found.error());
            } else {
                partitions.add(partition);
            }
        }
        readOn();
    }

    private void fail(ShareSession.Part part, Errors error) {
        answer.fail(part, error);
        news = true;
    }

    private static ShareSession.Part partOf(ServedSharePartition partition) {
        return new ShareSession.Part(
                KafkaIds.toUuid(partition.key().partition().topicId()),
                partition.key().partition().partition());
    }

    // ---- Going through the partitions

    private void readOn() {
        while (next < partitions.size() && wantsMore()) {
            ServedSharePartition partition = partitions.get(next);
            next++;
            if (partition.tryBegin(this)) {
                read(partition);
                return;
            }
        }
        if (news || isTimeUp() || partitions.isEmpty() || !wantsMore()) {
            finish();
        } else {
            await();
        }
    }

    private boolean wantsMore() {
        return records < maxRecords && bytes < maxBytes;
    }

    private boolean isTimeUp() {
        return handler.clock().nanoTime() - deadlineNanos >= 0;
    }

    // ---- Waiting

    private void await() {
        setOut(deadlineNanos, this::onTimeUp);
        for (ServedSharePartition partition : partitions) {
            if (state == State.WAITING) {
                partition.enqueue(this);
            }
        }
    }

    /** Holds nothing while it waits. */
    private void setOut(long untilNanos, Runnable next) {
        state = State.WAITING;
        call.releaseResponse();
        reserved = 0;
        cancelTimer();
        long delay = Math.max(0, untilNanos - handler.clock().nanoTime());
        timer = handler.scheduler().schedule(next, delay, call.executor());
    }

    private void withdraw() {
        partitions.forEach(partition -> partition.withdraw(this));
    }

    private void onTimeUp() {
        if (state == State.WAITING) {
            withdraw();
            finish();
        }
    }

    @Override
    public void onTurn(ServedSharePartition partition) {
        call.executor().execute(() -> takeTurn(partition));
    }

    private void takeTurn(ServedSharePartition partition) {
        if (state != State.WAITING) {
            // Another partition was first, or the time is up.
            partition.end(this);
            return;
        }
        state = State.READING;
        withdraw();
        next = partitions.size();
        read(partition);
    }

    @Override
    public void onLost(ServedSharePartition partition) {
        call.executor().execute(() -> {
            if (state == State.WAITING) {
                fail(partOf(partition), partition.lost());
                withdraw();
                finish();
            }
        });
    }

    // ---- Reading

    private void read(ServedSharePartition partition) {
        int room = reserve(wantedBytes(partition));
        if (room == 0) {
            onNoMemory(partition);
            return;
        }
        PartitionLog log = partition.log();
        long from = partition.records().nextOffset();
        ReadRequest.Limit limit = partition.limit();
        // As it is before the read: that nothing was found says nothing of what has become readable since.
        long end = partition.readableEnd(limit);
        Reading reading = new Reading(partition, from, end, limit == ReadRequest.Limit.LAST_STABLE);
        ReadRequest request = new ReadRequest(from, room, true, limit, call.executor());
        try {
            log.read(request, result -> call.executor().execute(() -> onRead(reading, result)));
        } catch (MemoryExhaustedException e) {
            onNoMemory(partition);
        }
    }

    /** What is being read. */
    private record Reading(ServedSharePartition partition, long from, long end, boolean readCommitted) {}

    /** What was set aside for other partitions and not used serves for this one; returns how much there is, at most what is wanted. */
    private int reserve(int wanted) {
        int free = Math.max(0, reserved - bytes);
        if (free < wanted) {
            int granted = call.reserveResponse(wanted - free);
            reserved += granted;
            free += granted;
        }
        return Math.min(free, wanted);
    }

    /**
     * Clients that do not read hold all memory for answers. It is over with what it has, or lines up again after a pause: without
     * one, those in the line would run out of memory one after the other all the time.
     */
    private void onNoMemory(ServedSharePartition partition) {
        if (news || isTimeUp()) {
            finish();
        } else {
            long again = handler.clock().nanoTime() + MEMORY_PAUSE_NANOS;
            if (again - deadlineNanos < 0) {
                setOut(again, this::onPauseOver);
            } else {
                setOut(deadlineNanos, this::onTimeUp);
            }
        }
        partition.end(this);
    }

    private void onPauseOver() {
        if (state == State.WAITING) {
            await();
        }
    }

    private int wantedBytes(ServedSharePartition partition) {
        long wanted = (maxRecords - records) * partition.bytesPerRecord() * READ_AHEAD_PERCENT / 100;
        long most = Math.min(MOST_READ_BYTES, (long) maxBytes - bytes);
        return (int) Math.max(1, Math.min(Math.max(wanted, LEAST_READ_BYTES), most));
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // whatever goes wrong with what was read, the fetch is answered
    private void onRead(Reading reading, ReadResult result) {
        ServedSharePartition partition = reading.partition();
        if (state != State.READING) {
            if (result instanceof ReadResult.Records read) {
                read.slice().release();
            }
            partition.end(this);
            return;
        }
        try {
            if (result instanceof ReadResult.Records read) {
                take(reading, read);
            } else {
                onNoRecords(partition, result);
            }
        } catch (IOException e) {
            LOG.error("Reading {} for a share group failed", partition.key().partition(), e);
            fail(partOf(partition), Errors.KAFKA_STORAGE_ERROR);
        } catch (RuntimeException e) {
            onDefect(partition, e);
        } finally {
            partition.end(this);
        }
        readOn();
    }

    /** A defect leaves no fetch unanswered: it would hold up all who wait for the partition. */
    private void onDefect(ServedSharePartition partition, RuntimeException defect) {
        LOG.error(
                "What was read of {} for a share group could not be used",
                partition.key().partition(),
                defect);
        fail(partOf(partition), Errors.UNKNOWN_SERVER_ERROR);
    }

    private void take(Reading reading, ReadResult.Records read) throws IOException {
        ServedSharePartition partition = reading.partition();
        long from = reading.from();
        partition.records().onLogStart(read.logStartOffset());
        ReadBatches batches = ReadBatches.of(read, reading.readCommitted(), from, reading.end());
        partition.noteSize(batches.sizeInBytes(), batches.deliverable());
        List<AcquiredRange> acquired = partition
                .records()
                .acquire(
                        session.holder(),
                        from,
                        batches.batches(),
                        new AcquireLimits((int) Math.min(Integer.MAX_VALUE, maxRecords - records), strict));
        if (session.isEnded()) {
            partition.records().giveBack(session.holder(), acquired);
            return;
        }
        if (!acquired.isEmpty()) {
            MemoryRecords delivered = batches.holding(acquired);
            answer.deliver(partOf(partition), delivered, acquired);
            acquired.forEach(range -> records += range.size());
            handler.partitions().count(partition.key().partition().topicId(), delivered.sizeInBytes(), acquired);
            bytes += delivered.sizeInBytes();
            news = true;
        }
    }

    private void onNoRecords(ServedSharePartition partition, ReadResult result) {
        if (result instanceof ReadResult.OutOfRange range) {
            // What had to be delivered is gone from the log: it is passed over, and looked at again.
            partition.records().onLogStart(range.logStartOffset());
        } else if (result instanceof ReadResult.Corrupt) {
            fail(partOf(partition), Errors.CORRUPT_MESSAGE);
        } else if (result instanceof ReadResult.NotServed notServed) {
            fail(
                    partOf(partition),
                    notServed.state() == LogState.DELETED
                            ? Errors.UNKNOWN_TOPIC_OR_PARTITION
                            : Errors.NOT_LEADER_OR_FOLLOWER);
        } else {
            fail(partOf(partition), Errors.KAFKA_STORAGE_ERROR);
        }
    }

    // ---- Answering

    private void finish() {
        state = State.DONE;
        cancelTimer();
        acknowledging.whenDone(call.executor(), done -> {
            if (!answered) {
                answered = true;
                done.forEach(answer::acknowledged);
                call.respond(answer.response(handler.lockMillis(session.key().groupId())));
            }
        });
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /** Its session has ended, be it with the connection: what was taken is given to others. On any thread. */
    void supersede() {
        call.executor().execute(this::endWithSession);
    }

    private void endWithSession() {
        if (!answered) {
            answered = true;
            state = State.DONE;
            cancelTimer();
            withdraw();
            call.respond(ShareFetchAnswer.error(Errors.SHARE_SESSION_NOT_FOUND));
        }
    }
}
