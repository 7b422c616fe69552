package io.sluice.protocol.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.protocol.frame.FrameAssembler.Progress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameAssemblerTest {
    private static final int KIB = 1 << 10;
    private static final int MAX_BYTES = 10_000 * KIB;
    private static final int MAX_CONTROL_BYTES = 1_000 * KIB;
    private static final short LARGE_API = 0;

    private final BoundedMemory memory = new BoundedMemory();
    private final FrameAssembler assembler = new FrameAssembler(memory, new Sizes());

    /** Counts buffers and refuses when told to. */
    private static final class BoundedMemory implements FrameMemory {
        private long roomBytes = Long.MAX_VALUE;
        private long heldBytes;

        @Override
        public ByteBuf take(int capacity) {
            heldBytes += capacity;
            return Unpooled.buffer(capacity, capacity);
        }

        @Override
        public @Nullable ByteBuf tryTake(int capacity) {
            return heldBytes + capacity <= roomBytes ? take(capacity) : null;
        }

        @Override
        public @Nullable ByteBuf tryGrow(ByteBuf buffer, int capacity) {
            if (heldBytes + capacity - buffer.capacity() > roomBytes) {
                return null;
            }
            ByteBuf larger = take(capacity).writeBytes(buffer);
            giveBack(buffer);
            return larger;
        }

        @Override
        public void giveBack(ByteBuf buffer) {
            heldBytes -= buffer.capacity();
            buffer.release();
        }
    }

    private static final class Sizes implements FrameAssembler.SizeRule {
        @Override
        public int maxBytes() {
            return MAX_BYTES;
        }

        @Override
        public int maxBytes(short apiKey) {
            return apiKey == LARGE_API ? MAX_BYTES : MAX_CONTROL_BYTES;
        }
    }

    @AfterEach
    void givesEverythingBackWhenClosed() {
        assembler.close();
        assertThat(memory.heldBytes).isZero();
    }

    private static ByteBuf sized(int size) {
        return Unpooled.buffer().writeInt(size);
    }

    @Test
    void findsAFrameInTheInputWithoutCopying() {
        ByteBuf input = sized(3).writeBytes(new byte[] {1, 2, 3, 9});
        assertThat(assembler.advance(input)).isEqualTo(Progress.FRAME);
        assertThat(assembler.frame()).isEqualTo(Unpooled.wrappedBuffer(new byte[] {1, 2, 3}));
        assertThat(assembler.ownsFrame()).isFalse();
        assertThat(memory.heldBytes).isZero();
        assembler.consume(input);
        assertThat(input.readableBytes()).isEqualTo(1);
        assertThat(assembler.advance(input)).isEqualTo(Progress.NEED_BYTES);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, MAX_BYTES + 1})
    void refusesASizeThatIsNotAllowedWithoutTakingMemory(int size) {
        assertThat(assembler.advance(sized(size).writeBytes(new byte[100]))).isEqualTo(Progress.BAD_SIZE);
        assertThat(memory.heldBytes).isZero();
    }

    @Test
    void refusesALargeFrameOfAnApiThatHasNoLargeOnes() {
        ByteBuf input = sized(MAX_CONTROL_BYTES + 1).writeShort(LARGE_API + 1).writeBytes(new byte[300 * KIB]);
        assertThat(assembler.advance(input)).isEqualTo(Progress.BAD_SIZE);
    }

    @Test
    void takesMemoryAsBytesArrive() {
        assembler.advance(sized(MAX_BYTES));
        assertThat(memory.heldBytes).isEqualTo(256L * KIB);
        assembler.advance(Unpooled.wrappedBuffer(new byte[256 * KIB]));
        assertThat(memory.heldBytes).isEqualTo(1_024L * KIB);
    }

    @Test
    void waitsForMemoryAndGoesOnWhenThereIsRoom() {
        memory.roomBytes = 300L * KIB;
        assembler.advance(sized(500 * KIB).writeBytes(new byte[200 * KIB]));
        ByteBuf input = Unpooled.wrappedBuffer(new byte[200 * KIB]);
        assertThat(assembler.advance(input)).isEqualTo(Progress.NEED_MEMORY);
        assertThat(assembler.missingBytes()).isEqualTo(244 * KIB);
        assertThat(assembler.space()).isNull();
        assertThat(input.readableBytes()).isEqualTo(144 * KIB);
        memory.roomBytes = 500L * KIB;
        assertThat(assembler.advance(input)).isEqualTo(Progress.NEED_BYTES);
        assertThat(input.isReadable()).isFalse();
        assertThat(assembler.missingBytes()).isZero();
    }

    @Test
    void keepsWhatHasArrivedThoughThereIsNoRoomAtAll() {
        memory.roomBytes = 0;
        assertThat(assembler.advance(sized(1_000).writeBytes(new byte[10]))).isEqualTo(Progress.NEED_MEMORY);
        assertThat(memory.heldBytes).isEqualTo(10);
    }

    @Test
    void forgetsAFrameWhoseInputGoesAwayAndFindsItAgain() {
        ByteBuf input = sized(2).writeShort(7);
        assembler.advance(input);
        assembler.forgetView();
        assertThatThrownBy(assembler::frame).isInstanceOf(IllegalStateException.class);
        assertThat(assembler.advance(input.copy())).isEqualTo(Progress.FRAME);
        assertThat(assembler.frame().getShort(0)).isEqualTo((short) 7);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void cutsTheSameFramesHoweverTheBytesArrive(long seed) {
        Random random = new Random(seed);
        List<byte[]> frames = new ArrayList<>();
        ByteBuf stream = Unpooled.buffer();
        for (int i = 0; i < 60; i++) {
            byte[] frame = new byte[random.nextInt(4) == 0 ? random.nextInt(1_000_000) : random.nextInt(300)];
            random.nextBytes(frame);
            if (frame.length > 1) {
                frame[0] = 0;
                frame[1] = 0;
            }
            frames.add(frame);
            stream.writeInt(frame.length).writeBytes(frame);
        }
        assertThat(cut(stream, random)).usingElementComparator(Arrays::compare).containsExactlyElementsOf(frames);
    }

    /** Receives into the frame's space where there is some, else into a buffer that may end anywhere. */
    private List<byte[]> cut(ByteBuf stream, Random random) {
        List<byte[]> found = new ArrayList<>();
        ByteBuf input = Unpooled.buffer();
        while (stream.isReadable()) {
            ByteBuf space = assembler.space();
            int most = 1 + random.nextInt(200_000);
            if (space == null) {
                input.discardReadBytes().writeBytes(stream, Math.min(most, stream.readableBytes()));
            } else {
                space.writeBytes(stream, Math.min(Math.min(most, stream.readableBytes()), space.writableBytes()));
                assembler.received(space.readableBytes());
                space.release();
            }
            while (assembler.advance(input) == Progress.FRAME) {
                found.add(copy(input));
            }
        }
        return found;
    }

    private byte[] copy(ByteBuf input) {
        byte[] bytes = new byte[assembler.frame().readableBytes()];
        assembler.frame().getBytes(assembler.frame().readerIndex(), bytes);
        if (assembler.ownsFrame()) {
            memory.giveBack(assembler.take());
        } else {
            assembler.consume(input);
        }
        return bytes;
    }
}
