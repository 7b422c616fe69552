/**
 * Share groups (KIP-932) on the wire: ShareFetch and ShareAcknowledge with their sessions, and the state that brokers keep for
 * each other.
 *
 * <p>Threads: handlers run on event loops; what belongs to a share partition is under its own lock, held only for moments.
 */
@NullMarked
package io.sluice.broker.share;

import org.jspecify.annotations.NullMarked;
