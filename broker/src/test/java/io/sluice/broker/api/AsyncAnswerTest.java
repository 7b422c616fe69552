package io.sluice.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.simulation.RecordingCall;
import io.sluice.broker.simulation.RecordingConnection;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.HeartbeatRequest;
import org.apache.kafka.common.requests.HeartbeatResponse;
import org.junit.jupiter.api.Test;

class AsyncAnswerTest {
    private static <R extends AbstractRequest> RecordingCall<R> call(R request) {
        return new RecordingCall<>(request, new RecordingConnection(1), 0);
    }

    private static HeartbeatRequest heartbeat() {
        return new HeartbeatRequest.Builder(new HeartbeatRequestData()).build((short) 4);
    }

    /** A request whose error answer fails as well. */
    private static final class Unanswerable extends AbstractRequest {
        private Unanswerable() {
            super(ApiKeys.HEARTBEAT, (short) 4);
        }

        @Override
        public ApiMessage data() {
            return new HeartbeatRequestData();
        }

        @Override
        public AbstractResponse getErrorResponse(int throttleTimeMs, Throwable e) {
            throw new IllegalStateException("this request has no error answer");
        }
    }

    private static Errors error(RecordingCall<?> call) {
        return ((HeartbeatResponse) call.response()).error();
    }

    @Test
    void givesWhatIsMade() {
        RecordingCall<HeartbeatRequest> call = call(heartbeat());
        AsyncAnswer.make(call, () -> new HeartbeatResponse(new HeartbeatResponseData()));
        assertThat(error(call)).isEqualTo(Errors.NONE);
    }

    @Test
    void tellsTheClientWhenTheAnswerCannotBeMade() {
        RecordingCall<HeartbeatRequest> call = call(heartbeat());
        AsyncAnswer.make(call, () -> {
            throw new IllegalStateException("broken");
        });
        assertThat(error(call)).isEqualTo(Errors.UNKNOWN_SERVER_ERROR);
    }

    @Test
    void closesTheConnectionWhenNoAnswerAtAllCanBeMade() {
        RecordingCall<Unanswerable> made = call(new Unanswerable());
        AsyncAnswer.make(made, () -> {
            throw new IllegalStateException("broken");
        });
        assertThat(made.closeReason()).isEqualTo("no answer can be made to HEARTBEAT");

        RecordingCall<Unanswerable> given = call(new Unanswerable());
        AsyncAnswer.give(given, CompletableFuture.failedFuture(new IllegalStateException("broken")));
        assertThat(given.closeReason()).isEqualTo("no answer can be made to HEARTBEAT");
    }
}
