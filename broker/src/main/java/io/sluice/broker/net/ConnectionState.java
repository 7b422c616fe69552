package io.sluice.broker.net;

import java.util.EnumMap;
import java.util.Map;

/**
 * Where a connection's life has got to.
 *
 * <pre>
 *             hold                 hold
 *   Serving --------> Held(holds) ----.
 *      ^  |             |  |  ^-------'
 *      |  |  last hold  |  |
 *      '--+--- gone ----'  |
 *         | drain          | drain
 *         '------> Draining <
 *                     |
 *   any of them ------+--- close, or the client went ---> Closed
 * </pre>
 *
 * Serving reads the socket and starts calls; Held does neither; Draining only finishes what is in flight.
 */
sealed interface ConnectionState {
    /** From every state. */
    default Closed toClosed() {
        return new Closed();
    }

    /** Reads and starts calls: the state of every new connection. */
    record Serving() implements ConnectionState {
        Held toHeld(Hold hold) {
            return new Held(Map.of(hold, 1));
        }

        Draining toDraining() {
            return new Draining();
        }
    }

    /**
     * Neither reads nor starts calls.
     *
     * @param holds how often each hold applies, never empty
     */
    record Held(Map<Hold, Integer> holds) implements ConnectionState {
        Held toHeld(Hold hold) {
            EnumMap<Hold, Integer> more = new EnumMap<>(holds);
            more.merge(hold, 1, Integer::sum);
            return new Held(more);
        }

        ConnectionState toReleased(Hold hold) {
            EnumMap<Hold, Integer> fewer = new EnumMap<>(holds);
            fewer.computeIfPresent(hold, (same, count) -> count == 1 ? null : count - 1);
            return fewer.isEmpty() ? new Serving() : new Held(fewer);
        }

        Draining toDraining() {
            return new Draining();
        }
    }

    /** Finishes the calls in flight, then closes. */
    record Draining() implements ConnectionState {}

    /** The socket is closed or about to be. */
    record Closed() implements ConnectionState {}
}
