package io.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.doctor.Finding.Status;
import org.junit.jupiter.api.Test;

/** How much room is enough, by what a node says, or would say if there were one. */
class RoomMarkTest {
    private static final long MIB = 1 << 20;

    private static Finding room(long freeMebibytes, RoomMark mark) {
        return DiskCheck.room(freeMebibytes * MIB, 10_000 * MIB, mark);
    }

    @Test
    void isThatOfTheSettingWhereNoNodeRuns() {
        assertThat(room(255, RoomMark.DEFAULT).status()).isEqualTo(Status.PROBLEM);
        assertThat(room(257, RoomMark.DEFAULT).status()).isEqualTo(Status.WARNING);
        assertThat(room(1_025, RoomMark.DEFAULT).status()).isEqualTo(Status.OK);
        assertThat(room(1, RoomMark.DEFAULT).advice()).contains("sluice.low.space.bytes", "256 MiB by default");
    }

    @Test
    void isThatOfTheNodeWhereOneRuns() {
        RoomMark mark = RoomMark.of("""
                # HELP sluice_log_low_space_mark_bytes More.
                sluice_log_low_on_space 0.0
                sluice_log_low_space_mark_bytes 1.048576E9
                """);

        assertThat(mark).isEqualTo(new RoomMark(1_000 * MIB, true, false));
        assertThat(room(999, mark).status()).isEqualTo(Status.PROBLEM);
        assertThat(room(1_001, mark).advice()).contains("1000 MiB for this node");
        assertThat(room(4_001, mark).status()).isEqualTo(Status.OK);
    }

    @Test
    void saysThatTheNodeRefusesProducersWhateverIsFree() {
        RoomMark mark = RoomMark.of("sluice_log_low_on_space 1.0\nsluice_log_low_space_mark_bytes 2.097152E11\n");

        Finding finding = room(75_000, mark);

        assertThat(finding.status()).isEqualTo(Status.PROBLEM);
        assertThat(finding.found()).contains("75000 of 10000 MiB free", "refuses producers");
        assertThat(finding.advice()).contains("sluice.low.space.bytes is 200000 MiB");
    }

    @Test
    void isNoProblemWithoutAMark() {
        RoomMark none = RoomMark.of("sluice_log_low_on_space 0.0\nsluice_log_low_space_mark_bytes 0.0\n");

        assertThat(room(200, none).status()).isEqualTo(Status.WARNING);
        assertThat(room(200, none).advice()).contains("until the disk is full");
    }

    @Test
    void isTheDefaultWhereWhatAnswersSaysNothingOfIt() {
        assertThat(RoomMark.of("another_metric 1.0\n")).isEqualTo(RoomMark.DEFAULT);
    }
}
