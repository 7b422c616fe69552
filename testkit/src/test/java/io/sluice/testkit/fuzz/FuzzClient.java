package io.sluice.testkit.fuzz;

import io.sluice.testkit.wire.RawConnection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/**
 * Sends spoiled frames on one connection after the other and sees to every one of them: several that can be read at a time,
 * then, when all of those have been answered, one that is to close the connection or may be answered late. So a close
 * belongs to one frame. Every answer must be one that its frame asks for. Runs on a thread of its own.
 */
final class FuzzClient implements Runnable {
    private static final Duration HANG = Duration.ofSeconds(30);
    private static final int LATE_MILLIS = 20;
    private static final int MOST_AT_ONCE = 24;
    private static final int PROBE_CORRELATION = 0x5eed;
    /** One in so many rounds begins with something that its requests can ask for with success. */
    private static final int ROUNDS_PER_LIFE = 4;

    private final InetSocketAddress address;
    private final Random random;
    private final Mutation mutation;
    private final LiveRequests live;
    private final FuzzCoverage coverage;
    private final long target;
    private final SpoiledFrame probe;
    /** Sent and not seen to yet, in order. */
    private final Deque<SpoiledFrame> pending = new ArrayDeque<>();

    private @Nullable RawConnection connection;

    /**
     * A client.
     *
     * @param target how many frames are counted, with those of other clients, when it stops
     */
    FuzzClient(
            InetSocketAddress address,
            Random random,
            Corpus corpus,
            LiveRequests live,
            FuzzCoverage coverage,
            long target) {
        this.live = live;
        this.address = address;
        this.random = random;
        this.mutation = new Mutation(random, corpus);
        this.coverage = coverage;
        this.target = target;
        this.probe = SpoiledFrame.of(
                Spoiling.NONE,
                RawConnection.encode(0, "probe", PROBE_CORRELATION, new ApiVersionsRequestData()),
                corpus);
    }

    @Override
    public void run() {
        try {
            while (coverage.counted() < target) {
                round();
            }
        } catch (SocketTimeoutException e) {
            throw new IllegalStateException("No answer within " + HANG + " to " + describePending(), e);
        } catch (ConnectException e) {
            throw new IllegalStateException("The node takes no connection.", e);
        } catch (IOException e) {
            throw new IllegalStateException("While waiting for " + describePending(), e);
        } finally {
            disconnect();
        }
    }

    private String describePending() {
        return pending.isEmpty() ? "nothing" : pending.peek().describe() + " and " + (pending.size() - 1) + " more";
    }

    private void round() throws IOException {
        if (random.nextInt(ROUNDS_PER_LIFE) == 0) {
            live.begin(connect());
        }
        List<SpoiledFrame> readable = new ArrayList<>();
        SpoiledFrame last = null;
        for (int count = 1 + random.nextInt(MOST_AT_ONCE); count > 0 && last == null; count--) {
            SpoiledFrame frame = mutation.next(live);
            boolean goesOn = frame.expectation() == SpoiledFrame.Expectation.ANSWER
                    || frame.expectation() == SpoiledFrame.Expectation.NO_ANSWER;
            if (goesOn) {
                readable.add(frame);
            } else {
                last = frame;
            }
        }
        if (endsSilent(readable)) {
            readable.add(probe);
        }
        send(readable);
        while (!pending.isEmpty()) {
            receive();
        }
        if (last != null) {
            sendLast(last);
        }
    }

    /** Whether nothing would tell that the last of them was read. */
    private static boolean endsSilent(List<SpoiledFrame> frames) {
        return !frames.isEmpty() && frames.get(frames.size() - 1).expectation() == SpoiledFrame.Expectation.NO_ANSWER;
    }

    private void sendLast(SpoiledFrame last) throws IOException {
        send(List.of(last));
        if (last.expectation() == SpoiledFrame.Expectation.NOTHING) {
            coverage.add(last, FuzzCoverage.Outcome.UNFINISHED);
            disconnect();
            return;
        }
        if (last.expectation() != SpoiledFrame.Expectation.LATE_ANSWER) {
            receive();
            return;
        }
        connect().socket().setSoTimeout(LATE_MILLIS);
        try {
            receive();
            if (connection != null) {
                connection.socket().setSoTimeout((int) HANG.toMillis());
            }
        } catch (SocketTimeoutException e) {
            coverage.add(last, FuzzCoverage.Outcome.LATE);
            disconnect();
        }
    }

    private void send(List<SpoiledFrame> frames) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (SpoiledFrame frame : frames) {
            bytes.writeBytes(frame.bytes());
        }
        RawConnection open = connect();
        pending.addAll(frames);
        try {
            open.sendBytes(bytes.toByteArray());
        } catch (SocketException e) {
            // Closed while we were writing: what was answered before can still be read.
            return;
        }
    }

    /** Takes what comes next: one answer, or the end of the connection. */
    private void receive() throws IOException {
        Optional<byte[]> answer = connect().receiveFrame();
        if (answer.isEmpty()) {
            onClosed();
            return;
        }
        while (pending.peek() != null && pending.peek().expectation() == SpoiledFrame.Expectation.NO_ANSWER) {
            coverage.add(pending.remove(), FuzzCoverage.Outcome.READ);
        }
        SpoiledFrame frame = pending.peek();
        if (frame == null || frame.answerHeader() == null) {
            throw new IOException("An answer that nothing asked for, of " + answer.get().length + " bytes");
        }
        boolean right = isRight(frame.answerHeader(), answer.get());
        pending.remove();
        if (!frame.equals(probe)) {
            coverage.add(frame, right ? FuzzCoverage.Outcome.RIGHT : FuzzCoverage.Outcome.WRONG);
        }
    }

    /** The first that was not answered is what the node closed on; what was behind it may not have been read. */
    private void onClosed() {
        SpoiledFrame frame = pending.remove();
        if (frame.equals(probe)) {
            throw new IllegalStateException("The node closed the connection on a right request.");
        }
        coverage.add(frame, FuzzCoverage.Outcome.CLOSED);
        disconnect();
    }

    @SuppressWarnings(
            "checkstyle:IllegalCatch") // the generated readers fail on bad bytes in more ways than one can name
    private static boolean isRight(RequestHeader header, byte[] answer) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(answer);
        AbstractResponse response;
        try {
            response = AbstractResponse.parseResponse(buffer, header);
        } catch (RuntimeException e) {
            throw new IOException("This is no answer to " + header, e);
        }
        if (buffer.hasRemaining()) {
            throw new IOException(buffer.remaining() + " bytes follow an answer to " + header);
        }
        Map<Errors, Integer> errors = response.errorCounts();
        return errors.keySet().stream().allMatch(error -> error == Errors.NONE);
    }

    private RawConnection connect() throws IOException {
        if (connection == null) {
            connection = RawConnection.open(address, HANG);
            // Closing resets the connection, so that no port stays in TIME_WAIT.
            connection.socket().setSoLinger(true, 0);
        }
        return connection;
    }

    private void disconnect() {
        pending.clear();
        live.forgetSession();
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (IOException e) {
            // It is gone either way.
            return;
        } finally {
            connection = null;
        }
    }
}
