package io.sluice.base.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TopicIdTest {
    @Test
    void writesAndReadsKafkasText() {
        TopicId id = new TopicId(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
        assertThat(id.toString()).isEqualTo("AQIDBAUGBwgJCgsMDQ4PEA");
        assertThat(TopicId.parse("AQIDBAUGBwgJCgsMDQ4PEA")).isEqualTo(id);
    }

    @Test
    void refusesATextOfAnotherLength() {
        assertThatThrownBy(() -> TopicId.parse("AQID"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16 bytes");
    }

    @Test
    void makesIdsThatDifferAndDoNotStartWithADash() {
        assertThat(Stream.generate(TopicId::random).limit(1000))
                .doesNotHaveDuplicates()
                .noneMatch(id -> id.toString().startsWith("-"));
    }
}
