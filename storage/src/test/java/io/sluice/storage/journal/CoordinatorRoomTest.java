package io.sluice.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.storage.file.OutOfSpaceException;
import io.sluice.storage.file.SimulatedFileSystem;
import java.io.IOException;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever fills the journal, coordinators can append a little more, and not without a bound either. */
class CoordinatorRoomTest {
    private static final int PAYLOAD = 4_000;
    private static final int MOST_TRIES = 1_000;

    private final SimulatedFileSystem files = new SimulatedFileSystem(1);
    private final JournalWorld world = new JournalWorld(files, JournalWorld.SMALL);
    private Journal journal;

    @BeforeEach
    void start() throws IOException {
        journal = world.start().journal();
        world.settle();
    }

    @Test
    void theBufferHasABitMoreForThem() {
        assertThat(reserveUntilRefused(journal::tryReserve)).isPositive();
        assertThat(journal.lack()).isEqualTo(Journal.Lack.BUFFER);
        assertThat(reserveUntilRefused(this::forCoordinator) * PAYLOAD)
                .isBetween(PAYLOAD, world.config.coordinatorBufferBytes());
        assertThat(journal.lack()).isEqualTo(Journal.Lack.BUFFER);
        assertThat(journal.tryReserveForCoordinator(PAYLOAD, true)).isFalse();
    }

    @Test
    void whatARestartReplaysMayBeABitMoreForThem() {
        fill(journal::tryReserve);
        assertThat(journal.lack()).isEqualTo(Journal.Lack.REPLAY);
        long others = journal.unreleasedBytes();

        assertThat(journal.tryReserveForCoordinator(PAYLOAD, true)).isTrue();
        journal.cancelReservation(PAYLOAD);
        journal.cancelReservation(0);
        assertThat(fill(this::forCoordinator)).isPositive();
        assertThat(journal.lack()).isEqualTo(Journal.Lack.REPLAY);
        assertThat(journal.unreleasedBytes() - others).isPositive();
        assertThat(journal.unreleasedBytes())
                .isLessThanOrEqualTo(journal.maxUnreleasedBytes() + world.config.coordinatorReplayBytes());
    }

    @Test
    void theLastRoomOnAFullDeviceIsTheirs() {
        files.limitCapacity(files.usedBytes());
        fill(journal::tryReserve);
        assertThat(journal.shortage()).isInstanceOf(OutOfSpaceException.class);
        assertThat(fill(this::forCoordinator)).isPositive();
        assertThat(journal.shortage()).isInstanceOf(OutOfSpaceException.class);
        assertThat(journal.isFailed()).isFalse();
        assertThat(journal.durablePosition()).isEqualTo(journal.endPosition());
    }

    @Test
    void whoeverOfThemWaitsHearsOfRoom() {
        reserveUntilRefused(journal::tryReserve);
        reserveUntilRefused(this::forCoordinator);
        boolean[] told = {false};
        journal.awaitCapacity(() -> told[0] = true);
        world.settle();
        assertThat(told[0]).isFalse();
        journal.cancelReservation(PAYLOAD);
        world.settle();
        assertThat(told[0]).isTrue();
        assertThat(forCoordinator(PAYLOAD)).isTrue();
    }

    private boolean forCoordinator(int payloadBytes) {
        return journal.tryReserveForCoordinator(payloadBytes, false);
    }

    private static int reserveUntilRefused(IntPredicate reserve) {
        int reserved = 0;
        while (reserve.test(PAYLOAD)) {
            reserved++;
            assertThat(reserved).isLessThan(MOST_TRIES);
        }
        return reserved;
    }

    /** Appends, flushing each, until it was refused a few times although everything that could run has run. */
    private int fill(IntPredicate reserve) {
        int appended = 0;
        int refusedInARow = 0;
        while (refusedInARow < 3) {
            if (reserve.test(PAYLOAD)) {
                journal.append(JournalEntryKind.BATCH, 1, 1, Unpooled.wrappedBuffer(new byte[PAYLOAD]));
                appended++;
                refusedInARow = 0;
                assertThat(appended).isLessThan(MOST_TRIES);
            } else {
                refusedInARow++;
            }
            world.settle();
        }
        return appended;
    }
}
