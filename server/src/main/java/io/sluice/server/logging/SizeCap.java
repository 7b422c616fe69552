package io.sluice.server.logging;

import ch.qos.logback.core.rolling.TriggeringPolicyBase;
import java.io.File;

/** Sets a log file aside as soon as it is full; logback's own policy looks once a minute only. */
final class SizeCap<E> extends TriggeringPolicyBase<E> {
    private final long maxBytes;

    SizeCap(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    @Override
    public boolean isTriggeringEvent(File active, E event) {
        return active.length() >= maxBytes;
    }
}
