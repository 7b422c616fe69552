package io.sluice.broker.fetch;

import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.base.time.Scheduler;
import io.sluice.broker.api.Call;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadHandle;
import io.sluice.storage.log.ReadListener;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchMetadata;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.jspecify.annotations.Nullable;

/**
 * One Fetch request on its way.
 *
 * <pre>
 * LOOKING ---> READING ---> ANSWERED
 *   |   ^         |             ^
 *   v   | woken   | too little  | time is up
 *  WAITING <------'-------------'
 * </pre>
 *
 * <p>Looking costs a few fields of each partition that is ready; reading happens only once enough is known to be there,
 * one partition after the other, so that limits hold exactly. A read may complete later. Every step runs on the event loop
 * and holds the session's monitor; another request for the same session takes it away, as a client that has given this one
 * up means it.
 */
final class PendingFetch implements ReadListener {
    private enum State {
        LOOKING,
        WAITING,
        READING,
        ANSWERED
    }

    private static final long LONGEST_READ_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final FetchHandler handler;
    private final Call<FetchRequest> call;
    private final FetchConnections.Entry connection;
    private final FetchSession session;
    private final FetchContext context;
    private final boolean full;
    private final int minBytes;
    private final int maxBytes;
    private final long deadlineNanos;
    private final AtomicBoolean woken = new AtomicBoolean();
    private final List<FetchPartition> looked = new ArrayList<>();

    private State state = State.LOOKING;
    private Scheduler.@Nullable Timer timer;
    private int errors;
    private int withData;
    private int granted = -1;
    private long measuredBytes = -1;
    private long grownBytes;
    private boolean lettingGo;
    private int countedPartitions;

    // ---- while READING
    private int reading;
    private int readBytes;
    private boolean inReadLoop;
    private boolean resultArrived;
    private ReadHandle read = ReadHandle.DONE;

    /**
     * A fetch over a session's partitions.
     *
     * @param full whether the answer names every partition
     */
    PendingFetch(
            FetchHandler handler,
            Call<FetchRequest> call,
            FetchConnections.Entry connection,
            FetchSession session,
            FetchContext context,
            boolean full) {
        this.handler = handler;
        this.call = call;
        this.connection = connection;
        this.session = session;
        this.context = context;
        this.full = full;
        FetchRequestData data = call.request().data();
        maxBytes = Math.min(data.maxBytes(), handler.maxBytes());
        minBytes = Math.min(data.minBytes(), maxBytes);
        long waitMillis = Math.max(0, data.maxWaitMs());
        deadlineNanos = call.receivedNanos() + TimeUnit.MILLISECONDS.toNanos(waitMillis);
    }

    /** Begins. The caller holds the session's monitor. */
    void start() {
        session.begin(this);
        connection.begin(this);
        step(false);
        if (connection.isClosed()) {
            abandon();
        }
    }

    // ---- Looking

    private void step(boolean timeIsUp) {
        state = State.LOOKING;
        look();
        boolean last = timeIsUp || isTimeUp();
        if (last || errors > 0 || minBytes <= 0 || session.isEmpty() || isEnough()) {
            startReading(last);
        } else {
            await();
        }
    }

    private boolean isTimeUp() {
        return handler.nanoTime() - deadlineNanos >= 0;
    }

    private void look() {
        session.takeMarked();
        looked.clear();
        errors = 0;
        withData = 0;
        FetchPartition partition = session.firstReady();
        while (partition != null) {
            FetchPartition next = partition.nextReady;
            look(partition);
            partition = next;
        }
    }

    private void look(FetchPartition partition) {
        switch (partition.look(context)) {
            case ERROR -> errors++;
            case DATA -> withData++;
            case QUIET -> {
                session.removeReady(partition);
                return;
            }
            default -> {
                // Moved offsets are told with the next answer and hurry nobody.
            }
        }
        if (minBytes > 1) {
            grownBytes += partition.grownBytes();
        }
        looked.add(partition);
    }

    /** Whether there is as much to read as the client wants, as far as one can tell without reading. */
    private boolean isEnough() {
        if (withData == 0) {
            return false;
        }
        return minBytes <= 1 || measuredBytes < 0 || measuredBytes + grownBytes >= minBytes;
    }

    // ---- Waiting

