/**
 * From file, options and command line to checked settings and listeners. Start with {@link
 * io.sluice.server.config.NodeConfig}.
 */
@NullMarked
package io.sluice.server.config;

import org.jspecify.annotations.NullMarked;
