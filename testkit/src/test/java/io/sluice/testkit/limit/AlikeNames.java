package io.sluice.testkit.limit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Requests whose lists are of names or numbers that hash tables cannot tell apart, written by hand, since Kafka's classes
 * would take as long to write them as a node must not take to read them.
 */
final class AlikeNames {
    private static final int MANY = 10_000;
    private static final int HASH_BITS = 14;

    private final ApiKeys api;
    private final ByteBuffer frame = ByteBuffer.allocate(1 << 20);

    private AlikeNames(ApiKeys api, int version) {
        this.api = api;
        frame.putShort(api.id).putShort((short) version).putInt(1).putShort((short) -1);
    }

    private AlikeNames with(Consumer<ByteBuffer> fields) {
        fields.accept(frame);
        return this;
    }

    /** A list of so many elements, each a name and what comes behind it. */
    private AlikeNames list(IntFunction<String> name, Consumer<ByteBuffer> behind) {
        frame.putInt(MANY);
        for (int i = 0; i < MANY; i++) {
            text(name.apply(i));
            behind.accept(frame);
        }
        return this;
    }

    private AlikeNames text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        frame.putShort((short) bytes.length).put(bytes);
        return this;
    }

    private HeavyRequest end(boolean answered) {
        byte[] bytes = new byte[frame.flip().remaining()];
        frame.get(bytes);
        return HeavyRequest.ofBytes(api.name + " of names that are alike", bytes, answered);
    }

    private static void putNothing(ByteBuffer out) {}

    private static void putZero(ByteBuffer out) {
        out.putInt(0);
    }

    /** Different ones of the same hash. */
    private static String ofOneHash(int i) {
        StringBuilder name = new StringBuilder();
        for (int bit = 0; bit < HASH_BITS; bit++) {
            name.append((i >> bit & 1) == 0 ? "Aa" : "BB");
        }
        return name.toString();
    }

    /** Those that a node answers, as fast as others of their length. */
    static List<HeavyRequest> answered() {
        return List.of(
                new AlikeNames(ApiKeys.PRODUCE, 8)
                        .with(out ->
                                out.putShort((short) -1).putShort((short) 1).putInt(1_000))
                        .list(i -> "x", AlikeNames::putZero)
                        .end(true),
                new AlikeNames(ApiKeys.CREATE_TOPICS, 2)
                        .list(
                                AlikeNames::ofOneHash,
                                out -> out.putInt(1).putShort((short) 1).putLong(0))
                        .with(out -> out.putInt(1_000).put((byte) 1))
                        .end(true),
                new AlikeNames(ApiKeys.CREATE_PARTITIONS, 1)
                        .list(AlikeNames::ofOneHash, out -> out.putInt(7).putInt(-1))
                        .with(out -> out.putInt(1_000).put((byte) 1))
                        .end(true),
                new AlikeNames(ApiKeys.OFFSET_FOR_LEADER_EPOCH, 2)
                        .list(i -> "", AlikeNames::putZero)
                        .end(true),
                new AlikeNames(ApiKeys.DESCRIBE_LOG_DIRS, 1)
                        .list(i -> "", AlikeNames::putZero)
                        .end(true),
                new AlikeNames(ApiKeys.DELETE_TOPICS, 3)
                        .list(AlikeNames::ofOneHash, AlikeNames::putNothing)
                        .with(out -> out.putInt(1_000))
                        .end(true),
                new AlikeNames(ApiKeys.METADATA, 4)
                        .list(AlikeNames::ofOneHash, AlikeNames::putNothing)
                        .with(out -> out.put((byte) 0))
                        .end(true));
    }

    /** Those that it closes the connection on. */
    static List<HeavyRequest> refused() {
        return List.of(
                new AlikeNames(ApiKeys.CREATE_TOPICS, 2)
                        .with(out -> out.putInt(1))
                        .text("configs")
                        .with(out -> out.putInt(1).putShort((short) 1).putInt(0))
                        .list(i -> "x", out -> out.putShort((short) -1))
                        .with(out -> out.putInt(1_000).put((byte) 1))
                        .end(false),
                new AlikeNames(ApiKeys.OFFSET_DELETE, 0)
                        .text("group")
                        .list(AlikeNames::ofOneHash, AlikeNames::putZero)
                        .end(false),
                new AlikeNames(ApiKeys.DELETE_GROUPS, 0)
                        .list(AlikeNames::ofOneHash, AlikeNames::putNothing)
                        .end(false),
                new AlikeNames(ApiKeys.JOIN_GROUP, 2)
                        .text("group")
                        .with(out -> out.putInt(10_000).putInt(10_000))
                        .text("")
                        .text("consumer")
                        .list(i -> "x", AlikeNames::putZero)
                        .end(false));
    }
}
