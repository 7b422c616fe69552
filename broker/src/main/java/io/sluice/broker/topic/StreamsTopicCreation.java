package io.sluice.broker.topic;

import io.sluice.base.config.ConfigValues;
import io.sluice.base.metadata.TopicNames;
import io.sluice.base.time.Clock;
import io.sluice.base.time.OncePerInterval;
import io.sluice.broker.directory.TopicErrors;
import io.sluice.storage.metadata.NewTopic;
import io.sluice.storage.metadata.TopicCreator;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.requests.ApiError;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Creates the internal topics of streams groups (KIP-1071): repartition and changelog topics, which the coordinator finds missing
 * when members send their topology. Each name once at a time; one that could not be created is left alone for a while, in which
 * members are told why, and the node's log. Safe on every thread; nothing blocks.
 */
public final class StreamsTopicCreation {
    private static final Logger LOG = LoggerFactory.getLogger(StreamsTopicCreation.class);
    static final int MAX_FAILURES = 1_000;
    private static final int MAX_TEXT = 300;
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final TopicCreator creator;
    private final Supplier<ConfigValues> config;
    private final Clock clock;
    private final OncePerInterval linesOfMore;
    private final OncePerInterval linesOfRefusals;
    private final TopicsUnderWay underWay = new TopicsUnderWay();
    /** The oldest first. Guarded by itself. */
    private final Map<String, Failure> failures = new LinkedHashMap<>();

    private record Failure(String message, long untilNanos) {}

    /**
     * Creates through the creator.
     *
     * @param config the node's settings as they stand
     */
    public StreamsTopicCreation(TopicCreator creator, Supplier<ConfigValues> config, Clock clock) {
        this.creator = creator;
        this.config = config;
        this.clock = clock;
        this.linesOfMore = new OncePerInterval(LINE_NANOS, clock.nanoTime());
        this.linesOfRefusals = new OncePerInterval(LINE_NANOS, clock.nanoTime());
    }

    /**
     * Begins to create those that are not being created and have not failed of late; of very many at a time only the first
     * {@value TopicsUnderWay#MOST}, the others when they are asked for again.
     *
     * @param backOffNanos how long one that fails is left alone
     */
    public void begin(Collection<CreatableTopic> topics, long backOffNanos) {
        ConfigValues settings = config.get();
        for (CreatableTopic topic : topics) {
            if (underWay.hasRoom() && failure(topic.name()) == null) {
                create(topic, settings, backOffNanos);
            }
        }
    }

    /** Why topics could not be created, by name, as long as they are left alone. */
    public Map<String, String> failures(Collection<String> names) {
        Map<String, String> found = new LinkedHashMap<>();
        for (String name : names) {
            String message = failure(name);
            if (message != null) {
                found.put(name, message);
            }
        }
        return found;
    }

    private void create(CreatableTopic requested, ConfigValues settings, long backOffNanos) {
        String name = requested.name();
        String fault = TopicNames.fault(name);
        TopicRequest request = TopicRequest.read(requested, settings, Set.of());
        NewTopic topic = request.topic();
        if (fault != null || topic == null) {
            String why = fault != null ? fault : text(Objects.requireNonNull(request.error()));
            onFailed(name, Level.INFO, why, backOffNanos);
            return;
        }
        underWay.begin(name, () -> creator.create(topic), (refused, cause) -> {
            if (refused != null) {
                onFailed(name, Level.INFO, text(TopicErrors.of(refused)), backOffNanos);
            } else {
                onFailed(name, Level.WARN, text(TopicErrors.of(Objects.requireNonNull(cause))), backOffNanos);
            }
        });
    }

    private static String text(ApiError error) {
        return error.messageWithFallback();
    }

    private static String shortened(String text) {
        return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) + "…" : text;
    }

    private void onFailed(String name, Level level, String message, long backOffNanos) {
        String text = shortened(message);
        boolean isFull = remember(name, new Failure(text, clock.nanoTime() + backOffNanos));
        log(name, level, text, isFull);
    }

    /** Whether another had to be forgotten for it. */
    private boolean remember(String name, Failure failure) {
        synchronized (failures) {
            failures.remove(name);
            long now = clock.nanoTime();
            if (failures.size() >= MAX_FAILURES) {
                failures.values().removeIf(old -> now - old.untilNanos() >= 0);
            }
            boolean isFull = failures.size() >= MAX_FAILURES;
            if (isFull) {
                failures.remove(failures.keySet().iterator().next());
            }
            failures.put(name, failure);
            return isFull;
        }
    }

    /**
     * Warns of what failed: a name that is left alone fails no more for a while, and where there are too many for that, time bounds
     * the lines. What was refused is for those to mend who asked for it, and is told now and then.
     */
    private void log(String name, Level level, String reason, boolean isOneOfMore) {
        long now = clock.nanoTime();
        long left;
        if (level == Level.INFO) {
            left = linesOfRefusals.permit(now);
        } else {
            left = isOneOfMore ? linesOfMore.permit(now) : 0;
        }
        if (left == OncePerInterval.KEPT_BACK) {
            return;
        }
        LoggingEventBuilder event = LOG.atLevel(level)
                .setMessage("Cannot create an internal topic of a streams group")
                .addKeyValue("topic", shortened(name))
                .addKeyValue("reason", reason);
        event = left == 0 ? event : event.addKeyValue("alsoSinceLastLine", left);
        event.log();
    }

    private @Nullable String failure(String name) {
        synchronized (failures) {
            Failure failure = failures.get(name);
            if (failure != null && clock.nanoTime() - failure.untilNanos() >= 0) {
                failures.remove(name);
                return null;
            }
            return failure == null ? null : failure.message();
        }
    }
}
