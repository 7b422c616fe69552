package io.sluice.base.metric;

import java.util.List;

/**
 * One series that somebody else named, a client say, and its newest value.
 *
 * @param name of the letters, digits and underscores that Prometheus takes, without what sets it apart from our own names
 * @param counter whether it only grows; then not below zero
 * @param labelNames of the same letters, each once, none beginning with an underscore
 * @param labelValues as many
 */
public record ForeignSeries(
        String name, boolean counter, List<String> labelNames, List<String> labelValues, double value) {}
