package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SimulatedTime;
import io.sluice.storage.file.SimulatedFileSystem;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

/** The mark holds between two looks at the device, too, however fast producers are. */
class SpaceWatchTest {
    private static final long MARK = 1_000;

    private final SimulatedTime time = new SimulatedTime(1_700_000_000_000L);
    private final SimulatedFileSystem disk = new SimulatedFileSystem(1);
    private final ArrayDeque<Runnable> maintenance = new ArrayDeque<>();

    private SpaceWatch watch(long mark, long free) {
        disk.limitCapacity(disk.usedBytes() + free);
        SpaceWatch watch = new SpaceWatch(
                new LocalStorageServices(
                        disk,
                        time,
                        time,
                        UnpooledByteBufAllocator.DEFAULT,
                        maintenance::add,
                        maintenance::add,
                        maintenance::add,
                        maintenance::add,
                        new Metrics()),
                LocalWorld.DIRECTORY,
                mark);
        watch.start();
        return watch;
    }

    @Test
    void appendsSinceTheLastLookCountTwiceAgainstTheRoom() {
        SpaceWatch watch = watch(MARK, MARK + 400);
        watch.onAppended(200);
        assertThat(watch.isLow()).isFalse();
        watch.onAppended(1);
        assertThat(watch.isLow()).isTrue();
    }

    @Test
    void looksEarlyWhereHalfOfTheRoomMayBeUsed() {
        SpaceWatch watch = watch(MARK, MARK + 400);
        watch.onAppended(100);
        assertThat(maintenance).isEmpty();
        watch.onAppended(100);
        watch.onAppended(100);
        assertThat(maintenance).hasSize(1);
        assertThat(watch.isLow()).isTrue();
        maintenance.remove().run();
        assertThat(watch.isLow()).as("the device still has as much room").isFalse();
    }

    @Test
    void healsAtTheNextLook() {
        SpaceWatch watch = watch(MARK, MARK - 1);
        assertThat(watch.isLow()).isTrue();
        disk.limitCapacity(disk.usedBytes() + MARK);
        time.advanceNanos(1_000_000_000L);
        maintenance.remove().run();
        assertThat(watch.isLow()).isFalse();
    }

    @Test
    void aMarkOfZeroRefusesNothing() {
        SpaceWatch watch = watch(0, 0);
        watch.onAppended(Integer.MAX_VALUE);
        assertThat(watch.isLow()).isFalse();
        assertThat(maintenance).isEmpty();
    }
}
