/**
 * {@code sluice log …}: looks into a data directory that no node uses, without changing anything. Start with {@link
 * io.sluice.cli.log.DataDump}.
 */
@NullMarked
package io.sluice.cli.log;

import org.jspecify.annotations.NullMarked;
