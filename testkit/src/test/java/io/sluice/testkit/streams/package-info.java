/** Kafka Streams, with its tasks' groups (KIP-1071) and the classic ones, against the real process. */
@NullMarked
package io.sluice.testkit.streams;

import org.jspecify.annotations.NullMarked;
