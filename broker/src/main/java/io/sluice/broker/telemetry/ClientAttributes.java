package io.sluice.broker.telemetry;

import io.sluice.broker.api.Call;
import io.sluice.broker.api.Connection;
import io.sluice.storage.config.ClientMetricsSubscription;
import java.net.InetAddress;
import java.util.regex.Pattern;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * What a client is, as a subscription may ask: KIP-714's names. Of patterns that take too long, and of texts that are too
 * long, it is said that they do not match: both may be a client's doing.
 *
 * @param clientId of the request, null where it gave none
 */
record ClientAttributes(Uuid instanceId, @Nullable String clientId, Connection connection) {
    /** Steps of one pattern: some hundred for an ordinary one. */
    private static final int MAX_STEPS = 10_000;

    private static final int MAX_LENGTH = 1_000;

    static ClientAttributes of(Uuid instanceId, Call<?> call) {
        return new ClientAttributes(instanceId, call.header().clientId(), call.connection());
    }

    /** Whether all patterns match the whole of what they are about. */
    boolean matches(ClientMetricsSubscription subscription) {
        return subscription.match().entrySet().stream().allMatch(each -> matches(find(each.getKey()), each.getValue()));
    }

    private static boolean matches(@Nullable String text, Pattern pattern) {
        if (text == null || text.length() > MAX_LENGTH) {
            return false;
        }
        try {
            return pattern.matcher(new SteppedText(text, MAX_STEPS)).matches();
        } catch (SteppedText.TooManyStepsException e) {
            return false;
        }
    }

    private @Nullable String find(String name) {
        return switch (name) {
            case "client_instance_id" -> instanceId.toString();
            case "client_id" -> clientId;
            case "client_software_name" -> connection.clientSoftwareName();
            case "client_software_version" -> connection.clientSoftwareVersion();
            case "client_source_address" -> address();
            case "client_source_port" ->
                Integer.toString(connection.remoteAddress().getPort());
            default -> null;
        };
    }

    private @Nullable String address() {
        InetAddress address = connection.remoteAddress().getAddress();
        return address == null ? null : address.getHostAddress();
    }
}
