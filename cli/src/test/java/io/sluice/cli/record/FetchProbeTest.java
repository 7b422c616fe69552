package io.sluice.cli.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Probing a node that answers as told, over sockets. */
@Timeout(60)
class FetchProbeTest {
    private static final short VERSION = 12;
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(400);

    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger requests = new AtomicInteger();
    private final CountDownLatch asked = new CountDownLatch(1);
    private ServerSocket listener;
    private CompletableFuture<Void> serving = CompletableFuture.completedFuture(null);

    @BeforeEach
    void listen() throws IOException {
        listener = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws Exception {
        listener.close();
        serving.get(30, TimeUnit.SECONDS);
    }

    private Node node(int id) {
        return new Node(id, "127.0.0.1", listener.getLocalPort());
    }

    private static Map<TopicPartition, Long> partitions(int count) {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        for (int i = 0; i < count; i++) {
            offsets.put(new TopicPartition("t", i), (long) i);
        }
        return offsets;
    }

    /** Takes connections one after the other, until the listener is closed. */
    private void serve(boolean answers) {
        serving = CompletableFuture.runAsync(() -> {
            while (!listener.isClosed()) {
                serveNext(answers);
            }
        });
    }

    private void serveNext(boolean answers) {
        try (Socket socket = listener.accept()) {
            connections.incrementAndGet();
            serve(socket, answers);
        } catch (IOException e) {
            // The probe has gone, or the test is over.
        }
    }

    private void serve(Socket socket, boolean answers) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        while (true) {
            ByteBuffer request = ByteBuffer.wrap(in.readNBytes(in.readInt()));
            requests.incrementAndGet();
            asked.countDown();
            if (answers) {
                RequestHeader header = RequestHeader.parse(request);
                byte[] body = answer(new FetchRequestData(new ByteBufferAccessor(request), VERSION));
                out.writeInt(Integer.BYTES + 1 + body.length);
                out.writeInt(header.correlationId());
                out.writeByte(0); // no tagged fields
                out.write(body);
            }
        }
    }

    /** Partition 7 is without its file; of the others nothing is new. */
    private static byte[] answer(FetchRequestData request) {
        FetchResponseData response = new FetchResponseData();
        for (FetchRequestData.FetchTopic topic : request.topics()) {
            List<FetchResponseData.PartitionData> partitions = new ArrayList<>();
            for (FetchRequestData.FetchPartition partition : topic.partitions()) {
                boolean broken = partition.partition() == 7 && partition.fetchOffset() == 7;
                partitions.add(new FetchResponseData.PartitionData()
                        .setPartitionIndex(partition.partition())
                        .setErrorCode((broken ? Errors.KAFKA_STORAGE_ERROR : Errors.NONE).code()));
            }
            response.responses()
                    .add(new FetchResponseData.FetchableTopicResponse()
                            .setTopic(topic.topic())
                            .setPartitions(partitions));
        }
        return MessageUtil.toByteBufferAccessor(response, VERSION).buffer().array();
    }

    @Test
    void asksALeaderOnceForAllItsPartitions() {
        serve(true);

        Map<TopicPartition, Errors> refused =
                new FetchProbe(LONG, SystemClock.INSTANCE).ask(Map.of(node(1), partitions(100)));

        assertThat(refused).containsExactly(Map.entry(new TopicPartition("t", 7), Errors.KAFKA_STORAGE_ERROR));
        assertThat(connections).hasValue(1);
        assertThat(requests).hasValue(1);
    }

    @Test
    void asksForVeryManyInTurnsOverOneConnection() {
        serve(true);

        Map<TopicPartition, Errors> refused =
                new FetchProbe(LONG, SystemClock.INSTANCE).ask(Map.of(node(1), partitions(2_500)));

        assertThat(refused).containsOnlyKeys(new TopicPartition("t", 7));
        assertThat(connections).hasValue(1);
        assertThat(requests).hasValue(3);
    }

    @Test
    void waitsForSilentLeadersNoLongerThanItsTimeAltogether() {
        serve(false);
        Map<Node, Map<TopicPartition, Long>> many = new HashMap<>();
        for (int id = 0; id < 100; id++) {
            many.put(node(id), partitions(100));
        }
        long start = SystemClock.INSTANCE.nanoTime();

        assertThat(new FetchProbe(SHORT, SystemClock.INSTANCE).ask(many)).isEmpty();

        assertThat(Duration.ofNanos(SystemClock.INSTANCE.nanoTime() - start)).isLessThan(SHORT.multipliedBy(20));
    }

    @Test
    void endsAtOnceWhenItIsStopped() throws Exception {
        serve(false);
        FetchProbe probe = new FetchProbe(Duration.ofMinutes(10), SystemClock.INSTANCE);
        CompletableFuture<Map<TopicPartition, Errors>> answer =
                CompletableFuture.supplyAsync(() -> probe.ask(Map.of(node(1), partitions(1))));
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();

        probe.stop();

        assertThat(answer.get(30, TimeUnit.SECONDS)).isEmpty();
        assertThat(probe.ask(Map.of(node(1), partitions(1)))).isEmpty();
    }
}
