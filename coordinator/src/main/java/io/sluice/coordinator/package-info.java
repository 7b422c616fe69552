/**
 * Coordinators. {@link io.sluice.coordinator.runtime} is what each of them stands on. Groups and their offsets: {@link
 * io.sluice.coordinator.group} is the port that handlers speak to; {@link
 * io.sluice.coordinator.library} serves it with Kafka's own coordinator library on top of our logs.
 *
 * <p>Start reading at {@link io.sluice.coordinator.group.GroupPort}.
 */
@NullMarked
package io.sluice.coordinator;

import org.jspecify.annotations.NullMarked;
