package io.sluice.broker.telemetry;

import io.sluice.base.metric.ForeignSeries;
import io.sluice.base.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;

/**
 * The newest values that clients have pushed. Those of a client go when it says that it ends, when it has been silent for
 * some intervals, and when there are too many clients and it has not pushed for longest. Safe on every thread.
 */
final class ReceivedMetrics {
    /** Labels that say whose a series is. */
    static final List<String> CLIENT_LABELS = List.of("client_instance_id", "client_id");

    private static final int MAX_CLIENT_ID_LENGTH = 256;

    private final Limits limits;
    private final Clock clock;
    private final LinkedHashMap<Uuid, Client> clients = new LinkedHashMap<>(16, 0.75f, true);
    private int seriesCount;

    ReceivedMetrics(Limits limits, Clock clock) {
        this.limits = limits;
        this.clock = clock;
    }

    /**
     * What is held at most.
     *
     * @param clients instances
     * @param clientSeries series of one of them
     * @param series of all of them
     */
    record Limits(int clients, int clientSeries, int series) {}

    /** Values of one series. */
    private static final class Value {
        private boolean counter;
        private double newest;
    }

    /** What one client has pushed. */
    private static final class Client {
        private final String clientId;
        private final Map<String, Value> values = new HashMap<>();
        private long pushedNanos;
        private long silenceNanos;

        Client(String clientId) {
            this.clientId = clientId;
        }
    }

    /**
     * Takes what a client has pushed.
     *
     * @param intervalMs how often it is to push
     * @return how many of the values found no room
     */
    synchronized int take(Uuid instanceId, String clientId, int intervalMs, List<TelemetryPoint> points) {
        if (!clients.containsKey(instanceId) && clients.size() >= limits.clients()) {
            dropSilent();
            if (clients.size() >= limits.clients()) {
                drop(clients.values().iterator());
            }
        }
        if (seriesCount + points.size() > limits.series()) {
            dropSilent();
        }
        Client client = clients.computeIfAbsent(instanceId, id -> new Client(shortened(clientId)));
        client.pushedNanos = clock.nanoTime();
        client.silenceNanos = Silence.nanos(intervalMs);
        int leftOut = 0;
        for (TelemetryPoint point : points) {
            leftOut += put(client, point) ? 0 : 1;
        }
        return leftOut;
    }

    private static String shortened(String clientId) {
        return clientId.length() > MAX_CLIENT_ID_LENGTH ? clientId.substring(0, MAX_CLIENT_ID_LENGTH) : clientId;
    }

    private boolean put(Client client, TelemetryPoint point) {
        Value value = client.values.get(point.series());
        if (value == null) {
            if (client.values.size() >= limits.clientSeries() || seriesCount >= limits.series()) {
                return false;
            }
            value = new Value();
            client.values.put(point.series(), value);
            seriesCount++;
        }
        value.counter = point.counter();
        value.newest = point.delta() ? value.newest + point.value() : point.value();
        return true;
    }

    /** The client ends. */
    synchronized void forget(Uuid instanceId) {
        Client client = clients.remove(instanceId);
        if (client != null) {
            seriesCount -= client.values.size();
        }
    }

    /** All that is held, of no client that is silent. */
    synchronized List<ForeignSeries> series() {
        dropSilent();
        List<ForeignSeries> all = new ArrayList<>(seriesCount);
        clients.forEach((id, client) -> client.values.forEach(
                (series, value) -> all.add(show(List.of(id.toString(), client.clientId), series, value))));
        return all;
    }

    private static ForeignSeries show(List<String> whose, String series, Value value) {
        List<String> parts = SeriesText.parts(series);
        List<String> names = new ArrayList<>(CLIENT_LABELS);
        List<String> values = new ArrayList<>(whose);
        for (int i = 1; i < parts.size(); i += 2) {
            names.add(parts.get(i));
            values.add(parts.get(i + 1));
        }
        return new ForeignSeries(parts.get(0), value.counter, names, values, value.newest);
    }

    /** Clients that are not silent. */
    synchronized int clientCount() {
        dropSilent();
        return clients.size();
    }

    /** Series of clients that are not silent. */
    synchronized int seriesCount() {
        dropSilent();
        return seriesCount;
    }

    private void dropSilent() {
        long nowNanos = clock.nanoTime();
        Iterator<Client> each = clients.values().iterator();
        while (each.hasNext()) {
            Client client = each.next();
            if (nowNanos - client.pushedNanos > client.silenceNanos) {
                seriesCount -= client.values.size();
                each.remove();
            }
        }
    }

    private void drop(Iterator<Client> longest) {
        seriesCount -= longest.next().values.size();
        longest.remove();
    }
}
