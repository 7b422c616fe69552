/**
 * The command line: one class per command, in a package per noun. Start with {@link io.sluice.cli.Cli}, which puts the
 * commands together. Each command gets a {@link io.sluice.cli.Console} and runs on the caller's thread; talk to a node only
 * through kafka-clients' public API, with a time-out on every call.
 */
@NullMarked
package io.sluice.cli;

import org.jspecify.annotations.NullMarked;
