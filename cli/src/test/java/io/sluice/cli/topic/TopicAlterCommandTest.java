package io.sluice.cli.topic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TopicAlterCommandTest {
    private static final List<String> KNOWN = List.of("retention.ms", "cleanup.policy");

    @Test
    void namesTheNearestKey() {
        assertThat(TopicKeys.unknown("retention.m", KNOWN).line())
                .isEqualTo("Unknown configuration key 'retention.m'; did you mean 'retention.ms'? Nothing was changed."
                        + " docs/config.md lists all keys.");
    }

    @Test
    void namesTheKeysThereAreWhereNoneIsNear() {
        assertThat(TopicKeys.unknown("zzzzzzzzzzzz", KNOWN).line())
                .isEqualTo("Unknown configuration key 'zzzzzzzzzzzz'. A topic's keys are cleanup.policy, retention.ms."
                        + " Nothing was changed. docs/config.md lists all keys.");
    }
}
