/**
 * Requests out of bytes and bytes out of answers, without any socket: {@link io.sluice.protocol.frame.FrameAssembler} cuts a
 * stream into frames, {@link io.sluice.protocol.frame.RequestDecoder} reads one, {@link
 * io.sluice.protocol.frame.ResponseEncoder} writes an answer. Nothing here is shared between threads.
 */
@NullMarked
package io.sluice.protocol.frame;

import org.jspecify.annotations.NullMarked;
