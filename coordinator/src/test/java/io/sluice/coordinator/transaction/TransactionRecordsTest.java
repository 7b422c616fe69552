package io.sluice.coordinator.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Set;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.transaction.TransactionCoordinatorRecordSerde;
import org.apache.kafka.coordinator.transaction.TransactionLog;
import org.apache.kafka.coordinator.transaction.TransactionMetadata;
import org.apache.kafka.coordinator.transaction.TransactionState;
import org.apache.kafka.coordinator.transaction.generated.TransactionLogKey;
import org.apache.kafka.coordinator.transaction.generated.TransactionLogValue;
import org.junit.jupiter.api.Test;

class TransactionRecordsTest {
    private static final TransactionCoordinatorRecordSerde SERDE = new TransactionCoordinatorRecordSerde();

    private static final IdState STATE = new IdState(
            new ProducerIdentity(7, (short) 5, (short) 4, 6, 8),
            TransactionState.PREPARE_COMMIT,
            Set.of(IdStates.A, IdStates.B),
            60_000,
            100,
            200,
            IdState.SECOND_GENERATION);

    private static CoordinatorRecord throughBytes(CoordinatorRecord record) {
        byte[] value = SERDE.serializeValue(record);
        return SERDE.deserialize(
                ByteBuffer.wrap(SERDE.serializeKey(record)), value == null ? null : ByteBuffer.wrap(value));
    }

    private static IdState read(CoordinatorRecord record) {
        return TransactionRecords.read((TransactionLogValue) record.value().message());
    }

    @Test
    void aStateComesBackFromItsBytesAsItWas() {
        CoordinatorRecord read = throughBytes(TransactionRecords.state("id", STATE));

        assertThat(((TransactionLogKey) read.key()).transactionalId()).isEqualTo("id");
        assertThat(read(read)).isEqualTo(STATE);
    }

    @Test
    void everyStatusComesBack() {
        for (TransactionState status : new TransactionState[] {
            TransactionState.EMPTY,
            TransactionState.ONGOING,
            TransactionState.PREPARE_COMMIT,
            TransactionState.PREPARE_ABORT,
            TransactionState.COMPLETE_COMMIT,
            TransactionState.COMPLETE_ABORT
        }) {
            IdState state = IdStates.in(status, 3);
            assertThat(read(throughBytes(TransactionRecords.state("id", state))))
                    .isEqualTo(state);
        }
    }

    @Test
    void aTombstoneHasNoValue() {
        assertThat(throughBytes(TransactionRecords.tombstone("id")).value()).isNull();
    }

    @Test
    void kafkaReadsWhatWeWrite() {
        CoordinatorRecord record = TransactionRecords.state("id", STATE);

        TransactionLog.ReadResult read = TransactionLog.read(
                ByteBuffer.wrap(SERDE.serializeKey(record)), ByteBuffer.wrap(SERDE.serializeValue(record)));

        TransactionMetadata metadata = ((TransactionLog.TxnRecord) read).metadata();
        assertThat(metadata.transactionalId()).isEqualTo("id");
        assertThat(metadata.producerId()).isEqualTo(7);
        assertThat(metadata.producerEpoch()).isEqualTo((short) 5);
        assertThat(metadata.prevProducerId()).isEqualTo(6);
        assertThat(metadata.state()).isEqualTo(TransactionState.PREPARE_COMMIT);
        assertThat(metadata.topicPartitions()).isEqualTo(Set.of(IdStates.A, IdStates.B));
        assertThat(metadata.txnStartTimestamp()).isEqualTo(100);
        assertThat(metadata.txnLastUpdateTimestamp()).isEqualTo(200);
        assertThat(metadata.clientTransactionVersion().featureLevel()).isEqualTo(IdState.SECOND_GENERATION);
    }
}
