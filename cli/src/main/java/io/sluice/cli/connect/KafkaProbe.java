package io.sluice.cli.connect;

import io.sluice.base.time.Clock;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Asks an address for the versions of Kafka's protocol that it speaks, once and within a time. Kafka's clients would try again
 * and again where nobody answers, and take what another protocol begins with for the length of an answer: memory they do not
 * have.
 *
 * @param connectMillis for the connection
 * @param answerMillis for the whole answer
 * @param clock tells how much of that is left
 */
record KafkaProbe(int connectMillis, int answerMillis, Clock clock) {
    private static final short API_VERSIONS = 18;
    private static final int CORRELATION_ID = 0x51_0C_1C_E0;
    private static final byte[] CLIENT_ID = "sluice-cli".getBytes(StandardCharsets.UTF_8);
    /** Correlation id and error code. */
    private static final int MIN_ANSWER_BYTES = 6;

    private static final int MAX_ANSWER_BYTES = 1 << 20;

    /** What came of a question. */
    enum Answer {
        /** A broker of Kafka's protocol answers. */
        BROKER,
        /** Something else does. */
        OTHER,
        /** The connection is closed without a word. */
        CLOSED,
        /** Nothing answers in time. */
        SILENCE
    }

    /**
     * Connects and asks.
     *
     * @throws IOException if there is no connection to be had
     */
    Answer ask(HostAndPort address) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address.host(), address.port()), connectMillis);
            long deadlineNanos = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(answerMillis);
            return ask(socket, new DataInputStream(new DeadlineInput(socket, clock, deadlineNanos)));
        }
    }

    private static Answer ask(Socket socket, DataInputStream in) throws IOException {
        try {
            socket.getOutputStream().write(request());
            return isAnswer(in) ? Answer.BROKER : Answer.OTHER;
        } catch (SocketTimeoutException e) {
            return Answer.SILENCE;
        } catch (EOFException | SocketException e) {
            return Answer.CLOSED;
        }
    }

    /** Version 0 of ApiVersions, which every broker answers. */
    private static byte[] request() {
        int bytes = Short.BYTES + Short.BYTES + Integer.BYTES + Short.BYTES + CLIENT_ID.length;
        return ByteBuffer.allocate(Integer.BYTES + bytes)
                .putInt(bytes)
                .putShort(API_VERSIONS)
                .putShort((short) 0)
                .putInt(CORRELATION_ID)
                .putShort((short) CLIENT_ID.length)
                .put(CLIENT_ID)
                .array();
    }

    private static boolean isAnswer(DataInputStream in) throws IOException {
        int bytes = in.readInt();
        if (bytes < MIN_ANSWER_BYTES || bytes > MAX_ANSWER_BYTES || in.readInt() != CORRELATION_ID) {
            return false;
        }
        in.readFully(new byte[bytes - Integer.BYTES]);
        return true;
    }
}
