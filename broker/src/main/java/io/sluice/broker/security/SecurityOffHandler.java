package io.sluice.broker.security;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.common.errors.SecurityDisabledException;
import org.apache.kafka.common.message.ExpireDelegationTokenResponseData;
import org.apache.kafka.common.message.RenewDelegationTokenResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ExpireDelegationTokenResponse;
import org.apache.kafka.common.requests.RenewDelegationTokenResponse;

/** Serves one API of security where that is off: every request is refused with the same error, inside its own answer. */
public final class SecurityOffHandler<R extends AbstractRequest> implements ApiHandler<R> {
    /** Delegation tokens are for clients that have authenticated themselves, and no listener asks them to. */
    private static final Errors NOT_ALLOWED = Errors.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED;

    private static final long NO_TIME = -1;

    private final ApiKeys api;
    private final Function<R, AbstractResponse> refusal;

    private SecurityOffHandler(ApiKeys api, Function<R, AbstractResponse> refusal) {
        this.api = api;
        this.refusal = refusal;
    }

    /** One for each API, in the order of their keys. */
    public static List<ApiHandler<?>> all() {
        return List.of(
                noAuthorizer(ApiKeys.DESCRIBE_ACLS),
                noAuthorizer(ApiKeys.CREATE_ACLS),
                noAuthorizer(ApiKeys.DELETE_ACLS),
                notAllowed(ApiKeys.CREATE_DELEGATION_TOKEN),
                new SecurityOffHandler<>(
                        ApiKeys.RENEW_DELEGATION_TOKEN,
                        request -> new RenewDelegationTokenResponse(new RenewDelegationTokenResponseData()
                                .setErrorCode(NOT_ALLOWED.code())
                                .setExpiryTimestampMs(NO_TIME))),
                new SecurityOffHandler<>(
                        ApiKeys.EXPIRE_DELEGATION_TOKEN,
                        request -> new ExpireDelegationTokenResponse(new ExpireDelegationTokenResponseData()
                                .setErrorCode(NOT_ALLOWED.code())
                                .setExpiryTimestampMs(NO_TIME))),
                notAllowed(ApiKeys.DESCRIBE_DELEGATION_TOKEN));
    }

    private static SecurityOffHandler<AbstractRequest> noAuthorizer(ApiKeys api) {
        return new SecurityOffHandler<>(
                api,
                request -> request.getErrorResponse(
                        new SecurityDisabledException("no authorizer is configured on this node")));
    }

    private static SecurityOffHandler<AbstractRequest> notAllowed(ApiKeys api) {
        return new SecurityOffHandler<>(api, request -> request.getErrorResponse(NOT_ALLOWED.exception()));
    }

    @Override
    public ApiKeys api() {
        return api;
    }

    @Override
    public void handle(Call<R> call) {
        call.respond(refusal.apply(call.request()));
    }
}
