/**
 * What commands print: JSON for programs, tables for people on a terminal, tab-separated lines for everything else. Start
 * with {@link io.sluice.cli.output.OutputOptions}.
 */
@NullMarked
package io.sluice.cli.output;

import org.jspecify.annotations.NullMarked;
