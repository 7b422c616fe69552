package io.sluice.cli.connect;

import io.sluice.base.time.Clock;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.requests.ResponseHeader;

/**
 * A connection to a node over which requests of Kafka's protocol are asked once and one by one, all of them until a deadline.
 * Kafka's clients try again for ever, and do not say what they were answered, where that may get better. For one thread, but
 * for {@link #close}, which ends what goes on.
 */
public final class WireConnection implements Closeable {
    private static final int MAX_ANSWER_BYTES = 64 << 20;

    private final Socket socket = new Socket();
    private final Clock clock;
    private final long deadlineNanos;

    /**
     * Not connected yet.
     *
     * @param deadlineNanos by the clock's {@link Clock#nanoTime()}
     */
    public WireConnection(Clock clock, long deadlineNanos) {
        this.clock = clock;
        this.deadlineNanos = deadlineNanos;
    }

    /** Connects; once. */
    public void connect(String host, int port) throws IOException {
        socket.connect(new InetSocketAddress(host, port), DeadlineInput.millisUntil(deadlineNanos, clock));
    }

    /**
     * Sends a request and waits for its answer.
     *
     * @return the answer's body, in the request's version
     * @throws IOException also where the deadline has passed
     */
    public ByteBuffer ask(ApiKeys api, short version, ApiMessage request) throws IOException {
        RequestHeader header = new RequestHeader(api, version, "sluice-cli", 0);
        ByteBuffer body = RequestUtils.serialize(header.data(), header.headerVersion(), request, version);
        ByteBuffer framed = ByteBuffer.allocate(Integer.BYTES + body.remaining());
        framed.putInt(body.remaining()).put(body);
        socket.getOutputStream().write(framed.array());
        ByteBuffer answer = ByteBuffer.wrap(receive());
        ResponseHeader.parse(answer, api.responseHeaderVersion(version));
        return answer;
    }

    private byte[] receive() throws IOException {
        DataInputStream in = new DataInputStream(new DeadlineInput(socket, clock, deadlineNanos));
        int size = in.readInt();
        if (size < 0 || size > MAX_ANSWER_BYTES) {
            throw new IOException("an answer of " + size + " bytes");
        }
        byte[] bytes = new byte[size];
        in.readFully(bytes);
        return bytes;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
