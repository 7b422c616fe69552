package io.sluice.broker.topic;

import io.sluice.storage.metadata.TopicOutcome.Reason;
import io.sluice.storage.metadata.TopicOutcome.Refused;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Topics that are being created without anybody waiting for them: each name once at a time, and {@value #MOST} at a time; whoever
 * wants more asks again. Safe on every thread; nothing blocks.
 */
final class TopicsUnderWay {
    static final int MOST = 10_000;

    private final Set<String> names = ConcurrentHashMap.newKeySet();

    /** Hears that a topic could not be created. Exactly one of the two is null. On whatever thread it happens. */
    @FunctionalInterface
    interface FailureListener {
        void onFailed(@Nullable Refused refused, @Nullable Throwable cause);
    }

    /** Whether one more may be begun. */
    boolean hasRoom() {
        return names.size() < MOST;
    }

    /**
     * Begins to create one, unless it is being created or there are as many as may be.
     *
     * @param creation begins; that the topic is there already is as good as its creation
     * @param listener hears of a failure before the name may be begun again
     */
    void begin(String name, Supplier<? extends CompletionStage<?>> creation, FailureListener listener) {
        if (hasRoom() && names.add(name)) {
            creation.get().whenComplete((outcome, cause) -> {
                Refused refused = outcome instanceof Refused told && told.reason() != Reason.EXISTS ? told : null;
                if (cause != null || refused != null) {
                    listener.onFailed(refused, cause);
                }
                names.remove(name);
            });
        }
    }
}
