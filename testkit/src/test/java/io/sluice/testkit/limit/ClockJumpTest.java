package io.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceBuild;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.broker.WallClockFromFile;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.Settings;
import io.sluice.testkit.wire.RawConnection;
import io.sluice.testkit.wire.SimpleRequests;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The wall clock of the real process jumps by an hour and back: nothing that is to be kept for half an hour is deleted, no
 * offset of an empty group expires, and no member of a group is thrown out.
 */
@Tag("limits")
class ClockJumpTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final String HALF_AN_HOUR_MILLIS = "1800000";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int RECORD_BYTES = 400_000;
    private static final int RECORDS = 10;
    private static final TopicPartition KEPT = new TopicPartition("kept", 0);
    private static final TopicPartition SHORT = new TopicPartition("short", 0);

    private final int holdMillis = Settings.amount("sluice.testkit.limits.jump", 2_000, 30_000);

    @TempDir
    private Path directory;

    @Test
    void expiresNothingWhenTheWallClockJumps() throws Exception {
        Path clock = directory.resolve("clock");
        WallClockFromFile.set(clock, Duration.ZERO);
        Map<String, String> configs = Map.of(
                "log.retention.check.interval.ms", "300",
                "offsets.retention.minutes", "30",
                "offsets.retention.check.interval.ms", "300",
                "group.initial.rebalance.delay.ms", "0");
        try (BrokerUnderTest broker = SluiceNode.startUnder(
                        SluiceBuild.WALL_CLOCK_FROM_FILE, WallClockFromFile.prefix(clock), configs);
                Admin admin =
                        Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers()));
                RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
            createTopics(broker);
            fill(connection, KEPT, RECORDS, Duration.ZERO);
            admin.alterConsumerGroupOffsets("idle", Map.of(KEPT, new OffsetAndMetadata(1)))
                    .all()
                    .get(60, TimeUnit.SECONDS);
            try (SteadyMember classic = new SteadyMember(broker.bootstrapServers(), "classic", "classic", "kept");
                    SteadyMember consumer =
                            new SteadyMember(broker.bootstrapServers(), "consumer", "consumer", "kept")) {
                List<SteadyMember> members = List.of(classic, consumer);
                int written = RECORDS;
                awaitConsumed(members, written);
                for (Duration ahead : List.of(HOUR, HOUR.negated(), Duration.ZERO)) {
                    WallClockFromFile.set(clock, ahead);
                    awaitClock(connection, ahead);
                    fill(connection, KEPT, 1, Duration.ZERO);
                    written++;
                    awaitConsumed(members, written);
                    awaitRetention(admin, connection);
                    Await.pause(holdMillis);
                    requireNothingExpired(admin, members, ahead);
                }
            }
        }
    }

    private static void createTopics(BrokerUnderTest broker) throws Exception {
        TopicSetup.create(
                broker.bootstrapServers(),
                KEPT.topic(),
                1,
                Map.of(
                        "retention.ms",
                        HALF_AN_HOUR_MILLIS,
                        "segment.bytes",
                        "1048576",
                        "message.timestamp.after.max.ms",
                        Long.toString(2 * HOUR.toMillis())));
        TopicSetup.create(broker.bootstrapServers(), SHORT.topic(), 1, Map.of("retention.ms", "1"));
        TopicSetup.create(broker.bootstrapServers(), "stamped", 1, Map.of("message.timestamp.type", "LogAppendTime"));
    }

    private static void fill(RawConnection connection, TopicPartition partition, int records, Duration age)
            throws Exception {
        for (int i = 0; i < records; i++) {
            long timestamp = SystemClock.INSTANCE.epochMillis() - age.toMillis();
            MemoryRecords batch =
                    MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(timestamp, new byte[RECORD_BYTES]));
            SimpleRequests.requireNoError(connection.call(
                    ProduceResponseData.class,
                    SimpleRequests.PRODUCE_BY_NAME,
                    SimpleRequests.produce(partition.topic(), 0, (short) -1, batch)));
        }
    }

    /** The node's own stamp says which time it sees. */
    private static void awaitClock(RawConnection connection, Duration ahead) throws Exception {
        Await.until(
                "the clock of the node to be " + ahead + " ahead",
                TIMEOUT,
                () -> {
                    ProduceResponseData answer = connection.call(
                            ProduceResponseData.class,
                            SimpleRequests.PRODUCE_BY_NAME,
                            SimpleRequests.produce("stamped", 0, (short) -1, "now"));
                    long stamp = answer.responses()
                            .iterator()
                            .next()
                            .partitionResponses()
                            .get(0)
                            .logAppendTimeMs();
                    return Duration.ofMillis(stamp - SystemClock.INSTANCE.epochMillis());
                },
                seen -> seen.minus(ahead).abs().compareTo(Duration.ofMinutes(1)) < 0);
    }

    private static void awaitConsumed(List<SteadyMember> members, int count) throws Exception {
        for (SteadyMember member : members) {
            Await.until(count + " records, " + member.history(), TIMEOUT, member::records, seen -> seen >= count);
        }
    }

    /** What is older than it may become goes: retention has looked since. */
    private static void awaitRetention(Admin admin, RawConnection connection) throws Exception {
        fill(connection, SHORT, 1, HOUR.multipliedBy(3));
        long end = offset(admin, SHORT, OffsetSpec.latest());
        Await.until(
                "retention of " + SHORT,
                TIMEOUT,
                () -> offset(admin, SHORT, OffsetSpec.earliest()),
                start -> start == end);
    }

    private static void requireNothingExpired(Admin admin, List<SteadyMember> members, Duration ahead)
            throws Exception {
        assertThat(offset(admin, KEPT, OffsetSpec.earliest()))
                .as("start of %s with the clock at %s", KEPT, ahead)
                .isZero();
        Map<TopicPartition, OffsetAndMetadata> offsets = admin.listConsumerGroupOffsets("idle")
                .partitionsToOffsetAndMetadata()
                .get(60, TimeUnit.SECONDS);
        assertThat(offsets)
                .as("offsets of an empty group with the clock at %s", ahead)
                .containsKey(KEPT);
        assertThat(members)
                .as("members with the clock at %s", ahead)
                .extracting(SteadyMember::history)
                .containsOnly("assigned 1 times, lost 0 times");
    }

    private static long offset(Admin admin, TopicPartition partition, OffsetSpec which) throws Exception {
        return admin.listOffsets(Map.of(partition, which))
                .partitionResult(partition)
                .get(60, TimeUnit.SECONDS)
                .offset();
    }
}
