package io.sluice.broker.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.simulation.RecordingCall;
import io.sluice.broker.simulation.RecordingConnection;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.HeartbeatRequest;
import org.apache.kafka.common.requests.HeartbeatResponse;
import org.junit.jupiter.api.Test;

class GroupCallsTest {
    private final RecordingCall<HeartbeatRequest> call = new RecordingCall<>(
            new HeartbeatRequest.Builder(new HeartbeatRequestData()).build((short) 4), new RecordingConnection(1), 0);

    @Test
    void aFailedStageIsTheRequestsOwnError() {
        GroupCalls.answer(call, CompletableFuture.failedFuture(new UnknownMemberIdException()), value -> {
            throw new AssertionError("there is no value");
        });
        assertThat(((HeartbeatResponse) call.response()).error()).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    @Test
    void aResponseThatCannotBeMadeIsAnsweredToo() {
        GroupCalls.answer(call, CompletableFuture.completedFuture("value"), value -> {
            throw new IllegalStateException("broken");
        });
        assertThat(((HeartbeatResponse) call.response()).error()).isEqualTo(Errors.UNKNOWN_SERVER_ERROR);
    }
}
