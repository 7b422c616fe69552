package io.sluice.cli.client;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;

/**
 * A connection, as the admin port tells of it.
 *
 * @param clientId what the client calls itself
 * @param softwareName of its library, empty where it does not tell
 * @param softwareVersion of its library, empty where it does not tell
 * @param address host and port it connects from
 * @param listener it came in through
 * @param connectedAt ISO-8601 with zone
 * @param topics it has asked for
 */
@JsonIgnoreProperties(ignoreUnknown = true)
record ConnectedClient(
        String clientId,
        String softwareName,
        String softwareVersion,
        String address,
        String listener,
        String connectedAt,
        List<String> topics) {}
