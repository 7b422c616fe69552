package io.sluice.cli.record;

import io.sluice.base.error.UserException;
import org.jspecify.annotations.Nullable;

/** Counts how often it was ended; answers as told. */
final class RecordingMembership implements Membership {
    int ended;

    @Nullable String failure;

    @Nullable UserException refusal;

    @Override
    public @Nullable UserException refusal() {
        return refusal;
    }

    @Override
    public @Nullable String end() {
        ended++;
        return failure;
    }
}
