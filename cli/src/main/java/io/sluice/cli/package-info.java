/**
 * The command line.
 */
@NullMarked
package io.sluice.cli;

import org.jspecify.annotations.NullMarked;
