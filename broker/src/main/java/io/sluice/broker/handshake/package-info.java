/**
 * What a client asks before anything else: which versions this node speaks, and how to log in. Start with {@link
 * io.sluice.broker.handshake.ApiVersionsHandler}. Handlers run on event loops.
 */
@NullMarked
package io.sluice.broker.handshake;

import org.jspecify.annotations.NullMarked;
