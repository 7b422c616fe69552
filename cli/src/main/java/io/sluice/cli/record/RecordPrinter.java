package io.sluice.cli.record;

import io.sluice.cli.output.Json;
import io.sluice.cli.output.Times;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Prints records, one a line. In JSON, bytes that are no UTF-8 stand under the field's name with {@code Base64} behind
 * it, and a record without a timestamp has null. For one thread.
 */
final class RecordPrinter {
    private final PrintStream out;
    private final RecordFormat format;
    private final @Nullable String keySeparator;
    private final ZoneId zone;

    RecordPrinter(PrintStream out, RecordFormat format, @Nullable String keySeparator, ZoneId zone) {
        this.out = out;
        this.format = format;
        this.keySeparator = keySeparator;
        this.zone = zone;
    }

    void print(ConsumerRecord<byte[], byte[]> read) {
        switch (format) {
            case text -> printBytes(read, bytes -> bytes);
            case hex ->
                printBytes(read, bytes -> HexFormat.of().formatHex(bytes).getBytes(StandardCharsets.US_ASCII));
            case json -> out.println(Json.write(document(read)));
        }
    }

    private void printBytes(ConsumerRecord<byte[], byte[]> read, java.util.function.UnaryOperator<byte[]> encode) {
        if (keySeparator != null) {
            write(read.key(), encode);
            out.print(keySeparator);
        }
        write(read.value(), encode);
        out.println();
    }

    private void write(byte @Nullable [] bytes, java.util.function.UnaryOperator<byte[]> encode) {
        if (bytes != null) {
            out.writeBytes(encode.apply(bytes));
        }
    }

    private Map<String, @Nullable Object> document(ConsumerRecord<byte[], byte[]> read) {
        Map<String, @Nullable Object> document = new LinkedHashMap<>();
        document.put("topic", read.topic());
        document.put("partition", read.partition());
        document.put("offset", read.offset());
        document.put("timestamp", read.timestamp() < 0 ? null : Times.format(read.timestamp(), zone));
        document.put("timestampType", read.timestampType().toString());
        put(document, "key", read.key());
        put(document, "value", read.value());
        List<Map<String, @Nullable Object>> headers = new ArrayList<>();
        for (Header header : read.headers()) {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put("name", header.key());
            put(entry, "value", header.value());
            headers.add(entry);
        }
        document.put("headers", headers);
        return document;
    }

    private static void put(Map<String, @Nullable Object> document, String name, byte @Nullable [] bytes) {
        if (bytes == null) {
            document.put(name, null);
            return;
        }
        try {
            document.put(
                    name,
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString());
        } catch (CharacterCodingException e) {
            document.put(name + "Base64", Base64.getEncoder().encodeToString(bytes));
        }
    }
}
