/**
 * Bytes on the disk that are no longer what was written. Start reading at {@link io.sluice.testkit.damage.FlippedByteTest}. Everything belongs to the test's thread.
 */
@NullMarked
package io.sluice.testkit.damage;

import org.jspecify.annotations.NullMarked;
