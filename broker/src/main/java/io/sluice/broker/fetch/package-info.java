/**
 * Fetch: sessions (KIP-227) as standing interest sets, long poll without polling, answers sent from where the records lie.
 * Start with {@link io.sluice.broker.fetch.FetchHandler}, then {@link io.sluice.broker.fetch.PendingFetch}.
 *
 * <p>Threads: a fetch lives on its connection's event loop; whatever touches a session holds its monitor, except for the
 * engine's threads, which only mark partitions and wake the fetch.
 */
@NullMarked
package io.sluice.broker.fetch;

import org.jspecify.annotations.NullMarked;
