package io.sluice.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.metric.Metrics;
import io.sluice.broker.simulation.RecordingConnection;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FetchSessionCacheTest {
    private static final long LATER_NANOS = FetchSessionCache.SAFE_NANOS + 1;

    private final AtomicInteger ids = new AtomicInteger();
    private final FetchSessionCache cache = new FetchSessionCache(10, ids::incrementAndGet, new Metrics());

    private final FetchConnections.Entry connection =
            new FetchConnections(session -> {}).of(new RecordingConnection(1));

    private FetchSession added(int partitions, long nowNanos) {
        FetchSession session = new FetchSession(connection, true, nowNanos);
        assertThat(cache.add(session, partitions, nowNanos)).isNull();
        return session;
    }

    @Test
    void aNumberThatWasGivenOutAgainIsNotTakenForTheSessionThatHadIt() {
        FetchSession first = added(1, 0);
        cache.take(first.id());
        ids.set(0);
        FetchSession second = added(1, 0);
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(cache.take(first)).isNull();
        assertThat(cache.find(second.id())).isSameAs(second);
        assertThat(cache.take(second)).isSameAs(second);
    }

    @Test
    void keepsNoMorePartitionsThanTheBoundOfAllSessions() {
        assertThat(added(FetchSessionCache.MAX_PARTITIONS - 5, 0).id()).isPositive();
        assertThat(added(6, 0).id()).isZero();
        assertThat(added(5, 0).id()).isPositive();
        assertThat(cache.partitions()).isEqualTo(FetchSessionCache.MAX_PARTITIONS);
    }

    @Test
    void aSessionLongUnusedGivesItsPartitionsUpToANewOneThatFits() {
        FetchSession old = added(FetchSessionCache.MAX_PARTITIONS, 0);
        FetchSession tooLarge = new FetchSession(connection, true, LATER_NANOS);
        assertThat(cache.add(tooLarge, FetchSessionCache.MAX_PARTITIONS + 1, LATER_NANOS))
                .isNull();
        assertThat(tooLarge.id()).isZero();
        FetchSession fitting = new FetchSession(connection, true, LATER_NANOS);
        assertThat(cache.add(fitting, 6, LATER_NANOS)).isSameAs(old);
        assertThat(cache.partitions()).isEqualTo(6);
    }

    @Test
    void aSessionThatGrowsBeyondTheBoundIsGivenUp() {
        FetchSession other = added(FetchSessionCache.MAX_PARTITIONS - 5, 0);
        FetchSession growing = added(5, 0);
        assertThat(cache.touch(growing, 6, 1)).isSameAs(growing);
        assertThat(cache.find(growing.id())).isNull();
        assertThat(cache.touch(other, FetchSessionCache.MAX_PARTITIONS, 1)).isNull();
        assertThat(cache.partitions()).isEqualTo(FetchSessionCache.MAX_PARTITIONS);
    }
}