    private void await() {
        state = State.WAITING;
        letGoOfRequest();
        woken.set(false);
        session.setWaiting(this);
        if (!session.isListening()) {
            // Only now is it worth it: look once more, so that nothing is missed in between.
            session.startListening();
            session.partitions().forEach(session::addReady);
            step(false);
            return;
        }
        if (timer == null) {
            timer = handler.schedule(this::onTimeUp, deadlineNanos - handler.nanoTime(), call.executor());
        }
        if (session.hasMarked()) {
            wake();
        }
    }

    /**
     * The session has what it asked for. The partitions of a session that is only of this request are counted instead of it;
     * where too many are, the request stays counted, and keeps others from being read.
     */
    private void letGoOfRequest() {
        if (lettingGo) {
            return;
        }
        boolean ofThisOnly = session.id() == FetchMetadata.INVALID_SESSION_ID;
        lettingGo = !ofThisOnly || handler.mayWait(session.size());
        if (lettingGo) {
            countedPartitions = ofThisOnly ? session.size() : 0;
            call.forgetRequest();
        }
    }

    /** A partition was marked. On any thread. */
    void wake() {
        if (woken.compareAndSet(false, true)) {
            call.executor().execute(this::onWoken);
        }
    }

    private void onWoken() {
        synchronized (session) {
            if (state == State.WAITING) {
                session.setWaiting(null);
                context.onWoken();
                step(false);
            }
        }
    }

    private void onTimeUp() {
        synchronized (session) {
            if (state == State.WAITING) {
                session.setWaiting(null);
                step(true);
            }
        }
    }

    // ---- Reading

    private void startReading(boolean last) {
        cancelTimer();
        if (withData > 0 && granted <= 0) {
            granted = call.reserveResponse(wantedBytes());
            if (granted == 0 && errors == 0 && !last) {
                // Clients that do not read hold all memory for answers: wait like one for whom there is nothing.
                await();
                return;
            }
        }
        state = State.READING;
        reading = 0;
        readBytes = 0;
        readOn();
    }

    private int wantedBytes() {
        long wanted = 0;
        for (FetchPartition partition : looked) {
            wanted += partition.answer.error() == Errors.NONE ? partition.readableBytes() : 0;
        }
        // Who reads on until there is enough must have room for it.
        long atLeast = minBytes > 1 ? 2L * minBytes : 1;
        return (int) Math.max(1, Math.min(Math.max(wanted, atLeast), maxBytes));
    }

    /** Reads partition after partition until a result lets itself be waited for. */
    private void readOn() {
        inReadLoop = true;
        while (reading < looked.size()) {
            FetchPartition partition = looked.get(reading);
            PartitionLog log = partition.log();
            if (log == null || !mayRead(partition)) {
                reading++;
                continue;
            }
            resultArrived = false;
            read = read(log, requestFor(partition));
            if (!resultArrived) {
                inReadLoop = false;
                timer = handler.schedule(this::onReadOverdue, LONGEST_READ_NANOS, call.executor());
                return;
            }
        }
        inReadLoop = false;
        afterReading();
    }

    /** A log that finds no memory for a read on this thread says so by throwing. */
    private ReadHandle read(PartitionLog log, ReadRequest request) {
        try {
            return log.read(request, this);
        } catch (MemoryExhaustedException e) {
            onRead(new ReadResult.Failed("no memory for the read"));
            return ReadHandle.DONE;
        }
    }

    private boolean mayRead(FetchPartition partition) {
        boolean wanted = partition.answer.error() == Errors.NONE && !partition.answer.hasDivergingEpoch();
        boolean room = readBytes == 0 ? granted > 0 : readBytes < Math.min(maxBytes, granted);
        return wanted && room && partition.fetchOffset < limitOf(partition.answer);
    }

    private long limitOf(PartitionAnswer answer) {
        return context.readCommitted() ? answer.lastStableOffset() : answer.visibleOffset();
    }

    private ReadRequest requestFor(FetchPartition partition) {
        int room = Math.max(0, Math.min(maxBytes, granted) - readBytes);
        return new ReadRequest(
                partition.fetchOffset,
                Math.max(0, Math.min(partition.maxBytes, room)),
                readBytes == 0,
                context.limit(),
                call.executor());
    }

    @Override
    public void onRead(ReadResult result) {
        synchronized (session) {
            if (state != State.READING) {
                if (result instanceof ReadResult.Records records) {
                    records.slice().release();
                }
                return;
            }
            cancelTimer();
            take(looked.get(reading), result);
            reading++;
            resultArrived = true;
            if (!inReadLoop) {
                readOn();
            }
        }
    }

