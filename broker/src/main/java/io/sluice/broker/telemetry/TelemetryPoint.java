package io.sluice.broker.telemetry;

/**
 * One value of a push.
 *
 * @param series which series it belongs to, see {@link SeriesText}
 * @param counter whether it only grows
 * @param delta whether it is what came to it since the last push, not the value itself
 */
record TelemetryPoint(String series, boolean counter, boolean delta, double value) {}
