/**
 * What is on the wire: frames, headers, the table of APIs and views over record batches. With the broker's handlers and the coordinator, the only place that sees Kafka's generated classes.
 */
@NullMarked
package io.sluice.protocol;

import org.jspecify.annotations.NullMarked;