    /** No log should let itself be waited for so long; if one does, the client shall not. */
    private void onReadOverdue() {
        synchronized (session) {
            if (state == State.READING && read.cancel()) {
                onRead(new ReadResult.Failed("the read took too long"));
            }
        }
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private void take(FetchPartition partition, ReadResult result) {
        PartitionAnswer answer = partition.answer;
        if (result instanceof ReadResult.Records records) {
            answer.setRecords(records);
            readBytes += answer.recordBytes();
            return;
        }
        errors++;
        if (result instanceof ReadResult.OutOfRange) {
            answer.fail(Errors.OFFSET_OUT_OF_RANGE);
        } else if (result instanceof ReadResult.Corrupt) {
            answer.fail(Errors.CORRUPT_MESSAGE);
        } else if (result instanceof ReadResult.NotServed notServed) {
            answer.fail(partition.errorOf(notServed.state()));
        } else {
            answer.fail(Errors.KAFKA_STORAGE_ERROR);
        }
    }

    private void afterReading() {
        if (readBytes >= enoughBytes() || errors > 0 || minBytes <= 0 || session.isEmpty() || isTimeUp()) {
            answer();
            return;
        }
        // Less than the client wants: give it back, and look again when as much as is missing has been appended.
        measuredBytes = readBytes;
        grownBytes = 0;
        dropRecords();
        call.releaseResponse();
        granted = -1;
        await();
    }

    /**
     * How much must have been read. Batches are whole, so that a limit may cut off what lies a little below it: half of the
     * limit is enough where the client wants nearly as much as it allows.
     */
    private int enoughBytes() {
        return Math.min(minBytes, Math.max(1, Math.min(maxBytes, granted) / 2));
    }

    private void dropRecords() {
        for (FetchPartition partition : looked) {
            partition.answer.dropRecords();
        }
    }

    // ---- Answering

    private void answer() {
        finish();
        FetchAnswers answers = new FetchAnswers(context, session.id(), full ? session.size() : looked.size());
        if (full) {
            session.partitions().forEach(partition -> tell(answers, partition));
        } else {
            for (FetchPartition partition : looked) {
                if (partition.isNews()) {
                    tell(answers, partition);
                }
            }
        }
        respond(answers);
    }

    private void respond(FetchAnswers answers) {
        List<Object> parts;
        try {
            parts = answers.encode(handler.answerBuffers());
        } catch (MemoryExhaustedException e) {
            call.closeConnection("no memory for the answer of a Fetch: " + e.getMessage());
            return;
        }
        for (int i = 0; i < looked.size(); i++) {
            settle(looked.get(i));
        }
        looked.clear();
        call.respondEncoded(parts);
    }

    private void tell(FetchAnswers answers, FetchPartition partition) {
        if (partition.answer.error() != Errors.NONE) {
            call.countError(context.translate(partition.answer.error()));
        }
        answers.add(partition);
        partition.told();
    }

    /**
     * Whoever has been served goes to the end, and stays ready until the client asks for what follows; whoever has nothing
     * more to tell leaves.
     */
    private void settle(FetchPartition partition) {
        PartitionAnswer answer = partition.answer;
        boolean hasMore = answer.error() == Errors.NONE && partition.fetchOffset < limitOf(answer);
        if (answer.isServed()) {
            session.moveToEnd(partition);
        } else if (!hasMore && answer.error() == Errors.NONE && !answer.hasDivergingEpoch()) {
            session.removeReady(partition);
        }
    }

    private void finish() {
        state = State.ANSWERED;
        handler.waitsNoLonger(countedPartitions);
        countedPartitions = 0;
        session.setWaiting(null);
        cancelTimer();
        session.end(this);
        connection.end(this);
    }

    /** Another request has taken the session: this one's epoch no longer holds. The caller holds the monitor. */
    void supersede() {
        if (state != State.ANSWERED) {
            drop();
            FetchResponseData error = new FetchResponseData()
                    .setErrorCode(Errors.INVALID_FETCH_SESSION_EPOCH.code())
                    .setSessionId(session.id());
            call.respond(FetchResponse.of(error));
        }
    }

    /** The connection has closed. */
    void abandon() {
        synchronized (session) {
            if (state != State.ANSWERED) {
                drop();
                call.respondNothing();
            }
        }
    }

    private void drop() {
        read.cancel();
        dropRecords();
        finish();
    }
}
