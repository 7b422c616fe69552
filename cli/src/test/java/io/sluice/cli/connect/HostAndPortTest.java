package io.sluice.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.error.UserException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostAndPortTest {
    @Test
    void readsNamesAndAddresses() {
        assertThat(HostAndPort.parse("--admin", "queue:9092")).isEqualTo(new HostAndPort("queue", 9092));
        assertThat(HostAndPort.parse("--admin", "[::1]:9092")).isEqualTo(new HostAndPort("::1", 9092));
        assertThat(new HostAndPort("::1", 9092)).hasToString("[::1]:9092");
    }

    @Test
    void readsSeveral() {
        assertThat(HostAndPort.parseList("--bootstrap-server", "a:1, b:2"))
                .containsExactly(new HostAndPort("a", 1), new HostAndPort("b", 2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"queue", ":9092", "queue:", "queue:x", "queue:0", "queue:65536", "::1:9092", "a:1,"})
    void refusesWhatIsNoAddress(String text) {
        assertThatThrownBy(() -> HostAndPort.parseList("--bootstrap-server", text))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("--bootstrap-server");
    }
}
