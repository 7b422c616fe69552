/**
 * The front: sockets, frames, order, bounds. {@link io.sluice.broker.net.BrokerServer} listens; each socket becomes a {@link
 * io.sluice.broker.net.ServerConnection}, which reads requests, starts them on their handlers and sends the answers in
 * order. Start reading there.
 *
 * <p>Threads: everything of a connection happens on its event loop, and nothing on it blocks. What crosses threads is named
 * as safe: {@link io.sluice.broker.net.Peer}, the memory budgets, the table of connections, and the answering methods of a
 * call.
 *
 * <p>Bounds: a connection holds at most one buffer of received bytes, one frame under assembly, the calls in flight and the
 * answers not yet taken; frames of all connections share the request memory, answers share the response memory.
 */
@NullMarked
package io.sluice.broker.net;

import org.jspecify.annotations.NullMarked;
