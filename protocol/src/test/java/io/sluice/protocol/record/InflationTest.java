package io.sluice.protocol.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InflationTest {
    @ParameterizedTest
    @EnumSource(CompressionCodec.class)
    void givesBackWhatWasCompressedWhateverItsSize(CompressionCodec codec) throws IOException {
        Random random = new Random(7);
        for (int size : new int[] {0, 1, 4095, 4096, 4097, 8192, 100_000}) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            ByteBuffer compressed = compressed(codec, bytes);
            ByteBuffer before = compressed.duplicate();
            assertThat(Inflation.inflate(codec, compressed, size)).isEqualTo(ByteBuffer.wrap(bytes));
            assertThat(compressed).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource(CompressionCodec.class)
    void refusesWhatExpandsBeyondTheLimit(CompressionCodec codec) throws IOException {
        ByteBuffer compressed = compressed(codec, new byte[1_000_000]);
        assertThat(Inflation.inflate(codec, compressed, 1_000_000).remaining()).isEqualTo(1_000_000);
        for (int limit : new int[] {0, 4096, 999_999}) {
            assertThatThrownBy(() -> Inflation.inflate(codec, compressed, limit))
                    .isInstanceOf(MalformedBatchException.class)
                    .hasMessageContaining(limit + " bytes");
        }
    }

    @ParameterizedTest
    @EnumSource(value = CompressionCodec.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void refusesWhatIsNotWhatTheCodecMakes(CompressionCodec codec) {
        ByteBuffer text =
                ByteBuffer.wrap("this is no compressed text at all, whatever it says".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> Inflation.inflate(codec, text, 1_000_000)).isInstanceOf(MalformedBatchException.class);
    }

    @Test
    void looksAtTheGivenPartOnly() throws IOException {
        ByteBuffer compressed = compressed(CompressionCodec.ZSTD, new byte[] {1, 2, 3});
        ByteBuffer larger = ByteBuffer.allocateDirect(compressed.remaining() + 9);
        larger.position(4).put(compressed).limit(larger.position()).position(4);
        assertThat(Inflation.inflate(CompressionCodec.ZSTD, larger, 3))
                .isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }

    private static ByteBuffer compressed(CompressionCodec codec, byte[] bytes) throws IOException {
        CodecStreams.Sink sink = new CodecStreams.Sink(codec, null, bytes.length);
        sink.stream().write(bytes);
        return sink.finish();
    }
}
