/**
 * What the rest of the broker sees of groups: the port, where a group's coordinator is, the internal topic it lives in and
 * its settings. Request and answer types are kafka-clients' generated ones; the library behind the port does not show.
 *
 * <p>Threads: everything may be called from every thread and nothing blocks; stages complete on the coordinator's thread,
 * so whatever is chained to them must be short. Start reading at {@link io.sluice.coordinator.group.GroupPort}.
 */
@NullMarked
package io.sluice.coordinator.group;

import org.jspecify.annotations.NullMarked;
