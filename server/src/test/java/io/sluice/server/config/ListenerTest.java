package io.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.config.ConfigException;
import org.junit.jupiter.api.Test;

class ListenerTest {
    @Test
    void keepsTheHostWhenOnlyThePortIsGiven() {
        assertThat(Listener.override("PLAINTEXT://10.1.2.3:9092", null, 1234)).isEqualTo("PLAINTEXT://10.1.2.3:1234");
        assertThat(Listener.override("PLAINTEXT://[fd00::1]:9092", null, 1234)).isEqualTo("PLAINTEXT://[fd00::1]:1234");
    }

    @Test
    void keepsThePortWhenOnlyTheHostIsGiven() {
        assertThat(Listener.override("PLAINTEXT://10.1.2.3:7777", "::1", null)).isEqualTo("PLAINTEXT://[::1]:7777");
        assertThat(Listener.override("PLAINTEXT://10.1.2.3:7777", "[::1]", null))
                .isEqualTo("PLAINTEXT://[::1]:7777");
    }

    @Test
    void keepsOtherListeners() {
        assertThat(Listener.override("PLAINTEXT://a:1, INNER://b:2", "c", 3)).isEqualTo("PLAINTEXT://c:3, INNER://b:2");
    }

    @Test
    void refusesToChangeWhatIsNoListener() {
        assertThatThrownBy(() -> Listener.override("9092", null, 1))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("listeners");
    }
}
