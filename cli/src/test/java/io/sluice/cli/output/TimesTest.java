package io.sluice.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.error.UserException;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class TimesTest {
    @Test
    void writesTheZone() {
        assertThat(Times.format(0, ZoneId.of("Europe/Berlin"))).isEqualTo("1970-01-01T01:00:00.000+01:00");
        assertThat(Times.format(0, ZoneId.of("UTC"))).isEqualTo("1970-01-01T00:00:00.000Z");
    }

    @Test
    void readsWhatItWrites() {
        assertThat(Times.parse("--time", "1970-01-01T01:00:00.005+01:00")).isEqualTo(5);
        assertThat(Times.parse("--time", "1970-01-01T00:00:01Z")).isEqualTo(1000);
    }

    @Test
    void wantsAZone() {
        assertThatThrownBy(() -> Times.parse("--time", "2026-01-31T13:00:00"))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("--time")
                .hasMessageContaining("with its zone");
    }
}
