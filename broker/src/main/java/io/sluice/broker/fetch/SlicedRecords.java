package io.sluice.broker.fetch;

import io.sluice.storage.log.LogSlice;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.RecordsSend;

/** Records that stay where they are while the answer around them is encoded. */
record SlicedRecords(LogSlice slice) implements BaseRecords {
    @Override
    public int sizeInBytes() {
        return slice.sizeInBytes();
    }

    @Override
    public RecordsSend<? extends BaseRecords> toSend() {
        throw new UnsupportedOperationException("sent by the front, not by Kafka's network classes");
    }
}
