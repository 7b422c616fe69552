package io.sluice.broker.net;

import io.sluice.base.memory.CountedAllocator;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.HandlerRegistry;
import io.sluice.protocol.frame.FrameAssembler;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/** What all connections share. Safe on every thread. */
final class Front implements FrameAssembler.SizeRule {
    /** Twice what a group's state may come to in the offsets topic. */
    private static final int LARGEST_PARKED_BYTES = 2 << 20;

    final Clock clock;
    final Scheduler scheduler;
    final CountedAllocator allocator;
    final RequestMemory requestMemory;
    final RequestHeap requestHeap;
    final ResponseMemory responseMemory;
    final ConnectionTable table;
    final FrontLog log;
    final int maxPendingBytes;
    final long stallNanos;
    final long assemblyNanos;
    final long idleNanos;

    private final int maxRequestBytes;
    private final int maxControlRequestBytes;
    private final @Nullable ServedApi[] apis;

    Front(
            FrontConfig config,
            HandlerRegistry registry,
            CountedAllocator allocator,
            Metrics metrics,
            Clock clock,
            Scheduler scheduler) {
        this.clock = clock;
        this.scheduler = scheduler;
        this.allocator = allocator;
        this.requestMemory = new RequestMemory(config.requestMemoryBytes(allocator.limitBytes()));
        this.requestHeap = new RequestHeap(config.requestHeapBytes());
        this.responseMemory = new ResponseMemory(config.responseMemoryBytes(allocator.limitBytes()));
        this.table = new ConnectionTable(config.maxConnections(), config.maxConnectionsPerAddress());
        this.log = new FrontLog(clock, metrics);
        this.maxPendingBytes = config.maxPendingBytes();
        this.stallNanos = config.stallNanos();
        this.assemblyNanos = config.assemblyNanos();
        this.idleNanos = config.idleNanos();
        this.maxRequestBytes = (int) Math.min(config.maxRequestBytes(), allocator.limitBytes() / 2);
        this.maxControlRequestBytes = Math.min(config.maxControlRequestBytes(), maxRequestBytes);
        this.apis = index(registry, metrics);
    }

    private static @Nullable ServedApi[] index(HandlerRegistry registry, Metrics metrics) {
        int keys = 0;
        for (ApiHandler<?> handler : registry.handlers()) {
            keys = Math.max(keys, handler.api().id + 1);
        }
        @Nullable ServedApi[] apis = new ServedApi[keys];
        for (ApiHandler<?> handler : registry.handlers()) {
            apis[handler.api().id] = new ServedApi(handler, metrics);
        }
        return apis;
    }

    /** The API served under a key as it came over the wire, or null. */
    @Nullable ServedApi find(short apiKey) {
        return apiKey >= 0 && apiKey < apis.length ? apis[apiKey] : null;
    }

    @Override
    public int maxBytes() {
        return maxRequestBytes;
    }

    @Override
    public int maxBytes(short apiKey) {
        if (apiKey == ApiKeys.PRODUCE.id) {
            return maxRequestBytes;
        }
        return isParked(apiKey) ? Math.min(LARGEST_PARKED_BYTES, maxControlRequestBytes) : maxControlRequestBytes;
    }

    /** Whether such requests wait for other clients, minutes perhaps, and are held on the heap meanwhile. */
    private static boolean isParked(short apiKey) {
        return apiKey == ApiKeys.JOIN_GROUP.id || apiKey == ApiKeys.SYNC_GROUP.id;
    }

    /** How often a connection is looked at: often enough to end it within an eighth of the shortest time-out. */
    long checkRoundNanos() {
        return Math.min(idleNanos, Math.min(stallNanos, assemblyNanos)) / 8;
    }
}
