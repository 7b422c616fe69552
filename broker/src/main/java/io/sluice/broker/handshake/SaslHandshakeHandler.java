package io.sluice.broker.handshake;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.SaslHandshakeRequest;
import org.apache.kafka.common.requests.SaslHandshakeResponse;

/** Answers ILLEGAL_SASL_STATE: a listener without authentication has no handshake to offer. */
public final class SaslHandshakeHandler implements ApiHandler<SaslHandshakeRequest> {
    @Override
    public ApiKeys api() {
        return ApiKeys.SASL_HANDSHAKE;
    }

    @Override
    public void handle(Call<SaslHandshakeRequest> call) {
        call.respond(new SaslHandshakeResponse(
                new SaslHandshakeResponseData().setErrorCode(Errors.ILLEGAL_SASL_STATE.code())));
    }
}
