/**
 * How a command reaches a node: options, clients with time-outs, and what their failures mean to a person. Start with
 * {@link io.sluice.cli.connect.ConnectOptions}.
 */
@NullMarked
package io.sluice.cli.connect;

import org.jspecify.annotations.NullMarked;
