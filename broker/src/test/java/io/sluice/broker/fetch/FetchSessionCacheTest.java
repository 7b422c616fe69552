package io.sluice.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.metric.Metrics;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FetchSessionCacheTest {
    private static final long LATER_NANOS = FetchSessionCache.SAFE_NANOS + 1;

    private final AtomicInteger ids = new AtomicInteger();
    private final FetchSessionCache cache = new FetchSessionCache(10, ids::incrementAndGet, new Metrics());

    private FetchSession added(int partitions, long nowNanos) {
        FetchSession session = new FetchSession(true, nowNanos);
        assertThat(cache.add(session, partitions, nowNanos)).isNull();
        return session;
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
        FetchSession tooLarge = new FetchSession(true, LATER_NANOS);
        assertThat(cache.add(tooLarge, FetchSessionCache.MAX_PARTITIONS + 1, LATER_NANOS))
                .isNull();
        assertThat(tooLarge.id()).isZero();
        FetchSession fitting = new FetchSession(true, LATER_NANOS);
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
