/**
 * Sizes of methods and files: {@link io.sluice.testkit.size.SizeReport}, which the command testkit/sizes runs. Reads source
 * files only; one thread.
 */
@NullMarked
package io.sluice.testkit.size;

import org.jspecify.annotations.NullMarked;
