/**
 * Histories: what many producers, plain and transactional, wrote and what readers saw while the broker was killed again and again;
 * and the checker that says what in them a broker that keeps its promise cannot have done. The anomalies are those that Jepsen
 * looks for in brokers of this protocol. Start reading at {@link io.sluice.testkit.history.HistoryChecker}.
 */
package io.sluice.testkit.history;
