package io.sluice.protocol.frame;

import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * A request that was read.
 *
 * @param header its header; the client id is never null
 * @param body its body; record sets and byte buffers in it are slices of the frame
 * @param heapBytes what both take on the heap at most, an estimate from above
 */
public record DecodedRequest(RequestHeader header, AbstractRequest body, long heapBytes) {}
