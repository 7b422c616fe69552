package io.sluice.cli.connect;

import io.sluice.base.time.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * What comes over a connection until a deadline. A socket's own time-out is for each read: a peer that sends a byte now and
 * then would hold the reader for as long as it likes. For one thread.
 */
public final class DeadlineInput extends InputStream {
    private static final long NANOS_A_MILLI = 1_000_000;

    private final Socket socket;
    private final InputStream in;
    private final Clock clock;
    private final long deadlineNanos;

    /**
     * Reads from a connected socket, which stays its owner's.
     *
     * @param deadlineNanos by the clock's {@link Clock#nanoTime()}
     */
    public DeadlineInput(Socket socket, Clock clock, long deadlineNanos) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
        this.clock = clock;
        this.deadlineNanos = deadlineNanos;
    }

    /**
     * Time until a deadline, as sockets take it.
     *
     * @return at least 1: sockets take 0 for no time-out at all
     * @throws SocketTimeoutException when there is none left
     */
    public static int millisUntil(long deadlineNanos, Clock clock) throws SocketTimeoutException {
        long left = deadlineNanos - clock.nanoTime();
        if (left <= 0) {
            throw new SocketTimeoutException("no whole answer in time");
        }
        return Math.toIntExact(Duration.ofNanos(left + NANOS_A_MILLI - 1).toMillis());
    }

    @Override
    public int read() throws IOException {
        socket.setSoTimeout(millisUntil(deadlineNanos, clock));
        return in.read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        socket.setSoTimeout(millisUntil(deadlineNanos, clock));
        return in.read(bytes, offset, length);
    }
}
