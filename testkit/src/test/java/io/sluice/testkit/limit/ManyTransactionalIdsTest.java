package io.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.fuzz.LiveHeap;
import io.sluice.testkit.fuzz.ProcessUsage;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.Settings;
import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** So many transactional ids that no heap would hold them carelessly: each gets its producer id, also after a kill -9. */
@Tag("limits")
@Timeout(600)
class ManyTransactionalIdsTest {
    private static final int VERSION = 5;
    private static final int AT_A_TIME = 200;
    private static final byte TRANSACTION = 1;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    /** Of a transactional id that is not in a transaction, on the heap. */
    private static final int MAX_BYTES_EACH = 700;

    private final int ids = Settings.amount("sluice.testkit.limits.transactional.ids", 5_000, 100_000);

    @Test
    void eachGetsAProducerIdAndKeepsItThroughAKill() throws Exception {
        try (BrokerUnderTest broker = SluiceNode.startUnder(List.of("env", "SLUICE_JAVA_OPTS=-Xmx256m"), Map.of())) {
            awaitCoordinator(broker);
            initialize(broker, "warm-", AT_A_TIME);
            long before = LiveHeap.mebibytes(broker.pid());
            Set<Long> producers = initialize(broker, "id-", ids);
            long after = LiveHeap.mebibytes(broker.pid());
            broker.kill9();
            Duration restart = broker.start();
            awaitCoordinator(broker);
            Set<Long> again = initialize(broker, "id-", ids);

            System.out.println(
                    "limits: " + ids + " transactional ids, heap after collection " + before + " MiB before, " + after
                            + " MiB after, restart " + restart.toMillis() + " ms, " + ProcessUsage.of(broker.pid()));
            assertThat(producers).hasSize(ids);
            assertThat(again).isEqualTo(producers);
            assertThat((after - before) << 20).isLessThan((long) ids * MAX_BYTES_EACH + (8 << 20));
            assertThat(Files.readString(broker.outputFile())).doesNotContain("OutOfMemory", " ERROR ");
        }
    }

    private static void awaitCoordinator(BrokerUnderTest broker) throws Exception {
        try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
            Await.until(
                    "a coordinator of transactions",
                    TIMEOUT,
                    () -> connection
                            .call(
                                    FindCoordinatorResponseData.class,
                                    4,
                                    new FindCoordinatorRequestData()
                                            .setKeyType(TRANSACTION)
                                            .setCoordinatorKeys(List.of("any")))
                            .coordinators()
                            .get(0)
                            .errorCode(),
                    error -> error == Errors.NONE.code());
        }
    }

    /** The producer ids of so many transactional ids. */
    private static Set<Long> initialize(BrokerUnderTest broker, String prefix, int count) throws Exception {
        long startNanos = SystemClock.INSTANCE.nanoTime();
        Set<Long> producers = new HashSet<>();
        List<String> pending =
                IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
        try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
            while (!pending.isEmpty()) {
                assertThat(SystemClock.INSTANCE.nanoTime() - startNanos).isLessThan(TimeUnit.MINUTES.toNanos(4));
                List<String> again = new ArrayList<>();
                for (int first = 0; first < pending.size(); first += AT_A_TIME) {
                    List<String> some = pending.subList(first, Math.min(pending.size(), first + AT_A_TIME));
                    again.addAll(initialize(connection, some, producers));
                }
                pending = again;
            }
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(SystemClock.INSTANCE.nanoTime() - startNanos);
        System.out.println("limits: " + count + " transactional ids initialized in " + millis + " ms");
        return producers;
    }

    /** Asks for all at once; returns those whose coordinator still loads. */
    private static List<String> initialize(RawConnection connection, List<String> ids, Set<Long> producers)
            throws IOException {
        for (String id : ids) {
            connection.send(VERSION, request(id));
        }
        List<String> again = new ArrayList<>();
        for (String id : ids) {
            InitProducerIdResponseData answer = (InitProducerIdResponseData)
                    connection.receive(ApiKeys.INIT_PRODUCER_ID, VERSION).body();
            Errors error = Errors.forCode(answer.errorCode());
            if (error == Errors.NONE) {
                producers.add(answer.producerId());
            } else {
                assertThat(error).as(id).isIn(Errors.COORDINATOR_LOAD_IN_PROGRESS, Errors.NOT_COORDINATOR);
                again.add(id);
            }
        }
        return again;
    }

    private static InitProducerIdRequestData request(String id) {
        return new InitProducerIdRequestData().setTransactionalId(id).setTransactionTimeoutMs(60_000);
    }
}
