/**
 * Produce: batches are validated where they lie, appended, and acknowledged when they are durable. Start with {@link
 * io.sluice.broker.produce.ProduceHandler}. A request's state belongs to its connection's event loop.
 */
@NullMarked
package io.sluice.broker.produce;

import org.jspecify.annotations.NullMarked;
