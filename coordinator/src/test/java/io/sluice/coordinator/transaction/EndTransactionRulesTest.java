package io.sluice.coordinator.transaction;

import static org.apache.kafka.coordinator.transaction.TransactionState.COMPLETE_ABORT;
import static org.apache.kafka.coordinator.transaction.TransactionState.COMPLETE_COMMIT;
import static org.apache.kafka.coordinator.transaction.TransactionState.EMPTY;
import static org.apache.kafka.coordinator.transaction.TransactionState.ONGOING;
import static org.apache.kafka.coordinator.transaction.TransactionState.PREPARE_ABORT;
import static org.apache.kafka.coordinator.transaction.TransactionState.PREPARE_COMMIT;
import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.coordinator.transaction.TransactionState;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndTransactionRulesTest {
    private static final int LAST_EPOCH = Short.MAX_VALUE - 1;

    private static Decision first(@Nullable IdState state, long id, int epoch, boolean commit) {
        return new EndTransactionRules(id, (short) epoch, commit, false, -1, 200).decide(state);
    }

    private static Decision second(@Nullable IdState state, long id, int epoch, boolean commit) {
        return new EndTransactionRules(id, (short) epoch, commit, true, -1, 200).decide(state);
    }

    /** In words: NONE for a repetition, the new state for a change, else the error. */
    private static String outcome(Decision decision) {
        if (decision instanceof Decision.Change change) {
            return change.next().status().name();
        }
        return decision instanceof Decision.Refuse refuse ? refuse.error().name() : "NONE";
    }

    @ParameterizedTest
    @CsvSource({
        "EMPTY, true, INVALID_TXN_STATE",
        "EMPTY, false, INVALID_TXN_STATE",
        "ONGOING, true, PREPARE_COMMIT",
        "ONGOING, false, PREPARE_ABORT",
        "PREPARE_COMMIT, true, CONCURRENT_TRANSACTIONS",
        "PREPARE_COMMIT, false, CONCURRENT_TRANSACTIONS",
        "PREPARE_ABORT, true, CONCURRENT_TRANSACTIONS",
        "PREPARE_ABORT, false, CONCURRENT_TRANSACTIONS",
        "COMPLETE_COMMIT, true, NONE",
        "COMPLETE_COMMIT, false, INVALID_TXN_STATE",
        "COMPLETE_ABORT, true, INVALID_TXN_STATE",
        "COMPLETE_ABORT, false, NONE",
    })
    void theFirstGenerationIsAnsweredByState(TransactionState status, boolean commit, String expected) {
        assertThat(outcome(first(IdStates.in(status, 5), 7, 5, commit))).isEqualTo(expected);
    }

    /** Retry is the epoch before the current one. */
    @ParameterizedTest
    @CsvSource({
        "EMPTY, true, INVALID_TXN_STATE, PRODUCER_FENCED",
        "EMPTY, false, PREPARE_ABORT, PRODUCER_FENCED",
        "ONGOING, true, PREPARE_COMMIT, PRODUCER_FENCED",
        "ONGOING, false, PREPARE_ABORT, PRODUCER_FENCED",
        "PREPARE_COMMIT, true, CONCURRENT_TRANSACTIONS, CONCURRENT_TRANSACTIONS",
        "PREPARE_COMMIT, false, CONCURRENT_TRANSACTIONS, CONCURRENT_TRANSACTIONS",
        "PREPARE_ABORT, true, CONCURRENT_TRANSACTIONS, CONCURRENT_TRANSACTIONS",
        "PREPARE_ABORT, false, CONCURRENT_TRANSACTIONS, CONCURRENT_TRANSACTIONS",
        "COMPLETE_COMMIT, true, INVALID_TXN_STATE, NONE",
        "COMPLETE_COMMIT, false, PREPARE_ABORT, INVALID_TXN_STATE",
        "COMPLETE_ABORT, true, INVALID_TXN_STATE, INVALID_TXN_STATE",
        "COMPLETE_ABORT, false, PREPARE_ABORT, NONE",
    })
    void theSecondGenerationIsAnsweredByStateAndEpoch(
            TransactionState status, boolean commit, String current, String retry) {
        assertThat(outcome(second(IdStates.in(status, 5), 7, 5, commit))).isEqualTo(current);
        assertThat(outcome(second(IdStates.raised(status, 5), 7, 4, commit))).isEqualTo(retry);
    }

    @Test
    void aProducerWhoseIdAnotherTakesCannotRepeatItsWayBack() {
        IdState ongoing = IdStates.ongoing(5);
        IdState fenced = ((Decision.Change) new InitProducerIdRules(null, 5000, -1, 200).decide(ongoing))
                .next()
                .completed(300);

        assertThat(fenced.status()).isEqualTo(COMPLETE_ABORT);
        assertThat(outcome(second(fenced, 7, 5, false))).isEqualTo("PRODUCER_FENCED");
        assertThat(outcome(second(fenced, 7, 5, true))).isEqualTo("PRODUCER_FENCED");
    }

    @Test
    void nobodyIsGivenTheEpochToFenceWithForARepetition() {
        IdState fenced = IdStates.raised(COMPLETE_ABORT, Short.MAX_VALUE);
        assertThat(second(fenced, 7, LAST_EPOCH, false)).isEqualTo(new Decision.NeedsProducerId());

        Decision.Change change =
                (Decision.Change) new EndTransactionRules(7, (short) LAST_EPOCH, false, true, 99, 200).decide(fenced);

        assertThat(change.producer()).isEqualTo(new ProducerIdentity(99, (short) 0, (short) LAST_EPOCH, 7, -1));
        assertThat(change.next().status()).isEqualTo(COMPLETE_ABORT);
        assertThat(second(change.next(), 7, LAST_EPOCH, false)).isEqualTo(new Decision.Repeat(change.producer()));
        assertThat(outcome(second(fenced, 7, LAST_EPOCH, true))).isEqualTo("INVALID_TXN_STATE");
    }

    /** Versions before this one have given it out. */
    @ParameterizedTest
    @CsvSource({"ONGOING, true", "ONGOING, false", "COMPLETE_ABORT, false", "EMPTY, false"})
    void whoHasTheEpochToFenceWithIsFenced(TransactionState status, boolean commit) {
        assertThat(outcome(second(IdStates.in(status, Short.MAX_VALUE), 7, Short.MAX_VALUE, commit)))
                .isEqualTo("PRODUCER_FENCED");
    }

    @Test
    void anIdNobodyHasAndAnotherProducersIdAreNoMapping() {
        assertThat(first(null, 7, 5, true)).isEqualTo(new Decision.Refuse(Errors.INVALID_PRODUCER_ID_MAPPING));
        assertThat(second(null, 7, 5, true)).isEqualTo(new Decision.Refuse(Errors.INVALID_PRODUCER_ID_MAPPING));
        assertThat(first(IdStates.ongoing(5), 8, 5, true))
                .isEqualTo(new Decision.Refuse(Errors.INVALID_PRODUCER_ID_MAPPING));
        assertThat(second(IdStates.ongoing(5), 8, 5, true))
                .isEqualTo(new Decision.Refuse(Errors.INVALID_PRODUCER_ID_MAPPING));
    }

    @Test
    void everyOtherEpochIsFenced() {
        for (TransactionState status : new TransactionState[] {EMPTY, ONGOING, COMPLETE_ABORT, COMPLETE_COMMIT}) {
            assertThat(outcome(first(IdStates.in(status, 5), 7, 4, true))).isEqualTo("PRODUCER_FENCED");
            assertThat(outcome(first(IdStates.in(status, 5), 7, 6, true))).isEqualTo("PRODUCER_FENCED");
            assertThat(outcome(second(IdStates.in(status, 5), 7, 3, true))).isEqualTo("PRODUCER_FENCED");
            assertThat(outcome(second(IdStates.in(status, 5), 7, 6, true))).isEqualTo("PRODUCER_FENCED");
        }
    }

    @Test
    void theFirstGenerationKeepsItsEpoch() {
        IdState prepared = ((Decision.Change) first(IdStates.ongoing(5), 7, 5, true)).next();
        IdState completed = prepared.completed(300);

        assertThat(prepared.producer().epoch()).isEqualTo((short) 5);
        assertThat(prepared.clientVersion()).isEqualTo(IdState.FIRST_GENERATION);
        assertThat(completed.producer().epoch()).isEqualTo((short) 5);
        assertThat(completed.status()).isEqualTo(COMPLETE_COMMIT);
        assertThat(completed.partitions()).isEmpty();
        assertThat(completed.startMillis()).isEqualTo(100);
    }

    @Test
    void theSecondGenerationGetsTheNextEpochWithTheAnswer() {
        Decision.Change change = (Decision.Change) second(IdStates.ongoing(5), 7, 5, false);

        assertThat(change.producer().epoch()).isEqualTo((short) 6);
        assertThat(change.next().producer().epoch()).isEqualTo((short) 6);
        assertThat(change.next().producer().lastEpoch()).isEqualTo((short) 5);
        assertThat(change.next().clientVersion()).isEqualTo(IdState.SECOND_GENERATION);
        assertThat(change.next().completed(300).status()).isEqualTo(COMPLETE_ABORT);
    }

    @Test
    void anAbortWithoutATransactionStartsNow() {
        Decision.Change change = (Decision.Change) second(IdStates.in(EMPTY, 5), 7, 5, false);

        assertThat(change.next().status()).isEqualTo(PREPARE_ABORT);
        assertThat(change.next().startMillis()).isEqualTo(200);
        assertThat(change.next().partitions()).isEmpty();
    }

    @Test
    void whereEpochsAreUsedUpTheProducerGoesOnWithAnotherId() {
        IdState ongoing = IdStates.ongoing(LAST_EPOCH);
        assertThat(second(ongoing, 7, LAST_EPOCH, true)).isEqualTo(new Decision.NeedsProducerId());

        Decision.Change change =
                (Decision.Change) new EndTransactionRules(7, (short) LAST_EPOCH, true, true, 99, 200).decide(ongoing);
        IdState completed = change.next().completed(300);

        assertThat(change.next().status()).isEqualTo(PREPARE_COMMIT);
        assertThat(change.next().producer())
                .isEqualTo(new ProducerIdentity(7, Short.MAX_VALUE, (short) LAST_EPOCH, 7, 99));
        assertThat(change.producer().id()).isEqualTo(99);
        assertThat(change.producer().epoch()).isZero();
        assertThat(completed.producer()).isEqualTo(new ProducerIdentity(99, (short) 0, (short) LAST_EPOCH, 7, -1));
        assertThat(second(completed, 7, LAST_EPOCH, true)).isEqualTo(new Decision.Repeat(completed.producer()));
        assertThat(outcome(second(completed, 7, LAST_EPOCH, false))).isEqualTo("INVALID_TXN_STATE");
    }
}
