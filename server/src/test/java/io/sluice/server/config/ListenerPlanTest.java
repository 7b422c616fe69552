package io.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.config.ConfigException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListenerPlanTest {
    private static ListenerPlan plan(String listeners, String... advertised) {
        return ListenerPlan.of(List.of(listeners), List.of(advertised), () -> List.of("10.1.2.3", "[fd00::1]"));
    }

    @Test
    void advertisesWhatItBindsTo() {
        ListenerPlan.Endpoint endpoint =
                plan("PLAINTEXT://127.0.0.1:0").endpoints().get(0);

        assertThat(endpoint.advertisedHost()).isEqualTo("127.0.0.1");
        assertThat(endpoint.advertisedPort(40_000)).isEqualTo(40_000);
        assertThat(endpoint.openToOthers()).isFalse();
    }

    @Test
    void readsAnIpv6AddressInBrackets() {
        Listener bind = plan("PLAINTEXT://[::1]:9092").endpoints().get(0).bind();

        assertThat(bind.host()).isEqualTo("::1");
        assertThat(bind.port()).isEqualTo(9092);
        assertThat(bind).hasToString("PLAINTEXT://[::1]:9092");
    }

    @Test
    void refusesAnIpv6AddressWithoutBrackets() {
        assertThatThrownBy(() -> plan("PLAINTEXT://::1:9092"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("in brackets");
    }

    @Test
    void refusesEveryAddressWithoutSayingWhichToUseAndListsThisMachines() {
        assertThatThrownBy(() -> plan("PLAINTEXT://0.0.0.0:9092"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("advertised.listeners")
                .hasMessageContaining("10.1.2.3, [fd00::1]");
        assertThatThrownBy(() -> plan("PLAINTEXT://[::]:9092")).hasMessageContaining("10.1.2.3");
        assertThatThrownBy(() -> plan("PLAINTEXT://:9092")).hasMessageContaining("10.1.2.3");
    }

    @Test
    void takesEveryAddressWithAnAdvertisedOne() {
        ListenerPlan.Endpoint endpoint = plan("PLAINTEXT://0.0.0.0:9092", "PLAINTEXT://queue.example.org:19092")
                .endpoints()
                .get(0);

        assertThat(endpoint.advertisedHost()).isEqualTo("queue.example.org");
        assertThat(endpoint.advertisedPort(9092)).isEqualTo(19_092);
        assertThat(endpoint.openToOthers()).isTrue();
    }

    @Test
    void refusesToAdvertiseAnAddressThatStandsForAll() {
        assertThatThrownBy(() -> plan("PLAINTEXT://127.0.0.1:9092", "PLAINTEXT://0.0.0.0:9092"))
                .hasMessageContaining("no client can connect");
    }

    @Test
    void refusesAnAdvertisedListenerThatDoesNotExist() {
        assertThatThrownBy(() -> plan("PLAINTEXT://127.0.0.1:9092", "OUTSIDE://a.example.org:9092"))
                .hasMessageContaining("OUTSIDE");
    }

    @Test
    void refusesKindsOfListenersThatItDoesNotHave() {
        assertThatThrownBy(() -> plan("SSL://127.0.0.1:9093")).hasMessageContaining("PLAINTEXT://HOST:PORT");
    }

    @Test
    void refusesWhatIsNoAddress() {
        assertThatThrownBy(() -> plan("127.0.0.1:9092")).hasMessageContaining("NAME://HOST:PORT");
        assertThatThrownBy(() -> plan("PLAINTEXT://127.0.0.1")).hasMessageContaining("port is missing");
        assertThatThrownBy(() -> plan("PLAINTEXT://127.0.0.1:x")).hasMessageContaining("number");
        assertThatThrownBy(() -> plan("PLAINTEXT://127.0.0.1:70000")).hasMessageContaining("0 to 65535");
        assertThatThrownBy(() -> ListenerPlan.of(List.of(), List.of(), List::of))
                .hasMessageContaining("at least one");
    }

    @Test
    void refusesToAdvertiseNoPort() {
        assertThatThrownBy(() -> plan("PLAINTEXT://127.0.0.1:9092", "PLAINTEXT://a.example.org:0"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("from 1 to 65535");
    }
}
