package io.sluice.testkit.wire;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.requests.ResponseHeader;
import org.jspecify.annotations.Nullable;

/** A plain blocking socket that speaks the protocol or anything else. */
public final class RawConnection implements AutoCloseable {
    private static final int MAX_ANSWER_BYTES = 256 << 20;

    /** Sees every request: for collecting real ones. */
    private static volatile Consumer<ApiMessage> requestListener = request -> {};

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private int nextCorrelationId;

    private RawConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream(), 64 << 10));
        this.out = socket.getOutputStream();
    }

    /**
     * An answer.
     *
     * @param correlationId as it came
     * @param body decoded
     */
    public record Answer(int correlationId, short version, ApiMessage body) {}

    /** Connects; every read that takes longer than {@code readTimeout} fails. */
    public static RawConnection open(InetSocketAddress address, Duration readTimeout) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) readTimeout.toMillis());
            socket.connect(address, (int) readTimeout.toMillis());
            return new RawConnection(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Sends a request.
     *
     * @return its correlation id
     */
    public int send(int version, ApiMessage body) throws IOException {
        return send(version, "testkit", body);
    }

    /** Sends a request under a client id of choice, which may be null. */
    public int send(int version, @Nullable String clientId, ApiMessage body) throws IOException {
        requestListener.accept(body);
        int correlationId = nextCorrelationId++;
        sendFrame(encode(version, clientId, correlationId, body));
        return correlationId;
    }

    /** Header and body of a request, without the size. */
    public static byte[] encode(int version, @Nullable String clientId, int correlationId, ApiMessage body) {
        ApiKeys api = ApiKeys.forId(body.apiKey());
        short apiVersion = (short) version;
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(api.id)
                .setRequestApiVersion(apiVersion)
                .setClientId(clientId)
                .setCorrelationId(correlationId);
        ByteBuffer buffer = RequestUtils.serialize(header, api.requestHeaderVersion(apiVersion), body, apiVersion);
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    /** From now on shows every request sent on any connection to a listener, on the thread that sends, before it is sent. */
    public static void onRequestSent(Consumer<ApiMessage> listener) {
        requestListener = listener;
    }

    /** Sends size and content. */
    public void sendFrame(byte[] content) throws IOException {
        byte[] frame = new byte[Integer.BYTES + content.length];
        ByteBuffer.wrap(frame).putInt(content.length).put(content);
        sendBytes(frame);
    }

    /** Sends bytes as they are. */
    public void sendBytes(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /**
     * Reads one frame's content.
     *
     * @return empty if the peer has closed the connection instead
     * @throws java.net.SocketTimeoutException when nothing comes in time
     */
    public Optional<byte[]> receiveFrame() throws IOException {
        try {
            int size = in.readInt();
            if (size < 0 || size > MAX_ANSWER_BYTES) {
                throw new IOException("An answer of " + size + " bytes.");
            }
            byte[] content = new byte[size];
            in.readFully(content);
            return Optional.of(content);
        } catch (EOFException e) {
            return Optional.empty();
        } catch (SocketException e) {
            // A reset: the peer closed with unread bytes of ours.
            return Optional.empty();
        }
    }

    /** Reads the answer to a request of this API and version; the peer must not close. */
    public Answer receive(ApiKeys api, int version) throws IOException {
        byte[] frame = receiveFrame().orElseThrow(() -> new IOException("The broker closed the connection."));
        return decode(api, (short) version, frame);
    }

    /** Decodes an answer; every byte must be used. */
    public static Answer decode(ApiKeys api, short version, byte[] frame) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(frame);
        ResponseHeader header = ResponseHeader.parse(buffer, api.responseHeaderVersion(version));
        ApiMessage body = api.messageType.newResponse();
        body.read(new ByteBufferAccessor(buffer), version);
        if (buffer.hasRemaining()) {
            throw new IOException(buffer.remaining() + " bytes are left after the answer to " + api + " v" + version);
        }
        return new Answer(header.correlationId(), version, body);
    }

    /** Sends a request and reads its answer. */
    public Answer call(int version, ApiMessage body) throws IOException {
        int correlationId = send(version, body);
        Answer answer = receive(ApiKeys.forId(body.apiKey()), version);
        if (answer.correlationId() != correlationId) {
            throw new IOException(
                    "Expected the answer to " + correlationId + " but got that to " + answer.correlationId());
        }
        return answer;
    }

    /**
     * Sends a request and reads its answer.
     *
     * @param type of the answer that belongs to the request
     */
    public <T extends ApiMessage> T call(Class<T> type, int version, ApiMessage body) throws IOException {
        return type.cast(call(version, body).body());
    }

    /** Sends no more; the peer sees the end of the stream and may still answer. */
    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** The socket, for what this class does not do. */
    public Socket socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
