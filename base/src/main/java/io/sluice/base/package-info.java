/** What every other module stands on; depends on none of them. */
@NullMarked
package io.sluice.base;

import org.jspecify.annotations.NullMarked;
