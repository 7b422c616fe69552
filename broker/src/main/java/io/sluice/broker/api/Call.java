package io.sluice.broker.api;

import java.util.List;
import java.util.concurrent.Executor;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * One request and the way to answer it. The request's buffers (record batches are slices of the wire buffer) are valid
 * until the call is answered. Answers may be given on any thread, exactly once.
 */
public interface Call<R extends AbstractRequest> {
    /** The decoded request. */
    R request();

    /** Its header: version, correlation id, client id. */
    RequestHeader header();

    /** Who sent it. */
    Connection connection();

    /** The connection's event loop: hand it to storage so that completions come back on it. */
    Executor executor();

    /** When the request's last byte arrived, on the monotonic clock. */
    long receivedNanos();

    /** Answers. */
    void respond(AbstractResponse response);

    /**
     * Answers with a body encoded already, without size and header. Takes over one reference of every part.
     *
     * @param parts {@link io.netty.buffer.ByteBuf} or {@link io.netty.channel.FileRegion}, in order
     */
    void respondEncoded(List<Object> parts);

    /** Ends the call with no bytes at all (Produce with acks=0). */
    void respondNothing();

    /** Ends the call by closing the connection, with a line for the log. */
    void closeConnection(String reason);

    /** Keeps later requests of this connection from starting until {@link #resumeConnection}: the socket is not read. */
    void suspendConnection();

    /** Undoes {@link #suspendConnection}. */
    void resumeConnection();
}
