package io.sluice.protocol.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.junit.jupiter.api.Test;

/** Tables of answers take a time that goes with their length, whatever the names in them are. */
class PlacedTest {
    private static final int COUNT = 50_000;

    @Test
    void theirPlacesNeverMeetWhileTheTableGrows() {
        int[] hashes = IntStream.range(0, COUNT).map(Placed::hash).toArray();
        HashSteps steps = new HashSteps();
        assertThat(steps.fit(hashes, COUNT, new HashedLists.HashedList(List.of(), true, true), 100))
                .isTrue();
        // Once into the table made for all, once into the one it grows to, and twice in all into those that grow from
        // nothing.
        assertThat(steps.steps()).isLessThanOrEqualTo(5 * COUNT);
    }

    @Test
    void keepsElementsOfOneNameInTheirOrder() {
        MetadataResponseData answer = new MetadataResponseData();
        for (int i = 0; i < COUNT; i++) {
            Placed.add(answer.topics(), new Placed.TopicMetadata().setName("x").setErrorCode((short) (i % 100)));
        }
        assertThat(answer.topics()).hasSize(COUNT);
        int next = 0;
        for (MetadataResponseData.MetadataResponseTopic topic : answer.topics()) {
            assertThat(topic.errorCode()).isEqualTo((short) (next++ % 100));
        }
    }

    @Test
    void takesNoElementWithoutAPlace() {
        ProduceResponseData answer = new ProduceResponseData();
        assertThatThrownBy(() -> Placed.add(answer.responses(), new ProduceResponseData.TopicProduceResponse()))
                .isInstanceOf(ClassCastException.class);
    }
}
