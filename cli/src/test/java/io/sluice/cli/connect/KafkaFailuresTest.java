package io.sluice.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

class KafkaFailuresTest {
    private static UserException about(Subject subject, Exception failure) {
        return KafkaFailures.toUserException("10.0.0.7:9092", subject, new ExecutionException(failure));
    }

    @Test
    void namesTheTopicThatIsNotThere() {
        UserException failure = about(Subject.topic("orders"), new UnknownTopicOrPartitionException());

        assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(failure.line()).isEqualTo("There is no topic 'orders'. 'sluice topic list' shows those there are.");
    }

    @Test
    void namesTheGroupThatIsNotThere() {
        assertThat(about(Subject.group("readers"), new GroupIdNotFoundException("The group id does not exist."))
                        .line())
                .isEqualTo("There is no group 'readers'. 'sluice group list' shows those there are.");
    }

    @Test
    void saysWhatToDoWithAGroupThatHasMembers() {
        assertThat(about(Subject.group("readers"), new GroupNotEmptyException("The group is not empty."))
                        .line())
                .contains("Group 'readers'", "sluice group describe readers");
        assertThat(about(Subject.group("readers"), new UnknownMemberIdException("Failed altering group offsets"))
                        .line())
                .contains("Group 'readers' has members");
    }

    @Test
    void seesThatTheNodeIsNone() {
        UserException failure = about(
                Subject.topic("orders"), new TimeoutException("The AdminClient thread has exited. Call: listTopics"));

        assertThat(failure.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(failure.line()).contains("at 10.0.0.7:9092 does not speak Kafka's protocol");
    }

    @Test
    void namesTheTopicUnlessTheMessageDoes() {
        assertThat(about(Subject.topic("orders"), new InvalidPartitionsException("Too few"))
                        .line())
                .isEqualTo("Topic 'orders': Too few.");
        assertThat(about(Subject.topic("orders"), new TopicExistsException("Topic 'orders' already exists."))
                        .line())
                .isEqualTo("Topic 'orders' already exists.");
    }

    @Test
    void saysThatWhatWasToBeReadNextIsGone() {
        UserException failure = about(
                Subject.topic("orders"),
                new OffsetOutOfRangeException(
                        "Fetch position FetchPosition{offset=9} is out of range",
                        Map.of(new TopicPartition("orders", 0), 9L)));

        assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(failure.line())
                .contains("orders-0 has no offset 9", "made anew", "--from-beginning")
                .doesNotContain("FetchPosition");
    }

    @Test
    void saysThatATopicMayNotBeThere() {
        UserException failure = about(
                Subject.topic("orders"), new TimeoutException("Topic orders not present in metadata after 10000 ms."));

        assertThat(failure.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(failure.line())
                .contains("from 10.0.0.7:9092", "Is there such a topic")
                .doesNotContain("metadata");
    }

    @Test
    void saysWhatToDoWhereTheNodeHasNoRoom() {
        UserException failure = about(Subject.topic("orders"), new KafkaStorageException("No room."));

        assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(failure.line()).contains("KAFKA_STORAGE_ERROR (No room): ", "free room", "'sluice doctor'");
    }

    @Test
    void doesNotBlameTheTopicForASilentNode() {
        UserException failure = about(Subject.topic("orders"), new TimeoutException("Timed out"));

        assertThat(failure.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(failure.line())
                .startsWith("No answer in time from 10.0.0.7:9092.")
                .doesNotContain("Timed out");
    }
}
