/**
 * Every command of the product, end to end: text, JSON and exit codes. Start with {@link
 * io.sluice.testkit.command.CommandRun}.
 */
@NullMarked
package io.sluice.testkit.command;

import org.jspecify.annotations.NullMarked;
