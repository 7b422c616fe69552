/**
 * Clients, disks and networks that stop behaving. Start reading at {@link io.sluice.testkit.limit.StalledReaderTest}.
 */
@NullMarked
package io.sluice.testkit.limit;

import org.jspecify.annotations.NullMarked;
