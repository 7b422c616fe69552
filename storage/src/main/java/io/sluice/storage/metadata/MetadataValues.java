package io.sluice.storage.metadata;

import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.PartitionImage;
import io.sluice.base.metadata.TopicImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The values of the metadata store as bytes. Each begins with its format; a newer one is refused. Partitions whose log ids
 * follow each other take 12 bytes together, so that a topic of many partitions stays far below the limit of a value.
 */
final class MetadataValues {
    private static final int FORMAT = 1;

    private MetadataValues() {}

    /**
     * What is kept of a node.
     *
     * @param epoch grows with every start that was not preceded by a clean stop
     * @param stoppedCleanly whether the last run ended cleanly
     */
    record Node(int epoch, boolean stoppedCleanly) {}

    private interface Writer {
        void write(DataOutputStream out) throws IOException;
    }

    private interface Reader<T> {
        T read(DataInputStream in) throws IOException;
    }

    static byte[] encodeTopic(TopicImage topic) {
        return encode(out -> {
            out.writeLong(topic.id().mostSignificantBits());
            out.writeLong(topic.id().leastSignificantBits());
            out.writeShort(topic.replicationFactor());
            writeLogIds(out, topic.partitions());
            writeTexts(out, topic.configs());
        });
    }

    static TopicImage decodeTopic(String name, byte[] value) {
        return decode(value, in -> {
            TopicId id = new TopicId(in.readLong(), in.readLong());
            int replicationFactor = in.readShort();
            List<PartitionImage> partitions = readLogIds(in);
            return new TopicImage(name, id, partitions, readTexts(in), replicationFactor);
        });
    }

    static byte[] encodeTexts(Map<String, String> texts) {
        return encode(out -> writeTexts(out, texts));
    }

    static Map<String, String> decodeTexts(byte[] value) {
        return decode(value, MetadataValues::readTexts);
    }

    static byte[] encodeLong(long number) {
        return encode(out -> out.writeLong(number));
    }

    static long decodeLong(byte[] value) {
        return decode(value, DataInputStream::readLong);
    }

    static byte[] encodeNode(Node node) {
        return encode(out -> {
            out.writeInt(node.epoch());
            out.writeBoolean(node.stoppedCleanly());
        });
    }

    static Node decodeNode(byte[] value) {
        return decode(value, in -> new Node(in.readInt(), in.readBoolean()));
    }

    private static void writeLogIds(DataOutputStream out, List<PartitionImage> partitions) throws IOException {
        List<long[]> runs = new ArrayList<>();
        for (PartitionImage partition : partitions) {
            long[] last = runs.isEmpty() ? new long[] {0, 0} : runs.get(runs.size() - 1);
            if (!runs.isEmpty() && last[0] + last[1] == partition.logId()) {
                last[1]++;
            } else {
                runs.add(new long[] {partition.logId(), 1});
            }
        }
        out.writeInt(runs.size());
        for (long[] run : runs) {
            out.writeLong(run[0]);
            out.writeInt((int) run[1]);
        }
    }

    private static List<PartitionImage> readLogIds(DataInputStream in) throws IOException {
        List<PartitionImage> partitions = new ArrayList<>();
        int runs = in.readInt();
        for (int i = 0; i < runs; i++) {
            long first = in.readLong();
            int count = in.readInt();
            for (int j = 0; j < count; j++) {
                partitions.add(new PartitionImage(partitions.size(), first + j));
            }
        }
        return partitions;
    }

    private static void writeTexts(DataOutputStream out, Map<String, String> texts) throws IOException {
        out.writeInt(texts.size());
        for (Map.Entry<String, String> text : new TreeMap<>(texts).entrySet()) {
            out.writeUTF(text.getKey());
            out.writeUTF(text.getValue());
        }
    }

    private static Map<String, String> readTexts(DataInputStream in) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        int count = in.readInt();
        for (int i = 0; i < count; i++) {
            texts.put(in.readUTF(), in.readUTF());
        }
        return Map.copyOf(texts);
    }

    private static byte[] encode(Writer writer) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            writer.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException("a text of more than 65535 bytes", e);
        }
        return bytes.toByteArray();
    }

    private static <T> T decode(byte[] value, Reader<T> reader) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(value))) {
            int format = in.readUnsignedByte();
            if (format != FORMAT) {
                throw new IOException("format " + format + "; this version reads " + FORMAT);
            }
            return reader.read(in);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read a value of the metadata store: " + e.getMessage(), e);
        }
    }
}
