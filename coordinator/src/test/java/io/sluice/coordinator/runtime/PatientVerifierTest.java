package io.sluice.coordinator.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class PatientVerifierTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private final SteppedTime time = new SteppedTime();
    private Errors verdict = Errors.NONE;
    private final PatientVerifier verifier = new PatientVerifier(
            (id, producer, epoch, partitions, adds) -> CompletableFuture.completedFuture(Map.of(PARTITION, verdict)),
            time,
            time);

    private CompletableFuture<Map<TopicPartition, Errors>> ask(PatientVerifier.Begun begun) {
        return verifier.ask(new PatientVerifier.Question("tx", 5, (short) 0, List.of(PARTITION), true, true, begun))
                .toCompletableFuture();
    }

    private static boolean broken() {
        throw new IllegalStateException("the log is broken");
    }

    @Test
    void whoeverWaitsHearsOfALogThatIsBroken() {
        CompletableFuture<Map<TopicPartition, Errors>> answer = ask(PatientVerifierTest::broken);

        assertThat(answer).isDone();
        assertThatThrownBy(answer::join).hasRootCauseMessage("the log is broken");
    }

    @Test
    void whoeverWaitsHearsOfALogThatBreaksBetweenTwoQuestions() {
        verdict = Errors.CONCURRENT_TRANSACTIONS;
        CompletableFuture<Map<TopicPartition, Errors>> answer = ask(PatientVerifierTest::broken);
        assertThat(answer).isNotDone();

        verdict = Errors.NONE;
        time.advanceMillis(20);

        assertThat(answer).isDone();
        assertThatThrownBy(answer::join).hasRootCauseMessage("the log is broken");
    }
}
