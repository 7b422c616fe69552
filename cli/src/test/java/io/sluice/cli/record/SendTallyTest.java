package io.sluice.cli.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class SendTallyTest {
    @Test
    void refusesAPartitionThatTheTopicDoesNotHave() {
        Node node = new Node(1, "localhost", 9092);
        Node[] replicas = {node};
        List<PartitionInfo> partitions = List.of(
                new PartitionInfo("t", 0, node, replicas, replicas),
                new PartitionInfo("t", 1, node, replicas, replicas));
        Cluster cluster = new Cluster("c", List.of(node), partitions, Set.of(), Set.of());
        SendTally tally = new SendTally(
                new MockProducer<>(cluster, true, null, new ByteArraySerializer(), new ByteArraySerializer()),
                "node:9092",
                Duration.ZERO,
                SendProbe.NONE);

        tally.requirePartition("t", 1);
        UserException refusal = catchThrowableOfType(UserException.class, () -> tally.requirePartition("t", 2));

        assertThat(refusal.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(refusal.line()).isEqualTo("Topic 't' has no partition 2: allowed is 0 to 1.");
    }

    private final MockProducer<byte[], byte[]> slow =
            new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());

    private SendProbe probe = SendProbe.NONE;

    private SendTally sent(Duration patience, int records) {
        SendTally tally = new SendTally(slow, "node:9092", patience, probe);
        for (int line = 1; line <= records; line++) {
            tally.send(new ProducerRecord<>("t", new byte[4]), line);
        }
        return tally;
    }

    @Test
    void saysWhatTheNodeAnswersAndWaitsForNoOther() {
        SendTally tally = sent(Duration.ofHours(1), 3);
        slow.completeNext();
        slow.errorNext(new KafkaStorageException("no room"));

        UserException failure = catchThrowableOfType(UserException.class, tally::flush);

        assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(failure.line())
                .startsWith("The record of line 2 was not acknowledged (1 others were): The node answers"
                        + " KAFKA_STORAGE_ERROR (no room)")
                .contains("sluice doctor");
        assertThat(slow.closed()).as("the third is not waited for").isTrue();
    }

    @Test
    void givesUpOnANodeThatAnswersNothingMore() {
        SendTally tally = sent(Duration.ofMillis(1), 3);
        slow.completeNext();

        UserException failure = catchThrowableOfType(UserException.class, tally::flush);

        assertThat(failure.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(failure.line())
                .startsWith("2 records were not acknowledged (1 others were): No answer in time from node:9092.");
    }

    @Test
    void saysWhatTheNodeSaysWhereTheProducerOnlyWaits() {
        probe = partitions -> Optional.of(new UserException(ExitCode.FAILED, "It is gone."));
        SendTally unanswered = sent(Duration.ofMillis(1), 1);

        UserException failure = catchThrowableOfType(UserException.class, unanswered::flush);

        assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(failure.line()).isEqualTo("1 record were not acknowledged (0 others were): It is gone.");

        SendTally expired = sent(Duration.ofHours(1), 1);
        slow.errorNext(new KafkaStorageException("no room"));
        slow.errorNext(new TimeoutException("Topic t not present in metadata after 10000 ms."));
        failure = catchThrowableOfType(UserException.class, expired::flush);

        assertThat(failure.line()).isEqualTo("The record of line 1 was not acknowledged (0 others were): It is gone.");
    }

    @Test
    void isContentWithAllAcknowledgements() {
        SendTally tally = sent(Duration.ofMillis(1), 2);
        slow.completeNext();
        slow.completeNext();

        tally.flush();

        assertThat(tally.acknowledged()).isEqualTo(2);
    }

    @Test
    void saysWhatWasAcknowledgedWhenItIsStopped() {
        MockProducer<byte[], byte[]> producer =
                new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        SendTally tally = new SendTally(producer, "node:9092", Duration.ZERO, SendProbe.NONE);
        for (int line = 1; line <= 3; line++) {
            tally.send(new ProducerRecord<>("t", new byte[4]), line);
        }
        producer.completeNext();
        assertThat(tally.isOver()).isFalse();

        assertThat(tally.stop(Duration.ZERO)).isFalse();

        tally.send(new ProducerRecord<>("t", new byte[4]), 4);
        assertThat(producer.history()).hasSize(3);
        assertThat(tally.isOver()).isTrue();
        assertThat(tally.interruption().line())
                .isEqualTo("Interrupted. Of the lines up to line 3 1 were acknowledged; the others may or may not be in"
                        + " the topic.");
        producer.completeNext();
        producer.completeNext();
        assertThat(tally.stop(Duration.ZERO)).isTrue();
        assertThat(tally.interruption().line())
                .isEqualTo("Interrupted. All lines up to line 3 were sent and acknowledged.");
    }
}
