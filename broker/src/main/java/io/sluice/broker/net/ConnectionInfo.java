package io.sluice.broker.net;

import java.util.List;

/**
 * One connection as an operator sees it, at one moment.
 *
 * @param id unique in this process run
 * @param clientId of its latest request
 * @param softwareName what it said of itself, "" if nothing
 * @param softwareVersion what it said of itself, "" if nothing
 * @param address IP address and port it comes from
 * @param listener name of the listener
 * @param topics last used, the latest first; bounded
 * @param sinceEpochMillis when it was accepted
 * @param bytesIn bytes received
 * @param bytesOut bytes of answers handed to the socket
 * @param requests requests started
 */
public record ConnectionInfo(
        long id,
        String clientId,
        String softwareName,
        String softwareVersion,
        String address,
        String listener,
        List<String> topics,
        long sinceEpochMillis,
        long bytesIn,
        long bytesOut,
        long requests) {}
