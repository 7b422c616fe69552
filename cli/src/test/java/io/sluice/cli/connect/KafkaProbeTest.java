package io.sluice.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.cli.connect.KafkaProbe.Answer;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Asking something that answers as told. */
@Timeout(60)
class KafkaProbeTest {
    private static final int TIMEOUT_MILLIS = 5_000;

    /** What a listener does with a connection. */
    private interface Script {
        void run(Socket socket, int correlationId) throws IOException;
    }

    private static Answer ask(int timeoutMillis, Script script) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> done = CompletableFuture.runAsync(() -> {
                try (Socket socket = listener.accept()) {
                    DataInputStream in = new DataInputStream(socket.getInputStream());
                    byte[] request = in.readNBytes(in.readInt());
                    script.run(socket, ByteBuffer.wrap(request).getInt(4));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            Answer answer = new KafkaProbe(TIMEOUT_MILLIS, timeoutMillis, SystemClock.INSTANCE)
                    .ask(new HostAndPort("127.0.0.1", listener.getLocalPort()));
            done.join();
            return answer;
        }
    }

    @Test
    void knowsABroker() throws Exception {
        assertThat(ask(TIMEOUT_MILLIS, (socket, id) -> {
                    byte[] answer = ByteBuffer.allocate(14)
                            .putInt(10)
                            .putInt(id)
                            .putShort((short) 0)
                            .putInt(0)
                            .array();
                    socket.getOutputStream().write(answer);
                }))
                .isEqualTo(Answer.BROKER);
    }

    @Test
    void knowsWhatSpeaksAnotherProtocol() throws Exception {
        assertThat(ask(
                        TIMEOUT_MILLIS,
                        (socket, id) -> socket.getOutputStream()
                                .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII))))
                .isEqualTo(Answer.OTHER);
        assertThat(ask(
                        TIMEOUT_MILLIS,
                        (socket, id) -> socket.getOutputStream()
                                .write(ByteBuffer.allocate(14)
                                        .putInt(10)
                                        .putInt(id + 1)
                                        .array())))
                .isEqualTo(Answer.OTHER);
    }

    @Test
    void knowsWhatCloses() throws Exception {
        assertThat(ask(TIMEOUT_MILLIS, (socket, id) -> {})).isEqualTo(Answer.CLOSED);
    }

    @Test
    void knowsSilence() throws Exception {
        // Reads until the probe has gone.
        assertThat(ask(200, (socket, id) -> socket.getInputStream().readAllBytes()))
                .isEqualTo(Answer.SILENCE);
    }

    @Test
    void givesUpOnWhatAnswersALittleAtATime() throws Exception {
        ScheduledExecutorService drip = Executors.newSingleThreadScheduledExecutor();
        try {
            Answer answer = ask(500, (socket, id) -> {
                OutputStream out = socket.getOutputStream();
                out.write(ByteBuffer.allocate(8).putInt(1 << 20).putInt(id).array());
                Future<?> drops = drip.scheduleAtFixedRate(() -> writeByte(out), 0, 20, TimeUnit.MILLISECONDS);
                socket.getInputStream().readAllBytes();
                drops.cancel(false);
            });

            assertThat(answer).isEqualTo(Answer.SILENCE);
        } finally {
            drip.shutdownNow();
        }
    }

    /** Until the other end is closed, which ends the schedule. */
    private static void writeByte(OutputStream out) {
        try {
            out.write(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
