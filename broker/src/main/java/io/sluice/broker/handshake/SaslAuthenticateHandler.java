package io.sluice.broker.handshake;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.SaslAuthenticateRequest;
import org.apache.kafka.common.requests.SaslAuthenticateResponse;

/** Answers ILLEGAL_SASL_STATE: a listener without authentication takes no tokens. */
public final class SaslAuthenticateHandler implements ApiHandler<SaslAuthenticateRequest> {
    @Override
    public ApiKeys api() {
        return ApiKeys.SASL_AUTHENTICATE;
    }

    @Override
    public void handle(Call<SaslAuthenticateRequest> call) {
        call.respond(new SaslAuthenticateResponse(new SaslAuthenticateResponseData()
                .setErrorCode(Errors.ILLEGAL_SASL_STATE.code())
                .setErrorMessage("This listener takes no authentication.")));
    }
}
