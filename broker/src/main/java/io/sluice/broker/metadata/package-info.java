/**
 * Tells clients which brokers and topics there are. Everything is read from the image current at the start of a request.
 * Runs on event loops and does not block. Start with {@link io.sluice.broker.metadata.MetadataHandler}.
 */
@NullMarked
package io.sluice.broker.metadata;

import org.jspecify.annotations.NullMarked;
