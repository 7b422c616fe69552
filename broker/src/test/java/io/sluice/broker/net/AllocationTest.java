package io.sluice.broker.net;

import static io.sluice.broker.fixture.Requests.produce;
import static io.sluice.broker.fixture.Requests.produceAnswer;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.util.ResourceLeakDetector;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.fixture.RawClient;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Holds what a request costs in garbage to a budget, the reading of its body and the writing of its answer included. */
class AllocationTest {
    private static final int WARM_UP = 100_000;
    private static final int MEASURED = 20_000;
    private static final int IN_FLIGHT = 5;

    /** About 500 for the request, 550 for the answer, both Kafka's classes; the rest is ours. */
    private static final long PRODUCE_BUDGET_BYTES = 3_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final class Acknowledging implements ApiHandler<ProduceRequest> {
        @Override
        public ApiKeys api() {
            return ApiKeys.PRODUCE;
        }

        @Override
        public boolean pipelined() {
            return true;
        }

        @Override
        public void handle(Call<ProduceRequest> call) {
            call.respond(produceAnswer(1));
        }
    }

    private final ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();

    /** The search for leaks, on in all other tests, makes a stack trace of every buffer. */
    @BeforeEach
    void withoutSearchForLeaks() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }

    @AfterEach
    void withSearchForLeaks() {
        ResourceLeakDetector.setLevel(before);
    }

    @Test
    void producesAreServedWithinTheirBudgetOfGarbage() throws IOException {
        try (BrokerFixture broker = BrokerFixture.options()
                        .config(Map.of("num.network.threads", "1"))
                        .start(new Acknowledging());
                RawClient client = broker.connect()) {
            byte[] frame = RawClient.frame(new RequestHeader(ApiKeys.PRODUCE, (short) 9, "c", 1), produce(1, 1_000));
            exchange(client, frame, WARM_UP);
            long allocated = allocatedByLoops();
            exchange(client, frame, MEASURED);
            long each = (allocatedByLoops() - allocated) / MEASURED;
            assertThat(each).isLessThanOrEqualTo(PRODUCE_BUDGET_BYTES);
        }
    }

    private static void exchange(RawClient client, byte[] frame, int count) throws IOException {
        for (int i = 0; i < IN_FLIGHT; i++) {
            client.write(frame);
        }
        for (int i = 0; i < count; i++) {
            client.receiveFrame();
            if (i + IN_FLIGHT < count) {
                client.write(frame);
            }
        }
    }

    private long allocatedByLoops() {
        return LongStream.of(threads.getAllThreadIds())
                .filter(this::isLoop)
                .map(threads::getThreadAllocatedBytes)
                .sum();
    }

    private boolean isLoop(long thread) {
        return threads.getThreadInfo(thread).getThreadName().startsWith("sluice-net");
    }
}
