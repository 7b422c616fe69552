package io.sluice.base.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CountedAllocatorTest {
    private final CountedAllocator allocator = new CountedAllocator(1000, 100, 1);

    @Test
    void countsCapacityWhileABufferLives() {
        ByteBuf buffer = allocator.directBuffer(600, 600);
        assertThat(allocator.usedBytes()).isEqualTo(600);
        ByteBuf slice = buffer.retainedSlice(0, 10);
        buffer.release();
        assertThat(allocator.usedBytes()).isEqualTo(600);
        slice.release();
        assertThat(allocator.usedBytes()).isZero();
    }

    @Test
    void refusesBeforeTheLimitAndServesAgainAfterARelease() {
        ByteBuf first = allocator.directBuffer(600, 600);
        assertThat(allocator.tryDirectBuffer(401)).isNull();
        assertThatThrownBy(() -> allocator.directBuffer(401, 401))
                .isInstanceOf(MemoryExhaustedException.class)
                .hasMessage("no direct memory for 401 bytes: 600 of 1000 bytes are in use");
        assertThat(allocator.usedBytes()).isEqualTo(600);
        assertThat(allocator.refusals()).isEqualTo(2);
        first.release();
        ByteBuf second = allocator.directBuffer(1000, 1000);
        second.release();
    }

    @Test
    void keepsAReserveForWhatMustNotBeRefused() {
        ByteBuf all = allocator.directBuffer(1000, 1000);
        ByteBuf answer = allocator.reservedBuffer(100);
        answer.writeLong(42);
        assertThat(answer.readLong()).isEqualTo(42);
        assertThatThrownBy(() -> allocator.reservedBuffer(1)).isInstanceOf(MemoryExhaustedException.class);
        all.release();
        answer.release();
        assertThat(allocator.usedBytes()).isZero();
    }

    @Test
    void countsGrowthAndKeepsContents() {
        ByteBuf buffer = allocator.directBuffer(8, 900);
        buffer.writeLong(7);
        buffer.writeLong(8);
        assertThat(buffer.readLong()).isEqualTo(7);
        assertThat(buffer.readLong()).isEqualTo(8);
        assertThat(allocator.usedBytes()).isEqualTo(buffer.capacity());
        assertThatThrownBy(() -> buffer.capacity(901)).isInstanceOf(IllegalArgumentException.class);
        buffer.release();
        assertThat(allocator.usedBytes()).isZero();
    }

    @Test
    void refusesMoreThanTheMachineHasAsAnOrdinaryException() {
        CountedAllocator boundless = new CountedAllocator(Long.MAX_VALUE / 2, 0, 1);
        List<ByteBuf> taken = new ArrayList<>();
        ByteBuf last = boundless.tryDirectBuffer(256 << 20);
        while (last != null && taken.size() < 1024) {
            taken.add(last);
            last = boundless.tryDirectBuffer(256 << 20);
        }
        assertThat(last).isNull();
        assertThat(boundless.refusals()).isEqualTo(1);
        assertThat(boundless.usedBytes()).isEqualTo(taken.size() * (256L << 20));
        taken.forEach(ByteBuf::release);
        assertThat(boundless.usedBytes()).isZero();
    }
}
