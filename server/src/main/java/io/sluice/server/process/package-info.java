/**
 * What a node has of its machine: the lock on its directory, threads with names, and what the process takes (for the
 * metrics). Start with {@link io.sluice.server.process.DirectoryLock}.
 */
@NullMarked
package io.sluice.server.process;

import org.jspecify.annotations.NullMarked;
