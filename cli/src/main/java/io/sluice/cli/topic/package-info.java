/**
 * {@code sluice topic …}. Start with {@link io.sluice.cli.topic.TopicCommands}.
 */
@NullMarked
package io.sluice.cli.topic;

import org.jspecify.annotations.NullMarked;
