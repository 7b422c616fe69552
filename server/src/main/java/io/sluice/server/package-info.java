/**
 * Wires one node together by hand, with plain {@code new}, and runs it as a process. Start with {@link
 * io.sluice.server.Main}, then {@link io.sluice.server.Node}. Threads are made here and nowhere else, by {@link
 * io.sluice.server.process.NamedThreads}.
 */
@NullMarked
package io.sluice.server;

import org.jspecify.annotations.NullMarked;
