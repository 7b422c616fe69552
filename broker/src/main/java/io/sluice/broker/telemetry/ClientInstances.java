package io.sluice.broker.telemetry;

import io.sluice.base.time.Clock;
import io.sluice.broker.api.Connection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The client instances that are known, the one not heard of for longest gone first when there are too many. An instance also
 * goes with the connection that it came by last, as in Kafka. Safe on every thread.
 */
final class ClientInstances {
    private final SubscriptionTable subscriptions;
    private final int most;
    private final Clock clock;
    private final LinkedHashMap<Uuid, ClientInstance> instances = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Long, Uuid> byConnection = new HashMap<>();

    ClientInstances(SubscriptionTable subscriptions, int most, Clock clock) {
        this.subscriptions = subscriptions;
        this.most = most;
        this.clock = clock;
    }

    /** The instance of a client, as the subscriptions are now; a new one where it is not known or they have changed. */
    ClientInstance of(ClientAttributes client) {
        SubscriptionTable.Edition edition = subscriptions.current();
        long nowNanos = clock.nanoTime();
        ClientInstance known = find(client.instanceId(), nowNanos);
        if (known != null && known.edition() >= edition.number()) {
            known.use(nowNanos);
            return known;
        }
        ClientInstance made = new ClientInstance(edition.number(), edition.assign(client));
        made.use(nowNanos);
        return keep(client, made);
    }

    private synchronized @Nullable ClientInstance find(Uuid id, long nowNanos) {
        ClientInstance known = instances.get(id);
        if (known != null && known.isSilent(nowNanos)) {
            instances.remove(id);
            return null;
        }
        return known;
    }

    private ClientInstance keep(ClientAttributes client, ClientInstance made) {
        boolean firstOfConnection;
        synchronized (this) {
            ClientInstance other = instances.get(client.instanceId());
            if (other != null && other.edition() >= made.edition()) {
                return other;
            }
            instances.put(client.instanceId(), made);
            if (instances.size() > most) {
                instances.remove(instances.keySet().iterator().next());
            }
            firstOfConnection = byConnection.put(client.connection().id(), client.instanceId()) == null;
        }
        if (firstOfConnection) {
            Connection connection = client.connection();
            connection.onClose(() -> forget(connection.id()));
        }
        return made;
    }

    private synchronized void forget(long connectionId) {
        Uuid id = byConnection.remove(connectionId);
        if (id != null) {
            instances.remove(id);
        }
    }

    synchronized int size() {
        return instances.size();
    }
}
