/**
 * One handler for each API of groups and committed offsets. They check what concerns topics and turn answers into the
 * shape that the request's version has; membership and offsets are the coordinator's ({@link
 * io.sluice.coordinator.group.GroupPort}).
 *
 * <p>Threads: called on event loops, answer on the coordinator's thread; nothing blocks. Start reading at {@link
 * io.sluice.broker.group.GroupHandlers}.
 */
@NullMarked
package io.sluice.broker.group;

import org.jspecify.annotations.NullMarked;
