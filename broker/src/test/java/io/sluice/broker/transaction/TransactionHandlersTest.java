package io.sluice.broker.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.fixture.RawClient;
import io.sluice.coordinator.runtime.InMemoryCluster;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopicCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransactionCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnResult;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AddOffsetsToTxnRequest;
import org.apache.kafka.common.requests.AddOffsetsToTxnResponse;
import org.apache.kafka.common.requests.AddPartitionsToTxnRequest;
import org.apache.kafka.common.requests.AddPartitionsToTxnResponse;
import org.apache.kafka.common.requests.DescribeTransactionsRequest;
import org.apache.kafka.common.requests.DescribeTransactionsResponse;
import org.apache.kafka.common.requests.EndTxnRequest;
import org.apache.kafka.common.requests.EndTxnResponse;
import org.apache.kafka.common.requests.FindCoordinatorRequest;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.InitProducerIdRequest;
import org.apache.kafka.common.requests.InitProducerIdResponse;
import org.apache.kafka.common.requests.ListTransactionsRequest;
import org.apache.kafka.common.requests.ListTransactionsResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TransactionHandlersTest {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final TopicPartition P0 = new TopicPartition("t", 0);
    private static final TopicPartition P1 = new TopicPartition("t", 1);
    private static final TopicPartition MISSING = new TopicPartition("t", 9);

    private TransactionsFixture node;
    private RawClient client;

    private record Producer(long id, short epoch) {}

    @BeforeEach
    void start() throws IOException {
        node = new TransactionsFixture();
        node.cluster.create("t", 2);
        client = node.connect();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        node.close();
    }

    private static IntStream versions(ApiKeys api) {
        return IntStream.rangeClosed(api.oldestVersion(), api.latestVersion(false));
    }

    static IntStream findVersions() {
        return versions(ApiKeys.FIND_COORDINATOR);
    }

    static IntStream initVersions() {
        return versions(ApiKeys.INIT_PRODUCER_ID);
    }

    static IntStream addVersions() {
        return versions(ApiKeys.ADD_PARTITIONS_TO_TXN);
    }

    static IntStream offsetVersions() {
        return versions(ApiKeys.ADD_OFFSETS_TO_TXN);
    }

    static IntStream endVersions() {
        return versions(ApiKeys.END_TXN);
    }

    static IntStream listVersions() {
        return versions(ApiKeys.LIST_TRANSACTIONS);
    }

    private List<Coordinator> find(int version, String... ids) throws IOException {
        FindCoordinatorRequestData data = new FindCoordinatorRequestData();
        if (version >= 1) {
            data.setKeyType(CoordinatorType.TRANSACTION.id());
        }
        if (version >= FindCoordinatorRequest.MIN_BATCHED_VERSION) {
            data.setCoordinatorKeys(List.of(ids));
        } else {
            data.setKey(ids[0]);
        }
        return client.call(
                        new FindCoordinatorRequest.Builder(data).build((short) version), FindCoordinatorResponse.class)
                .coordinators();
    }

    private InitProducerIdResponseData init(int version, String id) throws IOException {
        InitProducerIdRequestData data =
                new InitProducerIdRequestData().setTransactionalId(id).setTransactionTimeoutMs(60_000);
        return init(version, data);
    }

    private InitProducerIdResponseData init(int version, InitProducerIdRequestData data) throws IOException {
        return client.call(new InitProducerIdRequest.Builder(data).build((short) version), InitProducerIdResponse.class)
                .data();
    }

    /** A producer that begins, once the coordinator has loaded and what was open has ended. */
    private Producer begin(String id) throws IOException {
        assertThat(find(6, id).get(0).errorCode()).isZero();
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        InitProducerIdResponseData answer = init(5, id);
        while (isForTheMoment(answer.errorCode()) && System.nanoTime() < deadline) {
            answer = init(5, id);
        }
        assertThat(answer.errorCode()).isZero();
        return new Producer(answer.producerId(), answer.producerEpoch());
    }

    private static boolean isForTheMoment(short code) {
        return switch (Errors.forCode(code)) {
            case COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, CONCURRENT_TRANSACTIONS -> true;
            default -> false;
        };
    }

    private Map<TopicPartition, Errors> add(int version, String id, Producer producer, TopicPartition... partitions)
            throws IOException {
        AddPartitionsToTxnRequest request = version < 4
                ? AddPartitionsToTxnRequest.Builder.forClient(id, producer.id(), producer.epoch(), List.of(partitions))
                        .build((short) version)
                : several(version, transaction(id, producer, false, partitions));
        AddPartitionsToTxnResponse response = client.call(request, AddPartitionsToTxnResponse.class);
        return Objects.requireNonNull(
                response.errors().get(version < 4 ? AddPartitionsToTxnResponse.V3_AND_BELOW_TXN_ID : id));
    }

    private static AddPartitionsToTxnRequest several(int version, AddPartitionsToTxnTransaction... transactions) {
        return AddPartitionsToTxnRequest.Builder.forBroker(new AddPartitionsToTxnTransactionCollection(
                        List.of(transactions).iterator()))
                .build((short) version);
    }

    private static AddPartitionsToTxnTransaction transaction(
            String id, Producer producer, boolean verifyOnly, TopicPartition... partitions) {
        AddPartitionsToTxnTopicCollection topics = new AddPartitionsToTxnTopicCollection();
        List.of(partitions).stream()
                .collect(Collectors.groupingBy(TopicPartition::topic))
                .forEach((topic, theirs) -> topics.add(new AddPartitionsToTxnTopic()
                        .setName(topic)
                        .setPartitions(
                                theirs.stream().map(TopicPartition::partition).toList())));
        return new AddPartitionsToTxnTransaction()
                .setTransactionalId(id)
                .setProducerId(producer.id())
                .setProducerEpoch(producer.epoch())
                .setVerifyOnly(verifyOnly)
                .setTopics(topics);
    }

    private Errors addOffsets(int version, String id, Producer producer) throws IOException {
        AddOffsetsToTxnRequestData data = new AddOffsetsToTxnRequestData()
                .setTransactionalId(id)
                .setProducerId(producer.id())
                .setProducerEpoch(producer.epoch())
                .setGroupId("g");
        return Errors.forCode(client.call(
                        new AddOffsetsToTxnRequest.Builder(data).build((short) version), AddOffsetsToTxnResponse.class)
                .data()
                .errorCode());
    }

    private EndTxnResponseData end(int version, String id, Producer producer, boolean commit) throws IOException {
        EndTxnRequestData data = new EndTxnRequestData()
                .setTransactionalId(id)
                .setProducerId(producer.id())
                .setProducerEpoch(producer.epoch())
                .setCommitted(commit);
        return client.call(new EndTxnRequest.Builder(data, true).build((short) version), EndTxnResponse.class)
                .data();
    }

    private DescribeTransactionsResponseData.TransactionState describe(String id) throws IOException {
        return client.call(
                        new DescribeTransactionsRequest.Builder(
                                        new DescribeTransactionsRequestData().setTransactionalIds(List.of(id)))
                                .build((short) 0),
                        DescribeTransactionsResponse.class)
                .data()
                .transactionStates()
                .get(0);
    }

    private void awaitState(String id, String state) throws IOException {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        String seen = describe(id).transactionState();
        while (!seen.equals(state) && System.nanoTime() < deadline) {
            seen = describe(id).transactionState();
        }
        assertThat(seen).isEqualTo(state);
    }

    @ParameterizedTest
    @MethodSource("findVersions")
    void findsTheCoordinatorInEveryVersionThatKnowsTransactions(int version) throws IOException {
        if (version == 0) {
            assertThat(find(0, "group").get(0).port()).isEqualTo(node.port());
            assertThat(node.cluster.current().topic("__transaction_state")).isNull();
            return;
        }
        Coordinator found = find(version, "id").get(0);

        assertThat(found.errorCode()).isZero();
        assertThat(found.nodeId()).isEqualTo(InMemoryCluster.NODE_ID);
        assertThat(found.port()).isEqualTo(node.port());
        assertThat(node.cluster.current().topic("__transaction_state")).isNotNull();
    }

    @Test
    void findsCoordinatorsOfSeveralIdsAtOnce() throws IOException {
        assertThat(find(6, "a", "b", "c")).extracting(Coordinator::key).containsExactly("a", "b", "c");
        assertThat(find(6, "a", "b", "c")).extracting(Coordinator::errorCode).containsOnly((short) 0);
    }

    @ParameterizedTest
    @MethodSource("initVersions")
    void givesEachProducerTheNextEpochInEveryVersion(int version) throws IOException {
        Producer before = begin("id");

        InitProducerIdResponseData answer = init(version, "id");

        assertThat(answer.errorCode()).isZero();
        assertThat(answer.producerId()).isEqualTo(before.id());
        assertThat(answer.producerEpoch()).isEqualTo((short) 1);
    }

    @ParameterizedTest
    @MethodSource("initVersions")
    void tellsAFencedProducerThatBeginsAnewInTheWordsOfItsVersion(int version) throws IOException {
        Producer fenced = begin("id");
        begin("id");
        if (version < 3) {
            return; // a producer cannot say who it is
        }

        InitProducerIdResponseData answer = init(
                version,
                new InitProducerIdRequestData()
                        .setTransactionalId("id")
                        .setTransactionTimeoutMs(60_000)
                        .setProducerId(fenced.id())
                        .setProducerEpoch(fenced.epoch()));

        assertThat(Errors.forCode(answer.errorCode()))
                .isEqualTo(version < 4 ? Errors.INVALID_PRODUCER_EPOCH : Errors.PRODUCER_FENCED);
    }

    @ParameterizedTest
    @MethodSource("addVersions")
    void addsPartitionsInEveryVersion(int version) throws IOException {
        Producer producer = begin("id");

        assertThat(add(version, "id", producer, P0, P1)).isEqualTo(Map.of(P0, Errors.NONE, P1, Errors.NONE));
        assertThat(Objects.requireNonNull(describe("id").topics().find("t")).partitions())
                .containsExactlyInAnyOrder(0, 1);
    }

    @ParameterizedTest
    @MethodSource("addVersions")
    void addsNoneWhereOneIsMissing(int version) throws IOException {
        Producer producer = begin("id");

        assertThat(add(version, "id", producer, P0, MISSING))
                .isEqualTo(Map.of(P0, Errors.OPERATION_NOT_ATTEMPTED, MISSING, Errors.UNKNOWN_TOPIC_OR_PARTITION));
        assertThat(describe("id").transactionState()).isEqualTo("Empty");
    }

    /** Up to version 3 as Kafka, which takes no internal topic from a client. */
    @ParameterizedTest
    @MethodSource("addVersions")
    void addsNoPartitionOfACoordinatorsState(int version) throws IOException {
        Producer producer = begin("id");
        TopicPartition state = new TopicPartition("__transaction_state", 0);
        node.cluster.create("__consumer_offsets", 1);
        TopicPartition offsets = new TopicPartition("__consumer_offsets", 0);
        Errors refusal = version < 4 ? Errors.TOPIC_AUTHORIZATION_FAILED : Errors.INVALID_TOPIC_EXCEPTION;

        assertThat(add(version, "id", producer, P0, state))
                .isEqualTo(Map.of(P0, Errors.OPERATION_NOT_ATTEMPTED, state, refusal));
        assertThat(describe("id").transactionState()).isEqualTo("Empty");
        assertThat(add(version, "id", producer, offsets))
                .containsEntry(offsets, version < 4 ? Errors.TOPIC_AUTHORIZATION_FAILED : Errors.NONE);
    }

    @ParameterizedTest
    @MethodSource("addVersions")
    void tellsAFencedProducerThatAddsInTheWordsOfItsVersion(int version) throws IOException {
        Producer fenced = begin("id");
        begin("id");

        assertThat(add(version, "id", fenced, P0))
                .containsEntry(P0, version < 2 ? Errors.INVALID_PRODUCER_EPOCH : Errors.PRODUCER_FENCED);
    }

    @Test
    void servesSeveralTransactionsInOneRequest() throws IOException {
        Producer first = begin("first");
        Producer second = begin("second");

        AddPartitionsToTxnResponse response = client.call(
                several(
                        4,
                        transaction("first", first, false, P0),
                        transaction("second", second, true, P1),
                        transaction("third", second, false, MISSING),
                        transaction("", second, false, P0)),
                AddPartitionsToTxnResponse.class);

        assertThat(response.data().resultsByTransaction())
                .extracting(AddPartitionsToTxnResult::transactionalId)
                .containsExactly("first", "second", "third", "");
        assertThat(response.errors().get("first")).isEqualTo(Map.of(P0, Errors.NONE));
        assertThat(response.errors().get("second")).isEqualTo(Map.of(P1, Errors.TRANSACTION_ABORTABLE));
        assertThat(response.errors().get("third")).isEqualTo(Map.of(MISSING, Errors.UNKNOWN_TOPIC_OR_PARTITION));
        assertThat(response.errors().get("")).isEqualTo(Map.of(P0, Errors.INVALID_REQUEST));
        assertThat(describe("first").transactionState()).isEqualTo("Ongoing");
        assertThat(describe("second").transactionState()).isEqualTo("Empty");
    }

    @ParameterizedTest
    @MethodSource("offsetVersions")
    void addsAGroupsOffsetsInEveryVersion(int version) throws IOException {
        Producer producer = begin("id");

        assertThat(addOffsets(version, "id", producer)).isEqualTo(Errors.NONE);
        assertThat(describe("id").topics().find("__consumer_offsets")).isNotNull();
        begin("id");
        assertThat(addOffsets(version, "id", producer))
                .isEqualTo(version < 2 ? Errors.INVALID_PRODUCER_EPOCH : Errors.PRODUCER_FENCED);
        assertThat(addOffsets(version, "", producer)).isEqualTo(Errors.INVALID_REQUEST);
    }

    @ParameterizedTest
    @MethodSource("endVersions")
    void commitsInEveryVersion(int version) throws IOException {
        Producer producer = begin("id");
        assertThat(add(version < 5 ? 3 : 5, "id", producer, P0)).containsEntry(P0, Errors.NONE);

        EndTxnResponseData answer = end(version, "id", producer, true);
        awaitState("id", "CompleteCommit");

        assertThat(answer.errorCode()).isZero();
        assertThat(answer.producerId()).isEqualTo(version < 5 ? -1 : producer.id());
        assertThat(answer.producerEpoch()).isEqualTo(version < 5 ? (short) -1 : (short) 1);
        assertThat(node.marked).hasSize(1);
        assertThat(node.marked.element().partition()).isEqualTo(P0);
        assertThat(node.marked.element().end().commit()).isTrue();
        assertThat(node.marked.element().end().producerEpoch()).isEqualTo((short) (version < 5 ? 0 : 1));
    }

    @ParameterizedTest
    @MethodSource("endVersions")
    void tellsAFencedProducerThatEndsInTheWordsOfItsVersion(int version) throws IOException {
        Producer fenced = begin("id");
        begin("id");
        begin("id");

        assertThat(Errors.forCode(end(version, "id", fenced, true).errorCode()))
                .isEqualTo(version < 2 ? Errors.INVALID_PRODUCER_EPOCH : Errors.PRODUCER_FENCED);
        assertThat(Errors.forCode(end(version, "", fenced, true).errorCode())).isEqualTo(Errors.INVALID_REQUEST);
    }

    @ParameterizedTest
    @MethodSource("listVersions")
    void listsInEveryVersion(int version) throws IOException {
        Producer open = begin("open");
        begin("idle");
        assertThat(add(3, "open", open, P0)).containsEntry(P0, Errors.NONE);
        ListTransactionsRequestData data = new ListTransactionsRequestData().setStateFilters(List.of("Ongoing", "Odd"));
        if (version >= 1) {
            data.setDurationFilter(-1);
        }
        if (version >= 2) {
            data.setTransactionalIdPattern("o.*");
        }

        ListTransactionsResponseData answer = client.call(
                        new ListTransactionsRequest.Builder(data).build((short) version),
                        ListTransactionsResponse.class)
                .data();

        assertThat(answer.unknownStateFilters()).containsExactly("Odd");
        assertThat(answer.transactionStates())
                .extracting(ListTransactionsResponseData.TransactionState::transactionalId)
                .containsExactly("open");
    }

    @Test
    void describesWhatIsNotThere() throws IOException {
        begin("id");

        assertThat(Errors.forCode(describe("nobody").errorCode())).isEqualTo(Errors.TRANSACTIONAL_ID_NOT_FOUND);
        assertThat(Errors.forCode(describe("").errorCode())).isEqualTo(Errors.INVALID_REQUEST);
    }
}
