/** Share groups (KIP-932) as their own clients see them: real share consumers against the real process. */
@NullMarked
package io.sluice.testkit.share;

import org.jspecify.annotations.NullMarked;
