/**
 * Kafka's group coordinator library on our runtime adaptors: configuration, Kafka's kind of metadata image, and the service
 * behind {@link io.sluice.coordinator.group.GroupPort}.
 *
 * <p>Threads: the library runs one thread of its own for all group events and at most one more for assignments handed off;
 * both start with the first use of a group. Start reading at {@link io.sluice.coordinator.library.LibraryGroups}.
 */
@NullMarked
package io.sluice.coordinator.library;

import org.jspecify.annotations.NullMarked;
