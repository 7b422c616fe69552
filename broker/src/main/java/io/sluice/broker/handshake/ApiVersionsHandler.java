package io.sluice.broker.handshake;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.api.HandlerRegistry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ApiVersionsResponseData.FinalizedFeatureKey;
import org.apache.kafka.common.message.ApiVersionsResponseData.SupportedFeatureKey;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ApiVersionsResponse;

/**
 * Answers which APIs and versions are served: exactly those of the handlers registered.
 * Clients before version 4 cannot read a feature whose lowest level is 0, so they are not told of it.
 */
public final class ApiVersionsHandler implements ApiHandler<ApiVersionsRequest> {
    private static final short FIRST_WITH_FEATURES_FROM_ZERO = 4;

    private final List<ApiHandler<?>> others;
    private final List<FeatureLevel> features;

    private ApiVersionsHandler(Collection<? extends ApiHandler<?>> others, List<FeatureLevel> features) {
        this.others = List.copyOf(others);
        this.features = List.copyOf(features);
    }

    /** A registry of the handlers and of one that answers for them and itself. */
    public static HandlerRegistry registry(Collection<? extends ApiHandler<?>> others, List<FeatureLevel> features) {
        List<ApiHandler<?>> all = new ArrayList<>(others);
        all.add(new ApiVersionsHandler(others, features));
        return HandlerRegistry.of(all);
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.API_VERSIONS;
    }

    @Override
    public void handle(Call<ApiVersionsRequest> call) {
        ApiVersionsRequest request = call.request();
        if (request.hasUnsupportedRequestVersion()) {
            call.respond(request.getErrorResponse(0, new UnsupportedVersionException("")));
        } else if (!request.isValid()) {
            call.respond(request.getErrorResponse(0, new InvalidRequestException("")));
        } else {
            call.connection()
                    .identify(
                            request.data().clientSoftwareName(), request.data().clientSoftwareVersion());
            call.respond(new ApiVersionsResponse(answer(request.version())));
        }
    }

    private ApiVersionsResponseData answer(short version) {
        ApiVersionsResponseData data = new ApiVersionsResponseData().setFinalizedFeaturesEpoch(0);
        List<ApiHandler<?>> served = new ArrayList<>(others);
        served.add(this);
        served.sort(Comparator.comparing(handler -> handler.api().id));
        for (ApiHandler<?> handler : served) {
            data.apiKeys()
                    .add(new ApiVersion()
                            .setApiKey(handler.api().id)
                            .setMinVersion(handler.oldestVersion())
                            .setMaxVersion(handler.newestVersion()));
        }
        for (FeatureLevel feature : features) {
            addFeature(data, feature, version);
        }
        return data;
    }

    private static void addFeature(ApiVersionsResponseData data, FeatureLevel feature, short version) {
        if (feature.minSupported() > 0 || version >= FIRST_WITH_FEATURES_FROM_ZERO) {
            data.supportedFeatures()
                    .add(new SupportedFeatureKey()
                            .setName(feature.name())
                            .setMinVersion(feature.minSupported())
                            .setMaxVersion(feature.maxSupported()));
        }
        if (feature.finalized() > 0) {
            data.finalizedFeatures()
                    .add(new FinalizedFeatureKey()
                            .setName(feature.name())
                            .setMinVersionLevel(feature.finalized())
                            .setMaxVersionLevel(feature.finalized()));
        }
    }
}
