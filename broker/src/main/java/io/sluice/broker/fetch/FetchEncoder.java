package io.sluice.broker.fetch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.sluice.storage.log.EpochEndOffset;
import io.sluice.storage.log.LogSlice;
import io.sluice.storage.log.ReadResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Writes a Fetch response of versions 4 to 18 and notes where records belong: what comes out is memory with what surrounds
 * them, cut into pieces, and the records' own pieces in between.
 *
 * <p>Fields: throttle time (4 bytes), from version 7 error (2) and session (4); topics: name, from 13 id (16); partitions:
 * number (4), error (2), visible offset (8), last stable offset (8), from 5 log start (8), aborted transactions (16 each),
 * from 11 preferred replica (4), records. Version 12 begins compact lengths and tagged fields: diverging epoch 0, current
 * leader 1.
 */
final class FetchEncoder {
    /** At most so many bytes surround the topics. */
    static final int FRAME_BYTES = 32;

    private static final short SESSION_VERSION = 7;
    private static final short LOG_START_VERSION = 5;
    private static final short REPLICA_VERSION = 11;
    private static final short FLEXIBLE_VERSION = 12;
    private static final short TOPIC_ID_VERSION = 13;

    private static final int TOPIC_BYTES = 32;
    private static final int PARTITION_BYTES = 96;
    private static final int ABORTED_BYTES = 17;
    private static final int DIVERGING_TAG = 0;
    private static final int DIVERGING_BYTES = Integer.BYTES + Long.BYTES + 1;
    private static final int LEADER_TAG = 1;
    private static final int LEADER_BYTES = 2 * Integer.BYTES + 1;
    private static final int NO_REPLICA = -1;
    private static final int NULL_LENGTH = -1;

    private static final int PAYLOAD_BITS = 7;
    private static final int PAYLOAD_MASK = 0x7f;
    private static final int CONTINUES = 0x80;

    private final short version;
    private final boolean flexible;
    private final ByteBuf out;
    private final List<Object> parts;
    private int cutAt;

    /**
     * Begins to write.
     *
     * @param out has room for {@link #FRAME_BYTES} and the {@link #maxBytes} of every partition; taken over
     */
    FetchEncoder(short version, ByteBuf out, int expectedParts) {
        this.version = version;
        this.flexible = version >= FLEXIBLE_VERSION;
        this.out = out;
        parts = new ArrayList<>(expectedParts);
    }

    /** At most so many bytes say what is said of a partition, and of its topic, records aside. */
    static int maxBytes(FetchPartition partition) {
        String name = partition.key().topicName();
        int nameBytes = name == null ? 0 : ByteBufUtil.utf8MaxBytes(name);
        return TOPIC_BYTES
                + nameBytes
                + PARTITION_BYTES
                + ABORTED_BYTES * partition.answer.abortedTransactions().size();
    }

    void begin(int sessionId) {
        out.writeInt(0);
        if (version >= SESSION_VERSION) {
            out.writeShort(Errors.NONE.code());
            out.writeInt(sessionId);
        }
    }

    void beginTopic(FetchPartition.Key key, int partitions) {
        if (version >= TOPIC_ID_VERSION) {
            out.writeLong(key.topicId().getMostSignificantBits());
            out.writeLong(key.topicId().getLeastSignificantBits());
        } else {
            writeString(key.topicName() == null ? "" : key.topicName());
        }
        writeCount(partitions);
    }

    void endTopic() {
        writeNoTags();
    }

    void beginPartition(int partition, Errors error, PartitionAnswer answer) {
        out.writeInt(partition);
        out.writeShort(error.code());
        out.writeLong(answer.visibleOffset());
        out.writeLong(answer.lastStableOffset());
        if (version >= LOG_START_VERSION) {
            out.writeLong(answer.logStartOffset());
        }
    }

    void writeAborted(@Nullable List<ReadResult.AbortedTransaction> aborted) {
        if (aborted == null) {
            writeCount(NULL_LENGTH);
        } else {
            writeCount(aborted.size());
            for (int i = 0; i < aborted.size(); i++) {
                out.writeLong(aborted.get(i).producerId());
                out.writeLong(aborted.get(i).firstOffset());
                writeNoTags();
            }
        }
        if (version >= REPLICA_VERSION) {
            out.writeInt(NO_REPLICA);
        }
    }

    /** Puts the records here; takes over the slice. */
    void writeRecords(@Nullable LogSlice slice) {
        writeCount(slice == null ? 0 : slice.sizeInBytes());
        if (slice != null) {
            cut();
            addPieces(slice);
        }
    }

    private void addPieces(LogSlice slice) {
        SliceLease lease = new SliceLease(slice);
        List<LogSlice.Piece> pieces = slice.pieces();
        for (int i = 0; i < pieces.size(); i++) {
            LogSlice.Piece piece = pieces.get(i);
            if (piece instanceof LogSlice.Piece.Memory memory) {
                parts.add(memory.bytes().retainedSlice());
            } else {
                parts.add(lease.region((LogSlice.Piece.FileRegion) piece));
            }
        }
        lease.release();
    }

    void endPartition(PartitionAnswer answer) {
        if (!flexible) {
            return;
        }
        EpochEndOffset diverging = answer.divergingEpoch();
        boolean leader = answer.leaderId() >= 0;
        writeUnsigned((diverging == null ? 0 : 1) + (leader ? 1 : 0));
        if (diverging != null) {
            writeUnsigned(DIVERGING_TAG);
            writeUnsigned(DIVERGING_BYTES);
            out.writeInt(diverging.leaderEpoch());
            out.writeLong(diverging.endOffset());
            writeNoTags();
        }
        if (leader) {
            writeUnsigned(LEADER_TAG);
            writeUnsigned(LEADER_BYTES);
            out.writeInt(answer.leaderId());
            out.writeInt(answer.leaderEpoch());
            writeNoTags();
        }
    }

    /** The whole, in order; every part is the caller's to release. */
    List<Object> finish() {
        writeNoTags();
        cut();
        out.release();
        return parts;
    }

    private void cut() {
        int length = out.writerIndex() - cutAt;
        if (length > 0) {
            parts.add(out.retainedSlice(cutAt, length));
            cutAt = out.writerIndex();
        }
    }

    /** The length of an array or of bytes; -1 for null. */
    void writeCount(int count) {
        if (flexible) {
            writeUnsigned(count + 1);
        } else {
            out.writeInt(count);
        }
    }

    private void writeString(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (flexible) {
            writeUnsigned(bytes.length + 1);
        } else {
            out.writeShort(bytes.length);
        }
        out.writeBytes(bytes);
    }

    private void writeNoTags() {
        if (flexible) {
            out.writeByte(0);
        }
    }

    private void writeUnsigned(int value) {
        int left = value;
        while ((left & ~PAYLOAD_MASK) != 0) {
            out.writeByte((left & PAYLOAD_MASK) | CONTINUES);
            left >>>= PAYLOAD_BITS;
        }
        out.writeByte(left);
    }
}
