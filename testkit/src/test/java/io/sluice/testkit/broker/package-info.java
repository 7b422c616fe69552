/**
 * The brokers that tests talk to, a real Kafka and a real Sluice, as processes behind {@link io.sluice.testkit.broker.BrokerUnderTest}, so that every test can be tried against the reference first. Called on the test's thread.
 */
@NullMarked
package io.sluice.testkit.broker;

import org.jspecify.annotations.NullMarked;
