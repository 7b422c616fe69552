package io.sluice.storage.local.cleaner;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class KeyMapTest {
    private static final long MANY = 1L << 40;

    private static boolean put(KeyMap map, String key, long offset) {
        ByteBuf bytes = Unpooled.copiedBuffer(key, StandardCharsets.UTF_8);
        return map.put(bytes, 0, bytes.readableBytes(), offset);
    }

    private static long get(KeyMap map, String key) {
        ByteBuf bytes = Unpooled.copiedBuffer(key, StandardCharsets.UTF_8);
        return map.get(bytes, 0, bytes.readableBytes());
    }

    @Test
    void knowsTheNewestOffsetOfAKey() {
        KeyMap map = new KeyMap(UnpooledByteBufAllocator.DEFAULT, 1 << 10, MANY);

        put(map, "a", 0);
        put(map, "b", 1);
        put(map, "a", 5);

        assertThat(get(map, "a")).isEqualTo(5);
        assertThat(get(map, "b")).isEqualTo(1);
        assertThat(get(map, "c")).isEqualTo(-1);
        assertThat(map.size()).isEqualTo(2);
    }

    @Test
    void takesNoNewKeyWhenFullButNewOffsetsOfOldOnes() {
        KeyMap map = new KeyMap(UnpooledByteBufAllocator.DEFAULT, 4 * 24, MANY);
        assertThat(put(map, "a", 0)).isTrue();
        assertThat(put(map, "b", 1)).isTrue();
        assertThat(put(map, "c", 2)).isTrue();

        assertThat(map.isFull()).isTrue();
        assertThat(put(map, "d", 3)).isFalse();
        assertThat(put(map, "b", 4)).isTrue();
        assertThat(get(map, "b")).isEqualTo(4);
        assertThat(get(map, "d")).isEqualTo(-1);
    }

    @Test
    void holdsManyKeysInLittleMemory() {
        KeyMap map = new KeyMap(UnpooledByteBufAllocator.DEFAULT, 1 << 20, MANY);
        int keys = 0;
        while (put(map, "key-" + keys, keys)) {
            keys++;
        }

        assertThat(keys).isGreaterThan(32_000);
        for (int i = 0; i < keys; i++) {
            assertThat(get(map, "key-" + i)).isEqualTo(i);
        }
    }

    @Test
    void takesBackWhatWasPutSinceTheMark() {
        KeyMap map = new KeyMap(UnpooledByteBufAllocator.DEFAULT, 16 * 24, MANY);
        put(map, "a", 0);
        put(map, "b", 1);
        map.mark();
        put(map, "a", 2);
        put(map, "c", 3);
        put(map, "c", 4);
        put(map, "d", 5);

        map.undo();

        assertThat(get(map, "a")).isZero();
        assertThat(get(map, "b")).isEqualTo(1);
        assertThat(get(map, "c")).isEqualTo(-1);
        assertThat(get(map, "d")).isEqualTo(-1);
        assertThat(map.size()).isEqualTo(2);
    }

    @Test
    void takesNoMoreMemoryThanItsKeysNeed() {
        assertThat(new KeyMap(UnpooledByteBufAllocator.DEFAULT, 1 << 20, 6).limit())
                .isBetween(6, 7);
        assertThat(new KeyMap(UnpooledByteBufAllocator.DEFAULT, 4 * 24, 6).limit())
                .isEqualTo(3);
    }

    @Test
    void findsNothingInTheSmallestMapThatIsFull() {
        KeyMap map = new KeyMap(UnpooledByteBufAllocator.DEFAULT, 1, MANY);
        assertThat(put(map, "a", 0)).isTrue();

        assertThat(map.isFull()).isTrue();
        assertThat(put(map, "b", 1)).isFalse();
        assertThat(get(map, "b")).isEqualTo(-1);
    }
}
