package io.sluice.coordinator.transaction;

import static io.sluice.coordinator.transaction.TransactionsHarness.TIMEOUT_MILLIS;
import static io.sluice.coordinator.transaction.TransactionsHarness.await;
import static io.sluice.coordinator.transaction.TransactionsHarness.partition;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.transaction.TransactionsHarness.Producer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What administrators see of transactions. */
class TransactionDescriptionsTest {
    private static final TopicPartition P0 = partition(0);
    private static final TopicPartition P1 = partition(1);

    private TransactionsHarness node;

    @BeforeEach
    void start() {
        node = new TransactionsHarness();
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void describesATransaction() {
        Producer producer = node.begin("id");
        assertThat(node.add(producer, P0, P1)).isEqualTo(Errors.NONE);

        DescribeTransactionsResponseData.TransactionState described = node.describe("id");

        assertThat(described.transactionState()).isEqualTo("Ongoing");
        assertThat(described.producerId()).isEqualTo(producer.producerId());
        assertThat(described.producerEpoch()).isEqualTo(producer.epoch());
        assertThat(described.transactionTimeoutMs()).isEqualTo(TIMEOUT_MILLIS);
        assertThat(described.transactionStartTimeMs()).isEqualTo(node.time.epochMillis());
        assertThat(Objects.requireNonNull(described.topics().find("t")).partitions())
                .containsExactlyInAnyOrder(0, 1);
        assertThat(node.describe("nobody").errorCode()).isEqualTo(Errors.TRANSACTIONAL_ID_NOT_FOUND.code());
        assertThat(node.describe("").errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
    }

    @Test
    void listsTransactionsByStateProducerDurationAndPattern() {
        Producer open = node.begin("orders-1");
        assertThat(node.add(open, P0)).isEqualTo(Errors.NONE);
        node.time.advanceMillis(1000);
        Producer later = node.begin("orders-2");
        assertThat(node.add(later, P1)).isEqualTo(Errors.NONE);
        Producer idle = node.begin("payments");

        assertThat(listed(new ListTransactionsRequestData()))
                .containsExactlyInAnyOrder("orders-1", "orders-2", "payments");
        assertThat(listed(new ListTransactionsRequestData().setStateFilters(List.of("Ongoing"))))
                .containsExactlyInAnyOrder("orders-1", "orders-2");
        assertThat(listed(new ListTransactionsRequestData().setProducerIdFilters(List.of(idle.producerId()))))
                .containsExactly("payments");
        assertThat(listed(new ListTransactionsRequestData()
                        .setStateFilters(List.of("Ongoing"))
                        .setDurationFilter(500)))
                .containsExactly("orders-1");
        assertThat(listed(new ListTransactionsRequestData().setTransactionalIdPattern("orders-.*")))
                .containsExactlyInAnyOrder("orders-1", "orders-2");
        assertThat(listed(new ListTransactionsRequestData().setTransactionalIdPattern("orders")))
                .isEmpty();
    }

    private List<String> listed(ListTransactionsRequestData request) {
        return node.list(request).transactionStates().stream()
                .map(ListTransactionsResponseData.TransactionState::transactionalId)
                .toList();
    }

    @Test
    void refusesAPatternThatIsNoneAndNamesStatesItDoesNotKnow() {
        node.locate("id");

        ListTransactionsResponseData broken =
                node.list(new ListTransactionsRequestData().setTransactionalIdPattern("(a"));
        ListTransactionsResponseData unknown =
                node.list(new ListTransactionsRequestData().setStateFilters(List.of("Ongoing", "Sleeping")));

        assertThat(Errors.forCode(broken.errorCode())).isEqualTo(Errors.INVALID_REGULAR_EXPRESSION);
        assertThat(unknown.unknownStateFilters()).containsExactly("Sleeping");
        assertThat(unknown.transactionStates()).isEmpty();
    }

    @Test
    void countsWhatIsOpenAndHowItEnded() throws InterruptedException {
        Producer open = node.begin("open");
        assertThat(node.add(open, P0)).isEqualTo(Errors.NONE);
        Producer ending = node.begin("ending");
        assertThat(node.add(ending, P1)).isEqualTo(Errors.NONE);
        node.markers.hold(P1);
        assertThat(node.end(ending, false)).isEqualTo(Errors.NONE);
        node.markers.awaitAttempts(1);

        TransactionsHarness.until(
                () -> exposed().contains("sluice_transaction_open_transactions{state=\"ending\"} 1.0"), this::exposed);
        assertThat(exposed())
                .contains("sluice_transaction_open_transactions{state=\"ongoing\"} 1.0")
                .contains("sluice_transaction_ids 2.0")
                .contains("sluice_transaction_markers_waiting 1.0");

        node.markers.release();
        node.awaitState("ending", "CompleteAbort");
        TransactionsHarness.until(
                () -> exposed().contains("sluice_transaction_ended_total{outcome=\"aborted\"} 1.0"), this::exposed);
        assertThat(exposed()).contains("sluice_transaction_markers_waiting 0.0");
    }

    private String exposed() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            node.metrics.writeText(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void remembersAHundredThousandIdsAndLoadsThem() {
        int ids = 100_000;
        int together = 1000;
        node.locate("id-0");
        assertThat(listed(new ListTransactionsRequestData())).isEmpty();
        for (int first = 0; first < ids; first += together) {
            List<CompletableFuture<InitProducerIdResponseData>> asked = IntStream.range(first, first + together)
                    .mapToObj(number -> node.transactions
                            .initProducerId(new InitProducerIdRequestData()
                                    .setTransactionalId("id-" + number)
                                    .setTransactionTimeoutMs(TIMEOUT_MILLIS))
                            .toCompletableFuture())
                    .toList();
            assertThat(asked)
                    .allSatisfy(answer -> assertThat(await(answer).errorCode()).isZero());
        }

        node = node.restart();
        node.locate("id-0");

        assertThat(listed(new ListTransactionsRequestData())).hasSize(ids);
        assertThat(node.describe("id-99999").transactionState()).isEqualTo("Empty");
    }
}
