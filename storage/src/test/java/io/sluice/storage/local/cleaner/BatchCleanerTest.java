package io.sluice.storage.local.cleaner;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.protocol.record.BatchBuilder;
import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.CompressionCodec;
import io.sluice.protocol.record.RecordCursor;
import io.sluice.storage.local.producer.ProducerLimit;
import io.sluice.storage.local.producer.ProducerStates;
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
    void keepsATombstoneTheMapHasNotComeToThoughItsTimeIsOver() {
        ByteBuf batch = Unpooled.buffer();
        BatchBuilder builder = new BatchBuilder(batch, CompressionCodec.NONE).deleteHorizon(NOW - 1);
        builder.append(0, 0, KEY, null);
        builder.append(1, 0, KEY, null);
        builder.finish();
        KeyMap keys = new KeyMap(1 << 10, 10);
        keys.put(Unpooled.wrappedBuffer(KEY), 0, 1, 0);
        CleaningRules rules =
                new CleaningRules(keys, 1, 2, new ProducerStates(ProducerLimit.none()).transactions(), NOW, 100);
        BatchCleaner cleaner = new BatchCleaner(rules, new KeptTransactions(), Unpooled.buffer());

        assertThat(cleaner.clean(new BatchView().wrap(batch))).isEqualTo(BatchCleaner.Outcome.REPLACE);
        assertThat(offsets(cleaner.rebuilt())).containsExactly(1L);
    }
}
