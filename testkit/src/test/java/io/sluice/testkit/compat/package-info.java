/**
 * Test suites that others wrote for brokers of this protocol, run on Sluice and on a real Kafka on the same day. They are fetched
 * when they run and nothing of them is kept in the repository. Start reading at {@link
 * io.sluice.testkit.compat.CompatibilityTest}.
 */
package io.sluice.testkit.compat;
