package io.sluice.broker.handshake;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.message.UpdateFeaturesRequestData.FeatureUpdateKey;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;
import org.apache.kafka.common.message.UpdateFeaturesResponseData.UpdatableFeatureResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.UpdateFeaturesRequest;
import org.apache.kafka.common.requests.UpdateFeaturesResponse;

/**
 * UpdateFeatures (KIP-584): the levels of features come with this version of the product, so that the level in force is the only
 * one that can be set.
 */
public final class UpdateFeaturesHandler implements ApiHandler<UpdateFeaturesRequest> {
    private static final short FIRST_WITHOUT_RESULTS = 2;

    private final List<FeatureLevel> features;

    /** Knows these features. */
    public UpdateFeaturesHandler(List<FeatureLevel> features) {
        this.features = List.copyOf(features);
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.UPDATE_FEATURES;
    }

    /** One error stands for all updates, none of which is made then, and there are no results beside it. */
    @Override
    public void handle(Call<UpdateFeaturesRequest> call) {
        List<UpdatableFeatureResult> results = new ArrayList<>();
        for (FeatureUpdateKey update : call.request().data().featureUpdates()) {
            results.add(update(update));
        }
        UpdateFeaturesResponseData response = new UpdateFeaturesResponseData().setErrorMessage("");
        Optional<UpdatableFeatureResult> failed = results.stream()
                .filter(result -> result.errorCode() != Errors.NONE.code())
                .findFirst();
        if (failed.isPresent()) {
            response.setErrorCode(failed.get().errorCode())
                    .setErrorMessage(failed.get().errorMessage());
        } else if (call.header().apiVersion() < FIRST_WITHOUT_RESULTS) {
            results.forEach(response.results()::add);
        }
        call.respond(new UpdateFeaturesResponse(response));
    }

    private UpdatableFeatureResult update(FeatureUpdateKey update) {
        UpdatableFeatureResult result =
                new UpdatableFeatureResult().setFeature(update.feature()).setErrorMessage("");
        Optional<FeatureLevel> known = features.stream()
                .filter(feature -> feature.name().equals(update.feature()))
                .findFirst();
        if (known.isPresent() && known.get().finalized() == update.maxVersionLevel()) {
            return result;
        }
        String why = known.map(feature -> "the level of " + feature.name() + " is " + feature.finalized()
                        + " in this version of Sluice and cannot be changed to " + update.maxVersionLevel())
                .orElseGet(() -> "there is no feature " + update.feature() + "; there are "
                        + features.stream().map(FeatureLevel::name).toList());
        return result.setErrorCode(Errors.INVALID_UPDATE_VERSION.code()).setErrorMessage(why);
    }
}
