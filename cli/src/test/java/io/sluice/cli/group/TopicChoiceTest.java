package io.sluice.cli.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopicChoiceTest {
    @Test
    void meansAllPartitionsUnlessSomeAreNamed() {
        assertThat(TopicChoice.parse("t").among(2))
                .containsExactly(new TopicPartition("t", 0), new TopicPartition("t", 1));
        assertThat(TopicChoice.parse("t:2, 0,2").among(3))
                .containsExactly(new TopicPartition("t", 2), new TopicPartition("t", 0));
    }

    @Test
    void refusesAPartitionThatTheTopicDoesNotHave() {
        UserException refusal = catchThrowableOfType(
                UserException.class, () -> TopicChoice.parse("t:0,3").among(3));

        assertThat(refusal.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(refusal.line()).isEqualTo("Topic 't' has no partition 3: allowed is 0 to 2.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":1", "t:", "t:x", "t:-1", "t:0,,1", "t:99999999999"})
    void refusesWhatIsNoChoice(String text) {
        UserException refusal = catchThrowableOfType(UserException.class, () -> TopicChoice.parse(text));

        assertThat(refusal.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(refusal.line()).contains("'" + text + "'", "--topic");
    }
}
