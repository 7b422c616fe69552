package io.sluice.storage.local.cleaner;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.protocol.record.BatchBuilder;
import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.CompressionCodec;
import io.sluice.protocol.record.RecordCursor;
import io.sluice.storage.local.aborted.AbortedView;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchCleanerTest {
    private static final byte[] KEY = {'k'};
    private static final long NOW = 1_000;

    private static List<Long> offsets(ByteBuf batch) {
        List<Long> offsets = new ArrayList<>();
        try (RecordCursor records = new RecordCursor().open(new BatchView().wrap(batch))) {
            while (records.next()) {
                offsets.add(records.offset());
            }
        }
        return offsets;
    }

    /** An older value of its key may lie before: an earlier cleaning had more memory, and set the horizon. */
    @Test
    void keepsATombstoneTheMapHasNotComeToThoughItsTimeIsOver() throws IOException {
        ByteBuf batch = Unpooled.buffer();
        BatchBuilder builder = new BatchBuilder(batch, CompressionCodec.NONE).deleteHorizon(NOW - 1);
        builder.append(0, 0, KEY, null);
        builder.append(1, 0, KEY, null);
        builder.finish();
        KeyMap keys = new KeyMap(UnpooledByteBufAllocator.DEFAULT, 1 << 10, 10);
        keys.put(Unpooled.wrappedBuffer(KEY), 0, 1, 0);
        CleaningRules rules = new CleaningRules(keys, 1, 2, 0, AbortedView.NONE, NOW, 100);
        BatchCleaner cleaner = new BatchCleaner(rules, new KeptTransactions(), Unpooled.buffer());

        assertThat(cleaner.clean(new BatchView().wrap(batch))).isEqualTo(BatchCleaner.Outcome.REPLACE);
        assertThat(offsets(cleaner.rebuilt())).containsExactly(1L);
    }

    private static ByteBuf abortMarker() {
        ByteBuf marker = TestBatches.marker(7, 0, 0, false);
        ByteBuf batch = Unpooled.buffer();
        BatchBuilder builder = new BatchBuilder(batch, CompressionCodec.NONE)
                .like(new BatchView().wrap(marker))
                .deleteHorizon(NOW - 1);
        try (RecordCursor records = new RecordCursor().open(new BatchView().wrap(marker))) {
            records.next();
            builder.append(0, 0, records);
        }
        builder.finish();
        marker.release();
        return batch;
    }

    /** A cleaning that was not ended may have set its horizon: readers are still told of the transaction. */
    @Test
    void keepsAMarkerThatNoCleaningHasComePastWholly() throws IOException {
        ByteBuf batch = abortMarker();
        for (long cleanedUpTo = 0; cleanedUpTo <= 1; cleanedUpTo++) {
            CleaningRules rules = new CleaningRules(
                    new KeyMap(UnpooledByteBufAllocator.DEFAULT, 1 << 10, 10),
                    1,
                    2,
                    cleanedUpTo,
                    AbortedView.NONE,
                    NOW,
                    100);
            BatchCleaner cleaner = new BatchCleaner(rules, new KeptTransactions(), Unpooled.buffer());

            assertThat(cleaner.clean(new BatchView().wrap(batch)))
                    .isEqualTo(cleanedUpTo == 0 ? BatchCleaner.Outcome.KEEP : BatchCleaner.Outcome.DROP);
        }
    }
}
