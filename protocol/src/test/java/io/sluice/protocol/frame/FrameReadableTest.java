package io.sluice.protocol.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameReadableTest {
    private static FrameReadable over(byte... bytes) {
        return new FrameReadable(ByteBuffer.wrap(bytes), 1 << 20);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 63, 64, -64, -65, 300, 1 << 20, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void readsNumbersAsKafkaWritesThem(long number) {
        ByteBuffer written = ByteBuffer.allocate(64);
        ByteBufferAccessor accessor = new ByteBufferAccessor(written);
        accessor.writeUnsignedVarint((int) number);
        accessor.writeVarint((int) number);
        accessor.writeVarlong(number << 31);
        FrameReadable readable = new FrameReadable(written.flip(), 1 << 20);
        assertThat(readable.readUnsignedVarint()).isEqualTo((int) number);
        assertThat(readable.readVarint()).isEqualTo((int) number);
        assertThat(readable.readVarlong()).isEqualTo(number << 31);
        assertThat(readable.remaining()).isZero();
    }

    @Test
    void refusesANumberThatDoesNotEnd() {
        byte[] endless = new byte[20];
        Arrays.fill(endless, (byte) 0xff);
        assertThatThrownBy(() -> over(endless).readUnsignedVarint()).isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> over(endless).readVarlong()).isInstanceOf(InvalidRequestException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 4, Integer.MAX_VALUE})
    void refusesAFieldLongerThanTheRequestBeforeItAllocates(int length) {
        assertThatThrownBy(() -> over((byte) 1, (byte) 2, (byte) 3).readArray(length))
                .isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> over((byte) 1, (byte) 2, (byte) 3).readByteBuffer(length))
                .isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void refusesMoreReadsThanTheHeapAllows() {
        FrameReadable readable = new FrameReadable(ByteBuffer.allocate(10), 2 * FrameReadable.HEAP_BYTES_A_READ);
        readable.readByte();
        readable.readByte();
        assertThatThrownBy(readable::readByte)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("its elements would take more than 96 bytes of heap");
    }

    @Test
    void givesByteBuffersAsSlices() {
        ByteBuffer frame = ByteBuffer.wrap(new byte[] {9, 1, 2, 3});
        FrameReadable readable = new FrameReadable(frame, 1 << 20);
        readable.readByte();
        ByteBuffer slice = readable.readByteBuffer(2);
        assertThat(slice.remaining()).isEqualTo(2);
        frame.put(1, (byte) 77);
        assertThat(slice.get(0)).isEqualTo((byte) 77);
        assertThat(readable.readByte()).isEqualTo((byte) 3);
    }
}
