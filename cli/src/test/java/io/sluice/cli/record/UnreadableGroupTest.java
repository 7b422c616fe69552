package io.sluice.cli.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.base.time.SimulatedTime;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.RecordingConsole;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reading as a member of a group whose state the node cannot read: the consumer gets no partition, and hears nothing. */
class UnreadableGroupTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(500);
    private static final String REASON = "The state of group 'g' cannot be read.";

    private final SimulatedTime time = new SimulatedTime(0);
    private final RecordingConsole recording = new RecordingConsole();
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    private final RecordingMembership membership = new RecordingMembership();

    @BeforeEach
    void oneTopic() {
        Node node = new Node(1, "localhost", 9092);
        Node[] replicas = {node};
        consumer.updatePartitions("t", List.of(new PartitionInfo("t", 0, node, replicas, replicas)));
        membership.refusal = new UserException(ExitCode.FAILED, REASON);
    }

    /** Lets the time of a poll pass with each. */
    private void interruptAt(Duration end) {
        consumer.schedulePollTask(() -> {
            time.advanceNanos(POLL.toNanos());
            if (time.nanoTime() > end.toNanos()) {
                consumer.wakeup();
            }
            interruptAt(end);
        });
    }

    private RecordLoop loop(boolean follow) {
        Console console = recording.console(recording.results(), time);
        return new RecordLoop(
                consumer,
                membership,
                new SilentProbe(),
                new OutageWatch(time, console.err(), () -> OptionalLong.of(0), Optional::empty),
                console,
                new RecordPrinter(console.out(), RecordFormat.text, null, console.zone()),
                new ReadBounds(TIMEOUT, follow, Long.MAX_VALUE));
    }

    /** Nothing is assigned, so nothing is asked about. */
    private static final class SilentProbe implements ReadProbe {
        @Override
        public Map<TopicPartition, Errors> ask(Map<Node, Map<TopicPartition, Long>> offsets) {
            return Map.of();
        }

        @Override
        public void stop() {}
    }

    @Test
    void isSaidAndNobodyTriesToLeaveIt() {
        interruptAt(TIMEOUT.multipliedBy(10));

        UserException failure = catchThrowableOfType(UserException.class, () -> {
            try (RecordLoop loop = loop(false)) {
                loop.consumeAsGroup("t");
            }
        });

        assertThat(failure).isSameAs(membership.refusal);
        assertThat(Duration.ofNanos(time.nanoTime())).isBetween(TIMEOUT, TIMEOUT.plus(POLL.multipliedBy(4)));
        assertThat(membership.ended).isZero();
        assertThat(recording.err()).isEmpty();
    }

    @Test
    void isWaitedForByAFollowerThatIsToldOnce() {
        interruptAt(TIMEOUT.multipliedBy(10));

        loop(true).consumeAsGroup("t");

        assertThat(recording.err()).isEqualTo("sluice: warning: " + REASON + " It is tried again.\n");
    }
}
