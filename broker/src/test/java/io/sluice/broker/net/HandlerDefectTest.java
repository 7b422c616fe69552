package io.sluice.broker.net;

import static io.sluice.broker.fixture.Requests.apiVersions;
import static io.sluice.broker.fixture.Requests.metadata;
import static io.sluice.broker.fixture.Requests.metadataAnswer;
import static io.sluice.broker.fixture.Requests.produce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.api.Call;
import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.fixture.RawClient;
import io.sluice.broker.fixture.RecordedLog;
import io.sluice.broker.fixture.ScriptedHandler;
import java.io.IOException;
import java.util.function.Consumer;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a connection whose handler is at fault. */
class HandlerDefectTest {
    private final RecordedLog log = new RecordedLog();
    private Consumer<Call<MetadataRequest>> script = call -> call.respond(metadataAnswer("fine"));
    private BrokerFixture broker;
    private RawClient client;

    @BeforeEach
    void start() throws IOException {
        ScriptedHandler<MetadataRequest> metadata =
                ScriptedHandler.doing(ApiKeys.METADATA, call -> script.accept(call));
        ScriptedHandler<ProduceRequest> produce = ScriptedHandler.doing(ApiKeys.PRODUCE, call -> {
            throw new IllegalStateException("broken");
        });
        broker = BrokerFixture.start(metadata, produce);
        client = broker.connect();
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        broker.close();
        log.close();
    }

    @Test
    void answersUnknownServerErrorLogsTheDefectOnceAndKeepsTheConnection() throws IOException {
        script = call -> {
            throw new IllegalStateException("broken");
        };
        MetadataResponse response = client.call(metadata("t"), MetadataResponse.class);
        assertThat(response.errors()).containsEntry("t", Errors.UNKNOWN_SERVER_ERROR);
        client.call(apiVersions(), ApiVersionsResponse.class);
        assertThat(log.lines())
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith("ERROR A handler failed api=\"Metadata\" version=\"9\"")
                        .endsWith("thrown=java.lang.IllegalStateException"));
    }

    @Test
    void closesWhereTheClientExpectsNoAnswer() throws IOException {
        client.sendUnanswered(produce(0, 10));
        assertThat(client.isClosedByNode()).isTrue();
    }

    @Test
    void refusesASecondAnswer() throws IOException {
        script = call -> {
            call.respond(metadataAnswer("first"));
            assertThatThrownBy(() -> call.respond(metadataAnswer("second")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("a call of METADATA was answered twice");
        };
        assertThat(client.call(metadata("t"), MetadataResponse.class).clusterId())
                .isEqualTo("first");
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void keepsTheAnswerOfAHandlerThatFailsAfterwards() throws IOException {
        script = call -> {
            call.respond(metadataAnswer("given"));
            throw new IllegalStateException("broken");
        };
        assertThat(client.call(metadata("t"), MetadataResponse.class).clusterId())
                .isEqualTo("given");
        client.call(apiVersions(), ApiVersionsResponse.class);
        assertThat(log.lines()).hasSize(1);
    }

    @Test
    void closesTheConnectionOfAnAnswerThatCannotBeWritten() throws IOException {
        MetadataResponseData data = new MetadataResponseData();
        data.topics().add(new MetadataResponseTopic().setName(null));
        script = call -> call.respond(new MetadataResponse(data, (short) 9));
        client.send(metadata("t"));
        assertThat(client.isClosedByNode()).isTrue();
        assertThat(log.lines()).anySatisfy(line -> assertThat(line).startsWith("ERROR An answer cannot be encoded"));
    }
}
