package io.sluice.testkit.limit;

import io.sluice.testkit.wire.RawConnection;
import io.sluice.testkit.wire.SimpleRequests;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Sends sixteen batches of 128 KiB at a time as fast as it is let, and those again that timed out. Runs on a thread of its
 * own.
 */
final class PushingProducer implements Runnable {
    private static final Duration READ_TIMEOUT = Duration.ofMinutes(5);
    private static final int WINDOW = 16;
    private static final int VALUE_BYTES = 128 << 10;

    private final InetSocketAddress address;
    private final int partition;
    private final AtomicLong acknowledged;
    private final AtomicLong timedOut = new AtomicLong();
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    PushingProducer(InetSocketAddress address, int partition, AtomicLong acknowledged) {
        this.address = address;
        this.partition = partition;
        this.acknowledged = acknowledged;
    }

    /** Lets it finish its window. */
    void stop() {
        stopping = true;
    }

    /** What went wrong. */
    @Nullable Throwable failure() {
        return failure;
    }

    /** Batches that the node gave up after their time-out: clients send those again. */
    long timedOut() {
        return timedOut.get();
    }

    private void note(ProduceResponseData answer) {
        if (SimpleRequests.errorOf(answer) == Errors.REQUEST_TIMED_OUT.code()) {
            timedOut.incrementAndGet();
        } else {
            SimpleRequests.requireNoError(answer);
            acknowledged.incrementAndGet();
        }
    }

    @Override
    public void run() {
        try (RawConnection connection = RawConnection.open(address, READ_TIMEOUT)) {
            byte[] frame = RawConnection.encode(
                    SimpleRequests.PRODUCE_BY_NAME,
                    "pusher",
                    0,
                    SimpleRequests.produce("pushed", partition, (short) -1, new byte[VALUE_BYTES]));
            while (!stopping) {
                for (int i = 0; i < WINDOW; i++) {
                    connection.sendFrame(frame);
                }
                for (int i = 0; i < WINDOW; i++) {
                    RawConnection.Answer answer = connection.receive(ApiKeys.PRODUCE, SimpleRequests.PRODUCE_BY_NAME);
                    note((ProduceResponseData) answer.body());
                }
            }
        } catch (IOException | IllegalStateException e) {
            failure = e;
        }
    }
}
