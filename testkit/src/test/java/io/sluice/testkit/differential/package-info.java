/**
 * Sends the same requests to a real Kafka and to the candidate and compares the answers field by field. Start reading at {@link io.sluice.testkit.differential.DifferentialTest}; cases are in classes named after the APIs they try. One thread a side.
 */
@NullMarked
package io.sluice.testkit.differential;

import org.jspecify.annotations.NullMarked;
