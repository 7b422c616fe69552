package io.sluice.broker.telemetry;

import io.sluice.base.config.ConfigValues;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.Clock;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;

/**
 * What the handlers use of a node.
 *
 * @param images hold the subscriptions
 * @param values the node's settings at its start
 * @param background where payloads are read, one at a time
 * @param newIds ids for client instances that have none: random, none of them reserved
 */
public record TelemetryEnvironment(
        ClusterImageSource images,
        ConfigValues values,
        Executor background,
        Clock clock,
        Metrics metrics,
        Supplier<Uuid> newIds) {}
