/**
 * {@code sluice client …}: who is connected. Start with {@link io.sluice.cli.client.ClientListCommand}.
 */
@NullMarked
package io.sluice.cli.client;

import org.jspecify.annotations.NullMarked;
