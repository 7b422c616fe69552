/**
 * Creates, grows and deletes topics, deletes records, and shows where logs are. Handlers start on an event loop, hand work to
 * the {@linkplain io.sluice.storage.metadata.TopicCatalogue catalogue} and answer when it is durable; nothing blocks. Start
 * with {@link io.sluice.broker.topic.CreateTopicsHandler}.
 */
@NullMarked
package io.sluice.broker.topic;

import org.jspecify.annotations.NullMarked;
