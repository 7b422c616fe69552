/**
 * The rules of the code itself: directions between modules, who may use what, sizes. Start reading at {@link io.sluice.testkit.architecture.ArchitectureTest}.
 */
@NullMarked
package io.sluice.testkit.architecture;

import org.jspecify.annotations.NullMarked;
