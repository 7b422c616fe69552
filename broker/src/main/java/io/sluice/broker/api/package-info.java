/**
 * What a handler of one Kafka API sees: {@link io.sluice.broker.api.ApiHandler} and its {@link io.sluice.broker.api.Call}. The
 * versions advertised come from the handlers registered.
 */
@NullMarked
package io.sluice.broker.api;

import org.jspecify.annotations.NullMarked;
