package io.sluice.cli.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.base.time.SimulatedTime;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.FailingOutput;
import io.sluice.cli.output.RecordingConsole;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Reading from a consumer whose node answers as told, in time that passes as told: half a second a poll. */
class RecordLoopTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final long POLL_NANOS = 500_000_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final SimulatedTime time = new SimulatedTime(0);
    private final RecordingConsole recording = new RecordingConsole();
    private final WakeableConsumer consumer = new WakeableConsumer();
    private final FakeProbe probe = new FakeProbe();
    private final RecordingMembership membership = new RecordingMembership();
    private long receivedBytes;
    private @Nullable String refusal;

    @BeforeEach
    void oneTopic() {
        Node node = new Node(1, "localhost", 9092);
        Node[] replicas = {node};
        consumer.updatePartitions("t", List.of(new PartitionInfo("t", 0, node, replicas, replicas)));
        consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
        onEachPoll(() -> {});
    }

    /** Also lets the time of a poll pass. */
    private void onEachPoll(Runnable task) {
        consumer.schedulePollTask(() -> {
            time.advanceNanos(POLL_NANOS);
            task.run();
            onEachPoll(task);
        });
    }

    private void end(long offset) {
        consumer.updateEndOffsets(Map.of(PARTITION, offset));
    }

    private void deliver(long offset, String value) {
        consumer.addRecord(new ConsumerRecord<>("t", 0, offset, null, value.getBytes(StandardCharsets.UTF_8)));
    }

    private RecordLoop loop(OutputStream out, boolean follow) {
        Console console = recording.console(out, time);
        RecordPrinter printer = new RecordPrinter(console.out(), RecordFormat.text, null, console.zone());
        OutageWatch outage = new OutageWatch(
                time, console.err(), () -> OptionalLong.of(receivedBytes), () -> Optional.ofNullable(refusal));
        return new RecordLoop(
                consumer, membership, probe, outage, console, printer, new ReadBounds(TIMEOUT, follow, Long.MAX_VALUE));
    }

    /** Answers as told about every partition. */
    private static final class FakeProbe implements ReadProbe {
        private Errors answer = Errors.NONE;
        private int asked;
        private boolean stopped;

        @Override
        public Map<TopicPartition, Errors> ask(Map<Node, Map<TopicPartition, Long>> offsets) {
            asked++;
            Map<TopicPartition, Errors> refused = new HashMap<>();
            if (answer != Errors.NONE) {
                offsets.values().forEach(ofNode -> ofNode.keySet().forEach(each -> refused.put(each, answer)));
            }
            return refused;
        }

        @Override
        public void stop() {
            stopped = true;
        }
    }

    /** Kafka's mock does not let an interrupt reach a commit; the real consumer does. */
    private static final class WakeableConsumer extends MockConsumer<byte[], byte[]> {
        private boolean wakesCommit;
        private int silentCommits;
        private int triedCommits;
        private boolean failsToClose;

        WakeableConsumer() {
            super("earliest");
        }

        @Override
        public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            if (wakesCommit) {
                wakesCommit = false;
                throw new WakeupException();
            }
            triedCommits++;
            if (silentCommits > 0) {
                silentCommits--;
                throw new TimeoutException("no node");
            }
            super.commitSync(offsets, timeout);
        }

        @Override
        public void close(CloseOptions options) {
            super.close(options);
            if (failsToClose) {
                throw new KafkaException("a callback failed");
            }
        }
    }

    private void joinWith(Runnable afterwards) {
        consumer.schedulePollTask(() -> {
            consumer.rebalance(List.of(PARTITION));
            afterwards.run();
        });
    }

    @Test
    void readsToTheEnd() {
        end(2);
        consumer.schedulePollTask(() -> {
            deliver(0, "a");
            deliver(1, "b");
        });

        loop(recording.results(), false).consume("t", null, new StartPosition.Beginning());

        assertThat(recording.out()).isEqualTo("a\nb\n");
    }

    @Test
    void givesUpOnANodeThatSendsNothingMore() {
        end(3);
        consumer.schedulePollTask(() -> deliver(0, "a"));

        UserException failure = catchThrowableOfType(
                UserException.class,
                () -> loop(recording.results(), false).consume("t", null, new StartPosition.Beginning()));

        assertThat(failure.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(failure.line()).contains("within 10 s", "2 records");
        assertThat(recording.out()).isEqualTo("a\n");
        assertThat(time.nanoTime()).isBetween(TIMEOUT.toNanos(), TIMEOUT.toNanos() + 4 * POLL_NANOS);
    }

    @Test
    void givesUpOnAGroupWhoseNodeSendsNothingMore() {
        end(3);
        joinWith(() -> deliver(0, "a"));

        UserException failure = catchThrowableOfType(
                UserException.class, () -> loop(recording.results(), false).consumeAsGroup("t"));

        assertThat(failure.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(failure.line()).contains("No answer in time", "2 records");
    }

    @ParameterizedTest
    @CsvSource({"false,false", "true,false", "false,true", "true,true"})
    void namesTheErrorThatKeepsItFromReadingOn(boolean group, boolean follow) {
        end(3);
        probe.answer = Errors.KAFKA_STORAGE_ERROR;
        if (group) {
            joinWith(() -> deliver(0, "a"));
        } else {
            consumer.schedulePollTask(() -> deliver(0, "a"));
        }

        UserException failure = catchThrowableOfType(UserException.class, () -> {
            try (RecordLoop loop = loop(recording.results(), follow)) {
                if (group) {
                    loop.consumeAsGroup("t");
                } else {
                    loop.consume("t", null, new StartPosition.Beginning());
                }
            }
        });

        assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(failure.line())
                .startsWith("Partition t-0 cannot be read from offset 1 on: the node answers KAFKA_STORAGE_ERROR.")
                .contains("the node's log");
        assertThat(recording.out()).isEqualTo("a\n");
    }

    @Test
    void warnsAFollowerBeforeItGivesUpOnAFileThatStaysAway() {
        end(3);
        probe.answer = Errors.KAFKA_STORAGE_ERROR;

        UserException failure = catchThrowableOfType(
                UserException.class,
                () -> loop(recording.results(), true).consume("t", null, new StartPosition.Beginning()));

        assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(probe.asked).isEqualTo(2);
        assertThat(time.nanoTime()).isGreaterThan(2 * TIMEOUT.toNanos());
        assertThat(recording.err())
                .startsWith("sluice: warning: Partition t-0 cannot be read from offset 0 on")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"NOT_LEADER_OR_FOLLOWER", "UNKNOWN_TOPIC_OR_PARTITION", "FENCED_LEADER_EPOCH"})
    void followsThroughWhatPassesByItself(Errors passing) {
        end(3);
        probe.answer = passing;
        onEachPoll(() -> {
            if (time.nanoTime() > 10 * TIMEOUT.toNanos() && recording.out().isEmpty()) {
                deliver(0, "a");
            } else if (time.nanoTime() > 11 * TIMEOUT.toNanos()) {
                consumer.wakeup();
            }
        });

        loop(recording.results(), true).consume("t", null, new StartPosition.Beginning());

        assertThat(recording.out()).isEqualTo("a\n");
        assertThat(recording.err())
                .startsWith("sluice: warning: Partition t-0")
                .contains(passing.name())
                .hasLineCount(1);
    }

    @Test
    void followsOnWhereTheFileIsBackInTime() {
        end(3);
        probe.answer = Errors.KAFKA_STORAGE_ERROR;
        onEachPoll(() -> {
            if (probe.asked == 1) {
                probe.answer = Errors.NONE;
            } else if (probe.asked == 2) {
                probe.answer = Errors.KAFKA_STORAGE_ERROR;
            } else if (probe.asked == 3) {
                consumer.wakeup();
            }
        });

        loop(recording.results(), true).consume("t", null, new StartPosition.Beginning());

        assertThat(probe.asked).isEqualTo(3);
    }

    @Test
    void commitsWhatWasPrintedWhenAnInterruptReachesTheCommitOfWhatCameBefore() {
        end(9);
        joinWith(() -> deliver(0, "first"));
        consumer.schedulePollTask(() -> {
            deliver(1, "second");
            consumer.wakesCommit = true;
        });

        loop(recording.results(), true).consumeAsGroup("t");

        assertThat(recording.out()).isEqualTo("first\nsecond\n");
        assertThat(consumer.committed(Set.of(PARTITION))).containsEntry(PARTITION, new OffsetAndMetadata(2));
    }

    @Test
    void tellsAFollowerOnceThatItsNodeIsGoneAndOnceThatItIsBack() {
        end(9);
        onEachPoll(() -> {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(time.nanoTime());
            boolean gone = seconds >= 20 && seconds < 60;
            refusal = gone ? "The node at host:1 cannot be reached (gone)." : null;
            receivedBytes += gone ? 0 : 1;
            if (seconds == 61 && recording.out().isEmpty()) {
                deliver(0, "a");
            } else if (seconds > 70) {
                consumer.wakeup();
            }
        });

        loop(recording.results(), true).consume("t", null, new StartPosition.Beginning());

        assertThat(recording.out()).isEqualTo("a\n");
        assertThat(recording.err().lines())
                .containsExactly(
                        "sluice: warning: The node at host:1 cannot be reached (gone). It is tried again until it"
                                + " answers.",
                        "sluice: The node answers again. Reading goes on where it was.");
    }

    @Test
    void saysNothingWhereTheNodeAnswersAndOnlyNothingComes() {
        end(0);
        onEachPoll(() -> {
            if (time.nanoTime() > 10 * TIMEOUT.toNanos()) {
                consumer.wakeup();
            }
        });

        loop(recording.results(), true).consume("t", null, new StartPosition.Beginning());

        assertThat(recording.err()).isEmpty();
    }

    @Test
    void aFollowerCommitsLaterWhatNoNodeTook() {
        end(9);
        joinWith(() -> deliver(0, "first"));
        consumer.silentCommits = 2;
        onEachPoll(() -> {
            if (consumer.silentCommits == 0) {
                consumer.wakeup();
            }
        });

        loop(recording.results(), true).consumeAsGroup("t");

        assertThat(recording.out()).isEqualTo("first\n");
        assertThat(consumer.committed(Set.of(PARTITION))).containsEntry(PARTITION, new OffsetAndMetadata(1));
    }

    /** Whoever has the partition then may have got further. */
    @Test
    void aFollowerCommitsNothingOfAPartitionThatItHasGivenAway() {
        end(9);
        joinWith(() -> deliver(0, "first"));
        consumer.silentCommits = Integer.MAX_VALUE;
        onEachPoll(() -> {
            if (recording.out().isEmpty()) {
                return;
            }
            if (consumer.assignment().isEmpty()) {
                consumer.silentCommits = 0;
                consumer.wakeup();
            } else {
                consumer.rebalance(List.of());
            }
        });

        loop(recording.results(), true).consumeAsGroup("t");

        assertThat(recording.out()).isEqualTo("first\n");
        assertThat(consumer.triedCommits).isPositive();
        assertThat(consumer.committed(Set.of(PARTITION))).isEmpty();
    }

    @Test
    void commitsWhatWasPrintedWhenAnInterruptReachesTheCommitOfARevocation() {
        end(9);
        joinWith(() -> deliver(0, "first"));
        consumer.schedulePollTask(() -> {
            consumer.wakesCommit = true;
            consumer.rebalance(List.of());
        });

        loop(recording.results(), true).consumeAsGroup("t");

        assertThat(recording.out()).isEqualTo("first\n");
        assertThat(consumer.committed(Set.of(PARTITION))).containsEntry(PARTITION, new OffsetAndMetadata(1));
    }

    @Test
    void aMemberWhoseJoinIsNotAnsweredIsRemoved() {
        end(3);
        onEachPoll(consumer::wakeup);

        try (RecordLoop loop = loop(recording.results(), true)) {
            loop.consumeAsGroup("t");
        }

        assertThat(membership.ended).isEqualTo(1);
        assertThat(recording.err()).isEmpty();
    }

    @Test
    void aMemberThatGaveUpIsRemoved() {
        end(3);
        membership.failure = "no answer within 3 s";

        UserException failure = catchThrowableOfType(UserException.class, () -> {
            try (RecordLoop loop = loop(recording.results(), false)) {
                loop.consumeAsGroup("t");
            }
        });

        assertThat(failure.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(membership.ended).isEqualTo(1);
        assertThat(recording.err()).contains("Could not leave the group (no answer within 3 s)");
    }

    @Test
    void aMemberThatHasAPartitionLeavesByItself() {
        end(1);
        joinWith(() -> deliver(0, "first"));

        try (RecordLoop loop = loop(recording.results(), false)) {
            loop.consumeAsGroup("t");
        }

        assertThat(membership.ended).isZero();
    }

    @Test
    void aMemberWhoseConsumerCannotBeClosedInOrderIsRemoved() {
        end(1);
        joinWith(() -> deliver(0, "first"));
        consumer.failsToClose = true;
        membership.failure = "no answer within 3 s";

        RecordLoop loop = loop(recording.results(), false);
        loop.consumeAsGroup("t");

        assertThatThrownBy(loop::close).hasMessage("a callback failed");
        assertThat(membership.ended).isEqualTo(1);
        assertThat(recording.err()).contains("Could not leave the group (no answer within 3 s)");
    }

    @Test
    void whoNeverJoinedHasNothingToLeave() {
        end(3);
        consumer.wakeup();

        try (RecordLoop loop = loop(recording.results(), true)) {
            loop.consume("t", null, new StartPosition.Beginning());
        }

        assertThat(membership.ended).isZero();
    }

    @Test
    void anInterruptEndsTheProbe() {
        loop(recording.results(), true).close();

        recording.interrupt();

        assertThat(probe.stopped).isTrue();
    }

    @Test
    void givesUpOnAGroupThatGivesItNothing() {
        end(3);

        UserException failure = catchThrowableOfType(
                UserException.class, () -> loop(recording.results(), false).consumeAsGroup("t"));

        assertThat(failure.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(failure.line()).contains("gave this member no partition");
    }

    @Test
    void keepsWaitingWhereRecordsComeSlowlyOrAreNeverShown() {
        end(9);
        long[] next = {0};
        onEachPoll(() -> {
            if (time.nanoTime() / TIMEOUT.toNanos() * 3 / 2 > next[0] && next[0] < 9) {
                next[0]++;
                consumer.seek(PARTITION, next[0]);
            }
        });

        loop(recording.results(), false).consume("t", null, new StartPosition.Beginning());

        assertThat(time.nanoTime()).isGreaterThan(3 * TIMEOUT.toNanos());
    }

    @Test
    void followsHoweverLongNothingComes() {
        end(0);
        onEachPoll(() -> {
            if (time.nanoTime() > 10 * TIMEOUT.toNanos()) {
                consumer.wakeup();
            }
        });

        loop(recording.results(), true).consume("t", null, new StartPosition.Beginning());

        assertThat(time.nanoTime()).isGreaterThan(10 * TIMEOUT.toNanos());
    }

    private Map<TopicPartition, OffsetAndMetadata> committedAfterReadingTo(OutputStream out) {
        end(2);
        joinWith(() -> {
            deliver(0, "first");
            deliver(1, "second");
        });

        loop(out, false).consumeAsGroup("t");

        return consumer.committed(Set.of(PARTITION));
    }

    @Test
    void commitsWhatWasPrinted() {
        assertThat(committedAfterReadingTo(recording.results())).containsEntry(PARTITION, new OffsetAndMetadata(2));
    }

    @Test
    void commitsNothingThatCouldNotBePrinted() {
        assertThat(committedAfterReadingTo(FailingOutput.brokenPipe(8))).doesNotContainKey(PARTITION);
    }

    @Test
    void stopsReadingOnAFullDiskAndCommitsNothing() {
        assertThat(committedAfterReadingTo(FailingOutput.fullDisk(8))).doesNotContainKey(PARTITION);
    }

    @Test
    void commitsNothingThatAPipeTookFromARecordThatNobodyRead() {
        end(3);
        joinWith(() -> {
            deliver(0, "first");
            deliver(1, "second");
        });
        consumer.schedulePollTask(() -> deliver(2, "third"));

        loop(FailingOutput.brokenPipe(13), false).consumeAsGroup("t");

        assertThat(consumer.committed(Set.of(PARTITION))).doesNotContainKey(PARTITION);
    }

    @Test
    void commitsBeforeAnotherMemberGetsThePartition() {
        end(2);
        joinWith(() -> deliver(0, "first"));
        Map<TopicPartition, OffsetAndMetadata> seen = new HashMap<>();
        consumer.schedulePollTask(() -> {
            consumer.rebalance(List.of());
            consumer.rebalance(List.of(PARTITION));
            seen.putAll(consumer.committed(Set.of(PARTITION)));
            consumer.wakeup();
        });

        loop(recording.results(), true).consumeAsGroup("t");

        assertThat(recording.out()).isEqualTo("first\n");
        assertThat(seen).containsEntry(PARTITION, new OffsetAndMetadata(1));
    }

    @Test
    void saysThatThereIsNoSuchOffset() {
        end(2);
        consumer.schedulePollTask(() -> {
            deliver(0, "a");
            deliver(1, "b");
        });

        loop(recording.results(), false).consume("t", null, new StartPosition.AtOffset(7));

        assertThat(recording.err()).contains("no partition has offset 7").hasLineCount(1);
    }

    @Test
    void startsAtTheEndWithoutAWord() {
        end(2);

        loop(recording.results(), false).consume("t", null, new StartPosition.AtOffset(2));

        assertThat(recording.err()).isEmpty();
    }
}
