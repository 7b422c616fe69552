package io.sluice.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResponseMemoryTest {
    private static final int MIB = 1 << 20;

    private final ResponseMemory memory = new ResponseMemory(64L * MIB);

    @Test
    void grantsWhatIsWantedWhileItIsLittle() {
        assertThat(memory.reserve(MIB)).isEqualTo(MIB);
        assertThat(memory.usedBytes()).isEqualTo(MIB);
    }

    @Test
    void grantsAnEighthOfWhatIsFree() {
        assertThat(memory.reserve(50 * MIB)).isEqualTo(8 * MIB);
        assertThat(memory.reserve(50 * MIB)).isEqualTo(7 * MIB);
    }

    @Test
    void leavesSomethingForFiveHundredMoreOnceHalfIsTaken() {
        while (!memory.isShort()) {
            memory.reserve(50 * MIB);
        }
        int served = 0;
        while (memory.reserve(50 * MIB) > 0) {
            served++;
        }
        assertThat(served).isGreaterThanOrEqualTo(400);
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(memory.limitBytes());
        assertThat(memory.isScarce()).isTrue();
    }

    @Test
    void countsAnswersThatWereNotReserved() {
        memory.add(65L * MIB);
        assertThat(memory.reserve(1)).isZero();
        memory.add(-65L * MIB);
        assertThat(memory.reserve(1)).isEqualTo(1);
    }
}
