/**
 * Metrics that clients push of themselves (KIP-714): what they are asked for, what they send, and the newest values of that
 * among ours. Start with {@link io.sluice.broker.telemetry.TelemetryHandlers}.
 *
 * <p>Handlers run on event loops; payloads are decompressed and read one at a time on the executor given. What is remembered
 * of clients is behind locks that are held for moments; nothing here keeps timers: what has been silent for too long goes when
 * somebody looks, or when room is wanted.
 */
@NullMarked
package io.sluice.broker.telemetry;

import org.jspecify.annotations.NullMarked;
