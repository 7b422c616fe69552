package io.sluice.testkit.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * One case on one side: connections, what was prepared, and the transcript of the answers that count. Requests that prepare
 * are asked, requests that are compared are recorded.
 */
final class Session implements AutoCloseable {
    private static final Duration SETUP_TIMEOUT = Duration.ofSeconds(30);

    private final Side side;
    private final Case testCase;
    private final String slug;
    private final Mask mask;
    private final ObjectNode transcript = JsonNodeFactory.instance.objectNode();
    private final List<RawConnection> connections = new ArrayList<>();
    private final RawConnection connection;

    /**
     * @param attempt 0 for the first run of the case on this side; later ones use other names
     */
    Session(Side side, Case testCase, int attempt) throws IOException {
        this.side = side;
        this.testCase = testCase;
        this.slug = attempt == 0 ? testCase.slug() : testCase.slug() + "-again" + attempt;
        this.mask = new Mask(side, slug);
        this.connection = connect();
    }

    /** A topic that {@link #createTopic} made. */
    record Topic(String name, Uuid id) {}

    short version() {
        return testCase.version();
    }

    ApiKeys api() {
        return testCase.api();
    }

    int nodeId() {
        return side.nodeId();
    }

    /** A wall-clock time near now, the same on both sides. */
    long baseMillis() {
        return side.baseMillis();
    }

    /** A name for a topic or group, the same on both sides and used by no other case. */
    String name(String suffix) {
        return slug + "." + suffix;
    }

    /** The case's own connection. */
    RawConnection connection() {
        return connection;
    }

    /** One connection more; closed with the case. */
    RawConnection connect() throws IOException {
        RawConnection opened = RawConnection.open(side.broker().address(), Side.READ_TIMEOUT);
        connections.add(opened);
        return opened;
    }

    /** Asks the newest version without recording. */
    <T extends ApiMessage> T ask(Class<T> type, ApiMessage body) throws IOException {
        return connection.call(type, newestVersion(body), body);
    }

    /** Asks the newest version without recording, again and again until the answer satisfies. */
    <T extends ApiMessage> T askUntil(Class<T> type, ApiMessage body, Predicate<T> satisfied) throws Exception {
        return Await.until(
                type.getSimpleName() + " in " + testCase.id(), SETUP_TIMEOUT, () -> ask(type, body), satisfied);
    }

    /** Asks and puts the answer into the transcript: the case's own API at the case's version, another at its newest. */
    void record(String label, ApiMessage body) throws IOException {
        recordAnswer(label, connection.call(versionFor(body), body));
    }

    /** As {@link #record(String, ApiMessage)}, and returns the answer. */
    <T extends ApiMessage> T record(Class<T> type, String label, ApiMessage body) throws IOException {
        RawConnection.Answer answer = connection.call(versionFor(body), body);
        recordAnswer(label, answer);
        return type.cast(answer.body());
    }

    /** As {@link #record(String, ApiMessage)}, but drops from the answer what other cases have left behind. */
    <T extends ApiMessage> void record(Class<T> type, String label, ApiMessage body, Consumer<T> keepOwn)
            throws IOException {
        RawConnection.Answer answer = connection.call(versionFor(body), body);
        keepOwn.accept(type.cast(answer.body()));
        recordAnswer(label, answer);
    }

    /** As {@link #record(String, ApiMessage)}, but repeats the question until the answer satisfies and records only that. */
    <T extends ApiMessage> T recordWhen(Class<T> type, String label, ApiMessage body, Predicate<T> satisfied)
            throws Exception {
        RawConnection.Answer answer = Await.until(
                label + " in " + testCase.id(),
                SETUP_TIMEOUT,
                () -> connection.call(versionFor(body), body),
                each -> satisfied.test(type.cast(each.body())));
        recordAnswer(label, answer);
        return type.cast(answer.body());
    }

    /** Puts an answer that came some other way into the transcript. */
    void recordAnswer(String label, RawConnection.Answer answer) {
        put(label, AnswerJson.of(answer.body(), answer.version()));
    }

    /** Sends a frame of any content and records whether the broker answered, closed, or kept silent. */
    void recordReaction(String label, RawConnection on) throws IOException {
        on.socket().setSoTimeout(5_000);
        try {
            note(label, on.receiveFrame().isPresent() ? "answered" : "closed");
        } catch (java.net.SocketTimeoutException e) {
            note(label, "silent");
        }
    }

    /** Puts an observation into the transcript. */
    void note(String label, String observation) {
        put(label, JsonNodeFactory.instance.textNode(observation));
    }

    /** Creates a topic and waits until every partition serves. */
    Topic createTopic(String suffix, int partitions, Map<String, String> configs) throws Exception {
        CreateTopicsRequestData.CreatableTopic topic = new CreateTopicsRequestData.CreatableTopic()
                .setName(name(suffix))
                .setNumPartitions(partitions)
                .setReplicationFactor((short) 1);
        configs.forEach((key, value) -> topic.configs()
                .add(new CreateTopicsRequestData.CreatableTopicConfig()
                        .setName(key)
                        .setValue(value)));
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(30_000);
        request.topics().add(topic);
        CreateTopicsResponseData answer = ask(CreateTopicsResponseData.class, request);
        CreateTopicsResponseData.CreatableTopicResult result =
                answer.topics().iterator().next();
        if (result.errorCode() != 0) {
            throw new IOException("Creating " + name(suffix) + " failed: " + result);
        }
        awaitServing(name(suffix), partitions);
        mask.know(result.topicId().toString());
        return new Topic(name(suffix), result.topicId());
    }

    /** A topic of one partition with default configs. */
    Topic createTopic(String suffix) throws Exception {
        return createTopic(suffix, 1, Map.of());
    }

    void awaitServing(String topic, int partitions) throws Exception {
        ListOffsetsRequestData request = new ListOffsetsRequestData().setReplicaId(-1);
        ListOffsetsRequestData.ListOffsetsTopic asked = new ListOffsetsRequestData.ListOffsetsTopic().setName(topic);
        for (int p = 0; p < partitions; p++) {
            asked.partitions()
                    .add(new ListOffsetsRequestData.ListOffsetsPartition()
                            .setPartitionIndex(p)
                            .setTimestamp(-1));
        }
        request.topics().add(asked);
        askUntil(
                ListOffsetsResponseData.class,
                request,
                answer -> answer.topics().get(0).partitions().stream()
                        .allMatch(p -> p.errorCode() == Errors.NONE.code()));
    }

    /** Waits until a topic that was deleted is known no more. */
    void awaitGone(Topic topic) throws Exception {
        askUntil(
                MetadataResponseData.class,
                MetadataCases.byNames(topic.name()).setAllowAutoTopicCreation(false),
                answer -> answer.topics().iterator().next().errorCode() != Errors.NONE.code());
    }

    /** Gives an id its number now: see {@link Mask#know}. */
    void know(String id) {
        mask.know(id);
    }

    JsonNode transcript() {
        return transcript;
    }

    private short versionFor(ApiMessage body) {
        return body.apiKey() == testCase.api().id ? testCase.version() : newestVersion(body);
    }

    private static short newestVersion(ApiMessage body) {
        return ApiKeys.forId(body.apiKey()).latestVersion(false);
    }

    private void put(String label, JsonNode answer) {
        if (transcript.has(label)) {
            throw new IllegalStateException("The label " + label + " is used twice in " + testCase.id());
        }
        transcript.set(label, mask.of(answer));
    }

    @Override
    public void close() throws IOException {
        for (RawConnection opened : connections) {
            opened.close();
        }
    }
}
