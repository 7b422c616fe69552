package io.sluice.cli.connect;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import io.sluice.base.time.SystemClock;
import io.sluice.cli.output.NumberRange;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import picocli.CommandLine.Option;

/** The options of every command that talks to a node. */
public final class ConnectOptions {
    private static final String OPTION = "--bootstrap-server";
    private static final Duration GROUP_PATIENCE = Duration.ofSeconds(3);
    private static final int PROBE_MILLIS = 3_000;
    private static final int REFUSAL_MILLIS = 1_000;

    @Option(
            names = OPTION,
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:9092",
            description = "A node to ask; several are separated by commas. Default: ${DEFAULT-VALUE}.")
    private String bootstrapServer = "";

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "How long to wait for a node's answer. Default: ${DEFAULT-VALUE}.")
    @NumberRange(min = 1, max = 3_600)
    private int timeoutSeconds;

    /** The addresses as given. */
    public String bootstrapServer() {
        return bootstrapServer;
    }

    /** The addresses one by one. */
    public List<HostAndPort> addresses() {
        return HostAndPort.parseList(OPTION, bootstrapServer);
    }

    /** How long one call may take. */
    public Duration timeout() {
        return Duration.ofSeconds(timeoutSeconds);
    }

    /** What every Kafka client of these commands is configured with, after a check that somebody listens there. */
    public Map<String, Object> clientConfig() {
        requireListening();
        int timeoutMillis = Math.toIntExact(timeout().toMillis());
        Map<String, Object> config = new HashMap<>();
        config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServer);
        config.put(CommonClientConfigs.CLIENT_ID_CONFIG, "sluice-cli");
        config.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, timeoutMillis);
        config.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, timeoutMillis);
        config.put(CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, (long) PROBE_MILLIS);
        config.put(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG, "none");
        config.put("enable.metrics.push", false);
        return config;
    }

    /** Asks these addresses about groups, within seconds. */
    public GroupProbe groupProbe() {
        Duration patience = timeout().compareTo(GROUP_PATIENCE) < 0 ? timeout() : GROUP_PATIENCE;
        return new GroupProbe(addresses(), patience, SystemClock.INSTANCE);
    }

    /** Asks each address once, until one answers: Kafka's clients would try again and again until their time-out. */
    private void requireListening() {
        requireListening(addresses());
    }

    private void requireListening(List<HostAndPort> addresses) {
        KafkaProbe probe =
                new KafkaProbe(PROBE_MILLIS, Math.toIntExact(timeout().toMillis()), SystemClock.INSTANCE);
        List<UserException> failures = failures(probe, addresses);
        if (!failures.isEmpty()) {
            throw failures.size() == 1 ? failures.get(0) : noneOf(failures);
        }
    }

    /** Why none of the addresses answers just now; empty where one does. Blocks for seconds at most. */
    public Optional<String> refusal() {
        KafkaProbe probe = new KafkaProbe(REFUSAL_MILLIS, REFUSAL_MILLIS, SystemClock.INSTANCE);
        List<String> reasons = new ArrayList<>();
        for (HostAndPort address : addresses()) {
            try {
                if (probe.ask(address) == KafkaProbe.Answer.BROKER) {
                    return Optional.empty();
                }
                reasons.add("The node at " + address + " does not answer.");
            } catch (IOException e) {
                reasons.add("The node at " + address + " cannot be reached (" + FileFailures.reason(e) + ").");
            }
        }
        return Optional.of(String.join(" ", reasons));
    }

    /** Why each of them does not answer; nothing as soon as one does. */
    private List<UserException> failures(KafkaProbe probe, List<HostAndPort> addresses) {
        List<UserException> failures = new ArrayList<>();
        for (HostAndPort address : addresses) {
            Optional<UserException> failure = failure(probe, address);
            if (failure.isEmpty()) {
                return List.of();
            }
            failures.add(failure.get());
        }
        return failures;
    }

    /** Each of them may be the one that was meant. */
    private static UserException noneOf(List<UserException> failures) {
        UserException all = new UserException(
                ExitCode.UNAVAILABLE, failures.stream().map(UserException::line).collect(Collectors.joining(" ")));
        failures.forEach(all::addSuppressed);
        return all;
    }

    private Optional<UserException> failure(KafkaProbe probe, HostAndPort address) {
        try {
            return switch (probe.ask(address)) {
                case BROKER -> Optional.empty();
                case OTHER -> Optional.of(KafkaFailures.noBroker(address.toString(), null));
                case SILENCE -> Optional.of(KafkaFailures.silent(address.toString(), null));
                case CLOSED ->
                    Optional.of(new UserException(
                            ExitCode.UNAVAILABLE,
                            "What listens at " + address
                                    + " closes the connection: it does not speak Kafka's protocol, or"
                                    + " takes no more connections. Is it the right port?"));
            };
        } catch (IOException e) {
            return Optional.of(new UserException(
                    ExitCode.UNAVAILABLE,
                    "No node answers at " + address + " (" + FileFailures.reason(e)
                            + "). Start one with 'sluice start', or name another with --bootstrap-server HOST:PORT.",
                    e));
        }
    }
}
