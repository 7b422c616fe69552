package io.sluice.broker.net;

import static io.sluice.broker.fixture.Requests.apiVersions;
import static io.sluice.broker.fixture.Requests.metadataAnswer;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.api.Call;
import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.fixture.RawClient;
import io.sluice.broker.fixture.ScriptedHandler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that are many times as large once they are read. */
class RequestHeapBudgetTest {
    private static final short VERSION = 9;
    /** About 120 KB on the heap for a thousand names. */
    private static final int NAMES_OF_A_THIRD = 3_000;

    private final ScriptedHandler<MetadataRequest> metadata = ScriptedHandler.keeping(ApiKeys.METADATA, false);
    private final List<RawClient> clients = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // set before each test
    private BrokerFixture broker;

    @BeforeEach
    void start() {
        broker = BrokerFixture.options()
                .config(Map.of("num.network.threads", "1", "sluice.request.heap.bytes", "1048576"))
                .start(metadata);
    }

    @AfterEach
    void stop() throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
        broker.close();
    }

    private static MetadataRequest names(int count) {
        MetadataRequestData data = new MetadataRequestData();
        for (int i = 0; i < count; i++) {
            data.topics().add(new MetadataRequestTopic().setName("t"));
        }
        return new MetadataRequest(data, VERSION);
    }

    private RawClient send(int names) throws IOException {
        RawClient client = broker.connect();
        clients.add(client);
        client.send(names(names));
        return client;
    }

    @Test
    void closesAConnectionWhoseRequestAloneIsTooLarge() throws Exception {
        assertThat(send(100_000).isClosedByNode()).isTrue();
        assertThat(metadata.kept()).isZero();
    }

    @Test
    void leavesLargeRequestsUnreadUntilOthersAreAnsweredAndServesSmallOnesMeanwhile() throws Exception {
        for (int i = 0; i < 8; i++) {
            RawClient unused = send(NAMES_OF_A_THIRD);
        }
        List<Call<MetadataRequest>> reading =
                new ArrayList<>(List.of(metadata.next(), metadata.next(), metadata.next()));
        RawClient small = broker.connect();
        clients.add(small);
        for (int i = 0; i < 20; i++) {
            assertThat(small.call(apiVersions(), ApiVersionsResponse.class)).isNotNull();
        }
        assertThat(metadata.kept()).as("requests read beyond the budget").isZero();
        for (int answered = 0; answered < 8; answered++) {
            Call<MetadataRequest> call = reading.isEmpty() ? metadata.next() : reading.remove(0);
            call.respond(metadataAnswer("c"));
        }
        for (RawClient client : clients.subList(0, 8)) {
            assertThat(client.receive()).isNotNull();
        }
    }

    @Test
    void readsOnWhenThoseWhoWaitHaveLetGoOfTheirRequests() throws Exception {
        for (int i = 0; i < 6; i++) {
            RawClient unused = send(NAMES_OF_A_THIRD);
        }
        List<Call<MetadataRequest>> waiting =
                new ArrayList<>(List.of(metadata.next(), metadata.next(), metadata.next()));
        assertThat(metadata.kept()).isZero();

        waiting.forEach(call -> call.executor().execute(call::forgetRequest));

        waiting.addAll(List.of(metadata.next(), metadata.next(), metadata.next()));
        waiting.forEach(call -> call.respond(metadataAnswer("c")));
        for (RawClient client : clients) {
            assertThat(client.receive()).isNotNull();
        }
    }

    @Test
    void forgetsWhoCloses() throws Exception {
        List<Call<MetadataRequest>> reading = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            RawClient unused = send(NAMES_OF_A_THIRD);
            reading.add(metadata.next());
        }
        RawClient closing = send(NAMES_OF_A_THIRD + 1);
        RawClient unused = send(NAMES_OF_A_THIRD);
        closing.close();
        reading.forEach(call -> call.respond(metadataAnswer("c")));
        Call<MetadataRequest> next = metadata.next();
        if (next.request().data().topics().size() > NAMES_OF_A_THIRD) { // it was its turn before its end was noticed
            next.respond(metadataAnswer("nobody"));
            next = metadata.next();
        }
        next.respond(metadataAnswer("last"));
        assertThat(clients.get(4).receive()).isNotNull();
    }
}
