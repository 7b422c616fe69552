package io.sluice.cli.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.error.UserException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineReaderTest {
    private static List<String> lines(InputStream in, int maxLineBytes) throws IOException {
        LineReader reader = new LineReader(in, maxLineBytes);
        List<String> lines = new ArrayList<>();
        for (byte[] line = reader.next(); line != null; line = reader.next()) {
            lines.add(new String(line, StandardCharsets.UTF_8));
        }
        return lines;
    }

    private static InputStream input(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void readsLinesWithAndWithoutAnEnd() throws Exception {
        assertThat(lines(input("a\nb"), 100)).containsExactly("a", "b");
        assertThat(lines(input("a\nb\n"), 100)).containsExactly("a", "b");
        assertThat(lines(input(""), 100)).isEmpty();
    }

    @Test
    void keepsEmptyLinesAndCarriageReturns() throws Exception {
        assertThat(lines(input("\n\r\na\rb\r\nc\r"), 100)).containsExactly("", "\r", "a\rb\r", "c\r");
    }

    @Test
    void readsLinesLargerThanItsBuffer() throws Exception {
        String large = "x".repeat(200_000);

        assertThat(lines(input(large + "\n" + large), 200_000)).containsExactly(large, large);
    }

    @Test
    void readsWhatComesByteByByte() throws Exception {
        InputStream slow = new InputStream() {
            private final InputStream all = input("ab\ncd\n");

            @Override
            public int read() throws IOException {
                return all.read();
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                return all.read(target, offset, 1);
            }
        };

        assertThat(lines(slow, 100)).containsExactly("ab", "cd");
    }

    @Test
    void namesALineThatIsTooLong() {
        assertThatThrownBy(() -> lines(input("a\n" + "x".repeat(11)), 10))
                .isInstanceOf(UserException.class)
                .hasMessageStartingWith("Line 2 is longer than 10 bytes");
    }

    @Test
    void countsLinesAndBytes() throws Exception {
        LineReader reader = new LineReader(input("ab\ncd\n"), 100);

        reader.next();

        assertThat(reader.lineNumber()).isEqualTo(1);
        assertThat(reader.bytesRead()).isEqualTo(3);
    }
}
