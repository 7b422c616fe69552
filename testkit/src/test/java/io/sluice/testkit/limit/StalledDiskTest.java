package io.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.crash.LoopDisk;
import io.sluice.testkit.fuzz.ProcessUsage;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.NamedThreads;
import io.sluice.testkit.process.Requirement;
import io.sluice.testkit.process.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A disk that stops while many producers push: memory stays under its limit, and everything goes on when it heals. */
@Tag("limits")
class StalledDiskTest {
    private static final int PARTITIONS = 16;
    /** Heap and direct memory that the launcher allows, and what the JVM needs beside them. */
    private static final int MAX_RESIDENT_MEBIBYTES = 1_400;

    private static final int DISK_MEBIBYTES = 12_000;

    @Test
    void slowsItsProducersDownWhileTheDiskStands() throws Exception {
        Requirement.require("stalled disk", LoopDisk.unavailable());
        int producers = Settings.amount("sluice.testkit.limits.producers", 60, 200);
        int stallSeconds = Settings.amount("sluice.testkit.limits.stall", 8, 120);
        ExecutorService threads = NamedThreads.pool("pusher", producers);
        try (LoopDisk disk = LoopDisk.create(DISK_MEBIBYTES);
                BrokerUnderTest broker =
                        BrokerKind.candidate().startOn(disk.mountPoint().resolve("data"), Map.of())) {
            TopicSetup.create(broker.bootstrapServers(), "pushed", PARTITIONS, Map.of("retention.bytes", "67108864"));
            AtomicLong acknowledged = new AtomicLong();
            List<PushingProducer> all = new ArrayList<>();
            for (int i = 0; i < producers; i++) {
                PushingProducer each = new PushingProducer(broker.address(), i % PARTITIONS, acknowledged);
                all.add(each);
                threads.execute(each);
            }
            Await.until("acknowledgements", Duration.ofMinutes(1), acknowledged::get, count -> count > producers);
            ProcessUsage before = ProcessUsage.of(broker.pid());
            long most = stall(disk, broker, stallSeconds);
            long after = acknowledged.get();
            long healedNanos = SystemClock.INSTANCE.nanoTime();
            Await.until(
                    "acknowledgements after the stall",
                    Duration.ofMinutes(1),
                    acknowledged::get,
                    count -> count > after + producers);
            long healMillis = TimeUnit.NANOSECONDS.toMillis(SystemClock.INSTANCE.nanoTime() - healedNanos);
            all.forEach(PushingProducer::stop);
            System.out.println("limits: " + producers + " producers on a disk that stood for " + stallSeconds + " s: "
                    + before + ", at most " + most + " MiB, then " + ProcessUsage.of(broker.pid()) + "; " + after
                    + " acknowledged before it healed, as many as producers more " + healMillis + " ms later; "
                    + all.stream().mapToLong(PushingProducer::timedOut).sum() + " timed out");
            assertThat(most).isLessThan(MAX_RESIDENT_MEBIBYTES);
            assertThat(all).allSatisfy(each -> assertThat(each.failure()).isNull());
            broker.stop();
        } finally {
            threads.shutdownNow();
        }
    }

    /** Returns the most memory used, in MiB. */
    private static long stall(LoopDisk disk, BrokerUnderTest broker, int seconds) throws Exception {
        long most = 0;
        disk.freeze();
        try {
            for (int i = 0; i < 4 * seconds; i++) {
                Await.pause(250);
                most = Math.max(most, ProcessUsage.of(broker.pid()).residentMebibytes());
            }
        } finally {
            disk.thaw();
        }
        return most;
    }
}
