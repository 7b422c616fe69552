/**
 * One catalogue of metrics and one facade over the Prometheus client. Start with {@link io.sluice.base.metric.Metric}.
 */
@NullMarked
package io.sluice.base.metric;

import org.jspecify.annotations.NullMarked;
