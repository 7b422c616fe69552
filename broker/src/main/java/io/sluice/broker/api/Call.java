package io.sluice.broker.api;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * One request and the way to answer it. The request's buffers (record batches are slices of the wire buffer) are valid
 * until the call is answered, also when the connection closes before; what {@link #keep} returns is valid longer. Answers may be given on any thread, exactly once: a
 * second one throws IllegalStateException.
 */
public interface Call<R extends AbstractRequest> {
    /** The decoded request. */
    R request();

    /**
     * A part of the request, as a buffer that keeps the request's memory until it is released: for what may be used after
     * the answer. On the event loop, before the answer.
     *
     * @param part a buffer of {@link #request}; its position and limit are the part
     * @return owned by the caller, who releases it
     */
    ByteBuf keep(ByteBuffer part);

    /** Its header: version, correlation id, client id. */
    RequestHeader header();

    /** Who sent it. */
    Connection connection();

    /** The connection's event loop: hand it to storage so that completions come back on it. */
    Executor executor();

    /** When the request's last byte arrived, on the monotonic clock; before {@link #executor} came to it, maybe long before. */
    long receivedNanos();

    /** Answers. Errors in the answer are counted. */
    void respond(AbstractResponse response);

    /**
     * Answers with a body encoded already, without size and header. Takes over one reference of every part, also when the
     * connection is closed. Memory in the parts counts against the connection's and the global bound until it is sent;
     * file regions do not.
     *
     * @param parts {@link ByteBuf} or {@link io.netty.channel.FileRegion}, in order
     */
    void respondEncoded(List<Object> parts);

    /** Ends the call with no bytes at all (Produce with acks=0). */
    void respondNothing();

    /** Ends the call by closing the connection, with a line for the log. */
    void closeConnection(String reason);

    /**
     * Sets memory for the answer aside before it is read; what is not used is given back with the answer. Ask before
     * reading record data into memory and read at most what is granted (a first batch that is larger is let through).
     * On the event loop only; ask again for more.
     *
     * @param wantedBytes what the client would take
     * @return what it gets, possibly less; 0 when clients that do not read hold everything: answer without records
     */
    int reserveResponse(int wantedBytes);

    /**
     * Gives all memory set aside back, because the answer has to wait: clients choose for how long. On the event loop only;
     * nothing may have been read that is still held.
     */
    void releaseResponse();

    /**
     * Lets go of the request, because the answer has to wait and the handler has taken what it needs: from now on {@link
     * #request} must not be called, and what the request takes is counted no more. On the event loop only; may be repeated.
     */
    void forgetRequest();

    /**
     * Slows the client down (KIP-219): {@link #respond} writes the time into the answer, the answer goes out at once, and
     * then nothing is read from the connection for so long. With {@link #respondEncoded} the handler writes the time
     * itself. Call it before answering.
     *
     * @param throttleMillis above zero
     */
    void throttle(int throttleMillis);

    /** Counts an error of an answer that goes out through {@link #respondEncoded}. */
    void countError(Errors error);

    /** Keeps later requests of this connection from starting until {@link #resumeConnection}: the socket is not read. */
    void suspendConnection();

    /** Undoes one {@link #suspendConnection}. */
    void resumeConnection();
}
