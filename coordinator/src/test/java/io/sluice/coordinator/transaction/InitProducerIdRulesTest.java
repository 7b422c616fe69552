package io.sluice.coordinator.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.coordinator.transaction.TransactionState;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InitProducerIdRulesTest {
    private static final int LAST_EPOCH = Short.MAX_VALUE - 1;
    private static final long SPARE = 99;

    private static Decision ask(@Nullable IdState state, InitProducerIdRules.@Nullable Expected expected, long spare) {
        return new InitProducerIdRules(expected, 5000, spare, 200).decide(state);
    }

    private static IdState next(Decision decision) {
        assertThat(decision).isInstanceOf(Decision.Change.class);
        return ((Decision.Change) decision).next();
    }

    private static InitProducerIdRules.Expected claim(long id, int epoch) {
        return new InitProducerIdRules.Expected(id, (short) epoch);
    }

    @Test
    void aNewIdNeedsAProducerId() {
        assertThat(ask(null, null, -1)).isEqualTo(new Decision.NeedsProducerId());
    }

    @Test
    void aNewIdBeginsAtEpochZero() {
        IdState state = next(ask(null, null, SPARE));

        assertThat(state.producer()).isEqualTo(new ProducerIdentity(SPARE, (short) 0, (short) -1, SPARE, -1));
        assertThat(state.status()).isEqualTo(TransactionState.EMPTY);
        assertThat(state.timeoutMillis()).isEqualTo(5000);
        assertThat(state.startMillis()).isEqualTo(-1);
        assertThat(state.updatedMillis()).isEqualTo(200);
    }

    @Test
    void whoeverClaimsAForgottenIdGetsANewOne() {
        assertThat(next(ask(null, claim(7, 3), SPARE)).producer().id()).isEqualTo(SPARE);
    }

    @ParameterizedTest
    @EnumSource(
            value = TransactionState.class,
            names = {"EMPTY", "COMPLETE_COMMIT", "COMPLETE_ABORT"})
    void whoeverClaimsNothingGetsTheNextEpochAndFencesTheOneBefore(TransactionState status) {
        IdState state = next(ask(IdStates.in(status, 3), null, -1));

        assertThat(state.producer()).isEqualTo(new ProducerIdentity(7, (short) 4, (short) -1, 7, -1));
        assertThat(state.status()).isEqualTo(TransactionState.EMPTY);
        assertThat(state.startMillis()).isEqualTo(-1);
    }

    @Test
    void whoeverClaimsTheCurrentEpochGoesOnWithTheNext() {
        IdState state = next(ask(IdStates.in(TransactionState.EMPTY, 3), claim(7, 3), -1));

        assertThat(state.producer()).isEqualTo(new ProducerIdentity(7, (short) 4, (short) 3, 7, -1));
    }

    @Test
    void theSameClaimAgainGetsTheSameAnswer() {
        IdState state = next(ask(IdStates.in(TransactionState.EMPTY, 3), claim(7, 3), -1));

        IdState again = next(ask(state, claim(7, 3), -1));

        assertThat(again.producer()).isEqualTo(state.producer());
    }

    @Test
    void aClaimOfAnEpochThatWasFencedIsRefused() {
        IdState state = next(ask(IdStates.in(TransactionState.EMPTY, 3), null, -1));

        assertThat(ask(state, claim(7, 3), -1)).isEqualTo(new Decision.Refuse(Errors.PRODUCER_FENCED));
        assertThat(ask(state, claim(7, 9), -1)).isEqualTo(new Decision.Refuse(Errors.PRODUCER_FENCED));
        assertThat(ask(state, claim(8, 4), -1)).isEqualTo(new Decision.Refuse(Errors.PRODUCER_FENCED));
    }

    @Test
    void whereEpochsAreUsedUpAnotherProducerIdTakesOver() {
        IdState exhausted = IdStates.in(TransactionState.COMPLETE_COMMIT, LAST_EPOCH);

        assertThat(ask(exhausted, null, -1)).isEqualTo(new Decision.NeedsProducerId());
        assertThat(next(ask(exhausted, null, SPARE)).producer())
                .isEqualTo(new ProducerIdentity(SPARE, (short) 0, (short) -1, 7, -1));
        assertThat(next(ask(exhausted, claim(7, LAST_EPOCH), SPARE)).producer())
                .isEqualTo(new ProducerIdentity(SPARE, (short) 0, (short) LAST_EPOCH, 7, -1));
    }

    @Test
    void theSameClaimAgainIsKnownAfterTheProducerIdChanged() {
        IdState rotated = next(ask(IdStates.in(TransactionState.EMPTY, LAST_EPOCH), claim(7, LAST_EPOCH), SPARE));

        IdState again = next(ask(rotated, claim(7, LAST_EPOCH), -1));

        assertThat(again.producer().id()).isEqualTo(SPARE);
        assertThat(again.producer().epoch()).isZero();
    }

    @Test
    void theRepetitionOfTheClaimThatUsedUpTheEpochsIsNoOffence() {
        IdState last = next(ask(IdStates.in(TransactionState.EMPTY, LAST_EPOCH - 1), claim(7, LAST_EPOCH - 1), -1));

        assertThat(last.producer().epoch()).isEqualTo((short) LAST_EPOCH);
        assertThat(next(ask(last, claim(7, LAST_EPOCH - 1), -1)).producer()).isEqualTo(last.producer());
    }

    @Test
    void anOngoingTransactionIsAbortedFirstAndItsProducerFenced() {
        Decision decision = ask(IdStates.ongoing(3), null, -1);

        assertThat(((Decision.Change) decision).error()).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        IdState state = next(decision);
        assertThat(state.status()).isEqualTo(TransactionState.PREPARE_ABORT);
        assertThat(state.producer()).isEqualTo(new ProducerIdentity(7, (short) 4, (short) -1, 7, -1));
        assertThat(state.partitions()).isEqualTo(Set.of(IdStates.A));
        assertThat(state.clientVersion()).isEqualTo(IdState.SECOND_GENERATION);
        assertThat(state.startMillis()).isEqualTo(100);
    }

    @Test
    void fencingHasOneEpochMoreThanProducersHave() {
        IdState state = next(ask(IdStates.ongoing(LAST_EPOCH), null, -1));

        assertThat(state.producer().epoch()).isEqualTo(Short.MAX_VALUE);
        assertThat(next(ask(state.completed(300), null, SPARE)).producer().id()).isEqualTo(SPARE);
    }

    @Test
    void aProducerThatFindsItsTransactionAbortedGoesOnWhenItAsksAgain() {
        IdState aborting = next(ask(IdStates.ongoing(3), claim(7, 3), -1));

        assertThat(aborting.producer()).isEqualTo(new ProducerIdentity(7, (short) 4, (short) 3, 7, -1));
        assertThat(next(ask(aborting.completed(300), claim(7, 3), -1))
                        .producer()
                        .epoch())
                .isEqualTo((short) 4);
    }

    @Test
    void nobodyIsGivenTheEpochToFenceWith() {
        IdState fenced = next(ask(IdStates.ongoing(LAST_EPOCH), claim(7, LAST_EPOCH), -1))
                .completed(300);
        assertThat(fenced.producer().epoch()).isEqualTo(Short.MAX_VALUE);
        assertThat(ask(fenced, claim(7, LAST_EPOCH), -1)).isEqualTo(new Decision.NeedsProducerId());

        IdState rotated = next(ask(fenced, claim(7, LAST_EPOCH), SPARE));

        assertThat(rotated.producer()).isEqualTo(new ProducerIdentity(SPARE, (short) 0, (short) LAST_EPOCH, 7, -1));
        IdState again = next(ask(rotated, claim(7, LAST_EPOCH), -1));
        assertThat(again.producer()).isEqualTo(rotated.producer());
        assertThat(next(ask(again, claim(7, LAST_EPOCH), -1)).producer())
                .as("and as often as it asks")
                .isEqualTo(rotated.producer());
    }

    @Test
    void whatIsOpenUnderTheEpochToFenceWithIsEndedByAMarkThatNeedsNoLaterOne() {
        IdState state = next(ask(IdStates.ongoing(Short.MAX_VALUE), null, -1));

        assertThat(state.status()).isEqualTo(TransactionState.PREPARE_ABORT);
        assertThat(state.producer().epoch()).isEqualTo(Short.MAX_VALUE);
        assertThat(state.clientVersion()).isEqualTo(IdState.FIRST_GENERATION);
    }

    @ParameterizedTest
    @EnumSource(
            value = TransactionState.class,
            names = {"PREPARE_COMMIT", "PREPARE_ABORT"})
    void nothingIsAskedOfAnIdWhoseTransactionEnds(TransactionState status) {
        assertThat(ask(IdStates.in(status, 3), null, SPARE))
                .isEqualTo(new Decision.Refuse(Errors.CONCURRENT_TRANSACTIONS));
        assertThat(ask(IdStates.in(status, 3), claim(8, 0), SPARE))
                .isEqualTo(new Decision.Refuse(Errors.CONCURRENT_TRANSACTIONS));
    }
}
