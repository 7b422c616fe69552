/**
 * InitProducerId and the ids behind it. Start with {@link io.sluice.broker.producerid.InitProducerIdHandler}. Safe on every
 * thread.
 */
@NullMarked
package io.sluice.broker.producerid;

import org.jspecify.annotations.NullMarked;
