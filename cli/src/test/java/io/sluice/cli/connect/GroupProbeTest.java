package io.sluice.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
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
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Asking a node that answers as told, over sockets: by partition of the topic that groups are kept in. */
@Timeout(60)
class GroupProbeTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int PARTITIONS = 8;

    private final Map<ApiKeys, Map<Integer, Errors>> refusals = new EnumMap<>(ApiKeys.class);
    private final List<ApiKeys> asked = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final List<CompletableFuture<Void>> serving = new CopyOnWriteArrayList<>();
    private ServerSocket listener;
    private int partitions = PARTITIONS;
    private boolean answers = true;

    @BeforeEach
    void listen() throws IOException {
        listener = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
        serving.add(CompletableFuture.runAsync(this::accept));
    }

    @AfterEach
    void close() throws Exception {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
        for (CompletableFuture<Void> each : serving) {
            each.get(30, TimeUnit.SECONDS);
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                sockets.add(socket);
                serving.add(CompletableFuture.runAsync(() -> serve(socket)));
            }
        } catch (IOException e) {
            // The test is over.
            return;
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            while (true) {
                ByteBuffer request = ByteBuffer.wrap(in.readNBytes(in.readInt()));
                RequestHeader header = RequestHeader.parse(request);
                asked.add(header.apiKey());
                if (answers) {
                    byte[] body = bytes(
                            answer(header.apiKey(), new ByteBufferAccessor(request), header.apiVersion()),
                            header.apiVersion());
                    boolean tagged = header.apiKey().responseHeaderVersion(header.apiVersion()) > 0;
                    out.writeInt(Integer.BYTES + (tagged ? 1 : 0) + body.length);
                    out.writeInt(header.correlationId());
                    out.write(new byte[tagged ? 1 : 0]);
                    out.write(body);
                }
            }
        } catch (IOException e) {
            // The probe has gone, or the test is over.
            return;
        }
    }

    private static byte[] bytes(ApiMessage message, short version) {
        return MessageUtil.toByteBufferAccessor(message, version).buffer().array();
    }

    private ApiMessage answer(ApiKeys api, ByteBufferAccessor request, short version) {
        return switch (api) {
            case METADATA -> metadata();
            case FIND_COORDINATOR -> coordinators(new FindCoordinatorRequestData(request, version));
            case OFFSET_FETCH -> offsets(new OffsetFetchRequestData(request, version));
            default -> throw new IllegalStateException("not expected: " + api);
        };
    }

    private ApiMessage metadata() {
        MetadataResponseData.MetadataResponseTopic topic = new MetadataResponseData.MetadataResponseTopic()
                .setName("__consumer_offsets")
                .setErrorCode((partitions == 0 ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.NONE).code());
        for (int i = 0; i < partitions; i++) {
            topic.partitions().add(new MetadataResponseData.MetadataResponsePartition().setPartitionIndex(i));
        }
        MetadataResponseData data = new MetadataResponseData();
        data.topics().add(topic);
        return data;
    }

    private ApiMessage coordinators(FindCoordinatorRequestData request) {
        List<FindCoordinatorResponseData.Coordinator> found = new ArrayList<>();
        request.coordinatorKeys()
                .forEach(key -> found.add(new FindCoordinatorResponseData.Coordinator()
                        .setKey(key)
                        .setHost("127.0.0.1")
                        .setPort(listener.getLocalPort())
                        .setErrorCode(error(ApiKeys.FIND_COORDINATOR, key))));
        return new FindCoordinatorResponseData().setCoordinators(found);
    }

    private ApiMessage offsets(OffsetFetchRequestData request) {
        List<OffsetFetchResponseData.OffsetFetchResponseGroup> groups = new ArrayList<>();
        request.groups()
                .forEach(group -> groups.add(new OffsetFetchResponseData.OffsetFetchResponseGroup()
                        .setGroupId(group.groupId())
                        .setErrorCode(error(ApiKeys.OFFSET_FETCH, group.groupId()))));
        return new OffsetFetchResponseData().setGroups(groups);
    }

    private short error(ApiKeys api, String group) {
        return refusals.getOrDefault(api, Map.of())
                .getOrDefault(partitionOf(group), Errors.NONE)
                .code();
    }

    private static int partitionOf(String group) {
        return Utils.abs(group.hashCode()) % PARTITIONS;
    }

    private GroupProbe probe(Duration timeout) {
        return new GroupProbe(
                List.of(new HostAndPort("127.0.0.1", listener.getLocalPort())), timeout, SystemClock.INSTANCE);
    }

    @Test
    void namesTheGroupAndThePartitionThatCannotBeRead() {
        refusals.put(ApiKeys.OFFSET_FETCH, Map.of(partitionOf("g1"), Errors.NOT_COORDINATOR));

        GroupRefusal refusal = probe(LONG).ask("g1").orElseThrow();

        UserException failure = refusal.of("g1");
        assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(failure.line())
                .startsWith("The state of group 'g1' cannot be read (the node answers NOT_COORDINATOR for"
                        + " __consumer_offsets-" + partitionOf("g1") + ")")
                .contains("The node's log", "docs/operations.md");
        assertThat(probe(LONG).ask(otherThan("g1"))).isEmpty();
    }

    private static String otherThan(String group) {
        String other = group;
        while (partitionOf(other) == partitionOf(group)) {
            other += "x";
        }
        return other;
    }

    @Test
    void findsAllThatCannotBeReadWhoeverSaysSo() {
        refusals.put(ApiKeys.FIND_COORDINATOR, Map.of(2, Errors.COORDINATOR_NOT_AVAILABLE));
        refusals.put(ApiKeys.OFFSET_FETCH, Map.of(5, Errors.COORDINATOR_LOAD_IN_PROGRESS));

        assertThat(probe(LONG).askAll())
                .containsExactly(
                        new GroupRefusal(2, Errors.COORDINATOR_NOT_AVAILABLE),
                        new GroupRefusal(5, Errors.COORDINATOR_LOAD_IN_PROGRESS));
        assertThat(asked)
                .as("once each")
                .containsExactly(ApiKeys.METADATA, ApiKeys.FIND_COORDINATOR, ApiKeys.OFFSET_FETCH);
        assertThat(new GroupRefusal(5, Errors.COORDINATOR_LOAD_IN_PROGRESS)
                        .ofAll()
                        .line())
                .contains("is still being read");
    }

    /** To ask for a coordinator would make the topic. */
    @Test
    void asksNoMoreWhereThereHasNeverBeenAGroup() {
        partitions = 0;

        assertThat(probe(LONG).askAll()).isEmpty();
        assertThat(asked).containsExactly(ApiKeys.METADATA);
    }

    @Test
    void saysNothingOfANodeThatDoesNotAnswer() {
        answers = false;

        assertThat(probe(Duration.ofMillis(300)).ask("g1")).isEqualTo(Optional.empty());
    }

    @Test
    void asksTheNextNodeWhereTheFirstIsNotThere() throws IOException {
        refusals.put(ApiKeys.OFFSET_FETCH, Map.of(3, Errors.NOT_COORDINATOR));
        int free;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = closed.getLocalPort();
        }
        GroupProbe probe = new GroupProbe(
                List.of(new HostAndPort("127.0.0.1", free), new HostAndPort("127.0.0.1", listener.getLocalPort())),
                LONG,
                SystemClock.INSTANCE);

        assertThat(probe.askAll()).containsExactly(new GroupRefusal(3, Errors.NOT_COORDINATOR));
    }
}
