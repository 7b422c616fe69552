/**
 * The reference pages under docs/ that are made from the code: settings, metrics, commands. Start with {@link
 * io.sluice.server.docs.ReferencePagesTest}.
 */
@NullMarked
package io.sluice.server.docs;

import org.jspecify.annotations.NullMarked;
