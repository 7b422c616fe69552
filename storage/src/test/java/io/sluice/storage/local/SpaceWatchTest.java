package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SimulatedTime;
import io.sluice.storage.file.SimulatedFileSystem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** The mark holds between two looks at the device, too, however fast producers are. */
class SpaceWatchTest {
    private static final long MARK = 1_000;

    private final SimulatedTime time = new SimulatedTime(1_700_000_000_000L);
    private final SimulatedFileSystem disk = new SimulatedFileSystem(1);
    private final Metrics metrics = new Metrics();
    private final ArrayDeque<Runnable> readers = new ArrayDeque<>();
    private final ArrayDeque<Runnable> busy = new ArrayDeque<>();

    private SpaceWatch watch(long mark, long free) {
        return watch(mark, free, readers::add);
    }

    /** Nothing else than the executor of reads runs anything: the others are busy. */
    private SpaceWatch watch(long mark, long free, Executor looks) {
        disk.limitCapacity(disk.usedBytes() + free);
        SpaceWatch watch = new SpaceWatch(
                new LocalStorageServices(
                        disk,
                        time,
                        time,
                        UnpooledByteBufAllocator.DEFAULT,
                        looks,
                        busy::add,
                        busy::add,
                        busy::add,
                        metrics),
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
        assertThat(readers).isEmpty();
        watch.onAppended(100);
        watch.onAppended(100);
        assertThat(readers).hasSize(1);
        assertThat(watch.isLow()).isTrue();
        readers.remove().run();
        assertThat(watch.isLow()).as("the device still has as much room").isFalse();
    }

    @Test
    void tellsTheMarkAndWhetherProducersAreRefused() throws IOException {
        SpaceWatch watch = watch(MARK, MARK - 1);
        assertThat(shown()).contains("sluice_log_low_on_space 1.0\n", "sluice_log_low_space_mark_bytes 1000.0\n");
        disk.limitCapacity(disk.usedBytes() + MARK);
        time.advanceNanos(1_000_000_000L);
        readers.remove().run();
        assertThat(watch.isLow()).isFalse();
        assertThat(shown()).contains("sluice_log_low_on_space 0.0\n");
    }

    private String shown() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        metrics.writeText(out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void healsAtTheNextLook() {
        SpaceWatch watch = watch(MARK, MARK - 1);
        assertThat(watch.isLow()).isTrue();
        disk.limitCapacity(disk.usedBytes() + MARK);
        time.advanceNanos(1_000_000_000L);
        readers.remove().run();
        assertThat(watch.isLow()).isFalse();
    }

    @Test
    void goesOnWithoutLooksWhereTheNodeIsStopping() {
        SpaceWatch watch = watch(MARK, MARK + 400, task -> {
            throw new RejectedExecutionException("stopping");
        });
        watch.onAppended(150);
        assertThat(watch.isLow()).isFalse();
        watch.onAppended(100);
        assertThat(watch.isLow()).isTrue();
    }

    @Test
    void aMarkOfZeroRefusesNothing() {
        SpaceWatch watch = watch(0, 0);
        watch.onAppended(Integer.MAX_VALUE);
        assertThat(watch.isLow()).isFalse();
        assertThat(readers).isEmpty();
    }
}
