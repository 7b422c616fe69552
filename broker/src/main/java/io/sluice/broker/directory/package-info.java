/**
 * What handlers of topics and of settings share: which brokers clients are told of, ids and errors in Kafka's terms. Safe on
 * every thread. Start with {@link io.sluice.broker.directory.BrokerDirectory}.
 */
@NullMarked
package io.sluice.broker.directory;

import org.jspecify.annotations.NullMarked;
