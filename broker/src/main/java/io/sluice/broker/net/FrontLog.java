package io.sluice.broker.net;

import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.Clock;
import io.sluice.base.time.OncePerInterval;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Says which connections were closed and why: one line each, at most one a second for each reason with the number left
 * out, never a stack trace for what a client did and never what it sent. Safe on every thread.
 */
final class FrontLog {
    private static final Logger LOG = LoggerFactory.getLogger(FrontLog.class);
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Clock clock;
    private final Map<CloseReason, LongAdder> counts = new EnumMap<>(CloseReason.class);
    private final Map<CloseReason, OncePerInterval> lines = new EnumMap<>(CloseReason.class);

    FrontLog(Clock clock, Metrics metrics) {
        this.clock = clock;
        for (CloseReason reason : CloseReason.values()) {
            counts.put(reason, metrics.counter(Metric.NET_CONNECTIONS_CLOSED, reason.label()));
            lines.put(reason, new OncePerInterval(INTERVAL_NANOS, clock.nanoTime()));
        }
    }

    /** A connection was closed by this node. */
    void onClose(InetSocketAddress address, String listener, CloseReason reason, String detail) {
        require(counts, reason).increment();
        LoggingEventBuilder event = LOG.atLevel(reason.level());
        long left = require(lines, reason).permit(clock.nanoTime());
        if (left == OncePerInterval.KEPT_BACK) {
            return;
        }
        event = event.addKeyValue("client", address).addKeyValue("listener", listener);
        event = detail.isEmpty() ? event : event.addKeyValue("detail", detail);
        event = left == 0 ? event : event.addKeyValue("alsoSinceLastLine", left);
        event.log(reason.message());
    }

    private static <V> V require(Map<CloseReason, V> all, CloseReason reason) {
        return Objects.requireNonNull(all.get(reason));
    }
}
