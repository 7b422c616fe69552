/**
 * Raw connections: any request of any version, and bytes that are no request at all. Start reading at {@link io.sluice.testkit.wire.RawConnection}. A connection belongs to one thread.
 */
@NullMarked
package io.sluice.testkit.wire;

import org.jspecify.annotations.NullMarked;
