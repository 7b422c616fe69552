/**
 * What can be configured about topics and about the node, by Kafka's names where Kafka has one: {@link
 * io.sluice.storage.config.TopicConfigKeys} and {@link io.sluice.storage.config.BrokerConfigKeys} list the keys, {@link
 * io.sluice.storage.config.TopicConfig} is what the log reads. Immutable values, safe on every thread. Start with {@link
 * io.sluice.storage.config.TopicConfig}.
 */
@NullMarked
package io.sluice.storage.config;

import org.jspecify.annotations.NullMarked;
