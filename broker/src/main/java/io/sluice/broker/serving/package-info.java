/**
 * What the handlers on the hot path know of a topic, resolved once: ids, settings, metric series. Start with {@link
 * io.sluice.broker.serving.ServedTopics}. Safe on every thread.
 */
@NullMarked
package io.sluice.broker.serving;

import org.jspecify.annotations.NullMarked;
