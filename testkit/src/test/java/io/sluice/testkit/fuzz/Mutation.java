package io.sluice.testkit.fuzz;

import io.sluice.protocol.frame.MalformedRequestException;
import io.sluice.protocol.frame.RequestDecoder;
import io.sluice.testkit.wire.RawConnection;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.ProduceRequest;

/** Spoils requests. One thread. */
final class Mutation {
    private static final List<Spoiling> KINDS = kinds();
    private static final long[] ODD_NUMBERS = {
        -1, 0, 1, 2, 3, 1 << 20, 1 << 27, 0x00ffffff, 0x7f7f7f7f, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE
    };
    private static final int[] ODD_SIZES = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 27, 0, 1, 2, 3};
    private static final int MAX_GARBAGE_BYTES = 300;
    private static final int HEADER_BYTES = 14;
    /** One in so many frames asks for something of what its client keeps alive. */
    private static final int LIVE_SHARE = 8;

    /** What leaves so much of a request that it gets past the first checks, often. */
    private static final List<Spoiling> KINDS_OF_LIVE = List.of(
            Spoiling.NONE,
            Spoiling.NONE,
            Spoiling.BITS,
            Spoiling.NUMBER_ANYWHERE,
            Spoiling.NUMBER_FIELD,
            Spoiling.LENGTH_FIELD,
            Spoiling.BYTES_FIELD);

    private final Random random;
    private final Corpus corpus;
    private final RecordSpoiling records;

    Mutation(Random random, Corpus corpus) {
        this.random = random;
        this.corpus = corpus;
        this.records = new RecordSpoiling(random);
    }

    /** What leaves a request readable, mostly, comes three times as often as what does not. */
    private static List<Spoiling> kinds() {
        List<Spoiling> kinds = new ArrayList<>(List.of(Spoiling.values()));
        for (int i = 0; i < 2; i++) {
            kinds.addAll(List.of(
                    Spoiling.BITS,
                    Spoiling.NUMBER_ANYWHERE,
                    Spoiling.NUMBER_FIELD,
                    Spoiling.LENGTH_FIELD,
                    Spoiling.BYTES_FIELD,
                    Spoiling.RECORDS));
        }
        return List.copyOf(kinds);
    }

    /**
     * The next frame.
     *
     * @param live what the client that sends it keeps alive
     */
    SpoiledFrame next(LiveRequests live) {
        return live.any() && random.nextInt(LIVE_SHARE) == 0 ? spoiledLive(live) : spoiledOfCorpus();
    }

    private SpoiledFrame spoiledLive(LiveRequests live) {
        Spoiling kind = KINDS_OF_LIVE.get(random.nextInt(KINDS_OF_LIVE.size()));
        byte[] content = spoiled(kind, live.pick(kind == Spoiling.NONE));
        return SpoiledFrame.of(kind, Waits.shortened(content), corpus);
    }

    private SpoiledFrame spoiledOfCorpus() {
        Spoiling kind = KINDS.get(random.nextInt(KINDS.size()));
        if (kind == Spoiling.SIZE) {
            return lying(corpus.pick(random).frame());
        }
        byte[] content = kind == Spoiling.RECORDS
                ? withSpoiledRecords(corpus.pickRecords(random))
                : spoiled(kind, corpus.pick(random));
        return SpoiledFrame.of(kind, Waits.shortened(content), corpus);
    }

    private byte[] spoiled(Spoiling kind, Seed seed) {
        byte[] frame = seed.frame().clone();
        return switch (kind) {
            case BITS -> flipped(frame);
            case CUT -> Arrays.copyOf(frame, random.nextInt(frame.length));
            case LONGER -> longer(frame);
            case NUMBER_ANYWHERE -> withOddNumber(frame, random.nextInt(frame.length - Long.BYTES), Integer.BYTES);
            case NUMBER_FIELD -> withOtherNumber(frame, seed);
            case LENGTH_FIELD -> withOtherLength(frame, seed);
            case BYTES_FIELD -> withOtherBytes(frame, seed);
            case VERSION -> withVersion(frame);
            case SPLICE -> spliced(frame, corpus.pick(random).frame());
            case BODY -> withOtherBody(frame);
            case GARBAGE -> garbage();
            case NONE, SIZE, RECORDS -> frame;
        };
    }

    // ---- anywhere

    private byte[] flipped(byte[] frame) {
        for (int bits = 1 + random.nextInt(4); bits > 0; bits--) {
            frame[random.nextInt(frame.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return frame;
    }

    private byte[] longer(byte[] frame) {
        byte[] more = garbage();
        byte[] result = Arrays.copyOf(frame, frame.length + more.length);
        System.arraycopy(more, 0, result, frame.length, more.length);
        return result;
    }

    private byte[] withOddNumber(byte[] frame, int position, int length) {
        long odd = ODD_NUMBERS[random.nextInt(ODD_NUMBERS.length)];
        for (int i = 0; i < length; i++) {
            frame[position + i] = (byte) (odd >> (Byte.SIZE * (length - 1 - i)));
        }
        return frame;
    }

    private byte[] withVersion(byte[] frame) {
        ByteBuffer.wrap(frame).putShort(Short.BYTES, (short) (random.nextInt(21) - 1));
        return frame;
    }

    private byte[] spliced(byte[] head, byte[] tail) {
        int cut = random.nextInt(head.length);
        int from = random.nextInt(tail.length);
        byte[] result = Arrays.copyOf(head, cut + tail.length - from);
        System.arraycopy(tail, from, result, cut, tail.length - from);
        return result;
    }

    private byte[] withOtherBody(byte[] frame) {
        byte[] body = garbage();
        byte[] result = Arrays.copyOf(frame, Math.min(frame.length, HEADER_BYTES) + body.length);
        System.arraycopy(body, 0, result, result.length - body.length, body.length);
        return result;
    }

    private byte[] garbage() {
        byte[] bytes = new byte[1 + random.nextInt(MAX_GARBAGE_BYTES)];
        random.nextBytes(bytes);
        return bytes;
    }

    // ---- where the fields are

    private byte[] withOtherNumber(byte[] frame, Seed seed) {
        Seed.Field field = pick(seed, Seed.Kind.NUMBER);
        if (random.nextBoolean()) {
            return withOddNumber(frame, field.position(), field.length());
        }
        // One more or less, as a count or an index may be.
        frame[field.position() + field.length() - 1] += (byte) (random.nextBoolean() ? 1 : -1);
        return frame;
    }

    /** In versions without such numbers, lengths and counts are numbers like the others. */
    private byte[] withOtherLength(byte[] frame, Seed seed) {
        if (seed.fields().stream().noneMatch(field -> field.kind() == Seed.Kind.VARINT)) {
            return withOtherNumber(frame, seed);
        }
        Seed.Field field = pick(seed, Seed.Kind.VARINT);
        int value = frame[field.position()];
        byte[] other = switch (random.nextInt(6)) {
            case 0 -> new byte[] {(byte) ((value + 1) & 0x7f)};
            case 1 -> new byte[] {(byte) ((value - 1) & 0x7f)};
            case 2 -> new byte[] {0};
            case 3 -> new byte[] {(byte) random.nextInt(0x80)};
            case 4 -> new byte[] {(byte) 0xff, 0x7f};
            default -> new byte[] {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x07};
        };
        int end = field.position() + field.length();
        byte[] result = Arrays.copyOf(frame, frame.length - field.length() + other.length);
        System.arraycopy(other, 0, result, field.position(), other.length);
        System.arraycopy(frame, end, result, field.position() + other.length, frame.length - end);
        return result;
    }

    private byte[] withOtherBytes(byte[] frame, Seed seed) {
        Seed.Field field = pick(seed, Seed.Kind.BYTES);
        int times = 1 + random.nextInt(3);
        for (int i = 0; i < times; i++) {
            int at = field.position() + random.nextInt(field.length());
            frame[at] = (byte) (random.nextBoolean() ? 'a' + random.nextInt(26) : random.nextInt(256));
        }
        return frame;
    }

    /** Any field of the kind; every request has a number and the client id in its header. */
    private Seed.Field pick(Seed seed, Seed.Kind kind) {
        List<Seed.Field> fields = seed.fields();
        int start = random.nextInt(fields.size());
        for (int i = 0; i < fields.size(); i++) {
            Seed.Field field = fields.get((start + i) % fields.size());
            if (field.kind() == kind) {
                return field;
            }
        }
        throw new IllegalStateException(seed.api() + " v" + seed.version() + " has no field of kind " + kind);
    }

    // ---- inside

    private byte[] withSpoiledRecords(Seed seed) {
        try {
            ProduceRequest request = (ProduceRequest)
                    RequestDecoder.decode(ByteBuffer.wrap(seed.frame()), ApiKeys.PRODUCE, seed.version())
                            .body();
            for (ProduceRequestData.TopicProduceData topic : request.data().topicData()) {
                topic.partitionData().forEach(this::spoilRecords);
            }
            return RawConnection.encode(seed.version(), "fuzz", random.nextInt(), request.data());
        } catch (MalformedRequestException e) {
            throw new IllegalStateException("A seed cannot be read: " + seed.api() + " v" + seed.version(), e);
        }
    }

    private void spoilRecords(ProduceRequestData.PartitionProduceData partition) {
        if (partition.records() instanceof MemoryRecords batches) {
            ByteBuffer buffer = batches.buffer().duplicate();
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            partition.setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(records.spoil(bytes))));
        }
    }

    // ---- around

    /** Sizes that are refused at once, sizes too small for a request, and sizes that are larger than what comes. */
    private SpoiledFrame lying(byte[] content) {
        boolean unfinished = random.nextInt(10) == 0;
        int size =
                unfinished ? content.length + 1 + random.nextInt(1 << 20) : ODD_SIZES[random.nextInt(ODD_SIZES.length)];
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES + content.length)
                .putInt(size)
                .put(content)
                .array();
        SpoiledFrame.Expectation expectation =
                unfinished ? SpoiledFrame.Expectation.NOTHING : SpoiledFrame.Expectation.CLOSE;
        return new SpoiledFrame(Spoiling.SIZE, null, (short) 0, bytes, expectation, null);
    }
}
