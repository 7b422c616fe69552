package io.sluice.broker.metadata;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.TopicImage;
import io.sluice.broker.directory.BrokerDirectory;
import io.sluice.protocol.frame.Placed;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.requests.MetadataRequest;
import org.jspecify.annotations.Nullable;

/**
 * Answers to "all topics", encoded once for each image and kind of request: with thousands of topics and many clients that
 * subscribe by pattern, building them again each time would cost more than everything else. The last few kinds are kept, as
 * long as nothing changes. Safe on every thread.
 */
final class AllTopicsAnswers {
    private static final int KINDS = 4;
    private static final int MAX_BYTES = 8 << 20;

    private final Map<Kind, byte[]> answers = new LinkedHashMap<>();
    private @Nullable ClusterImage image;
    private @Nullable List<BrokerDirectory.Broker> brokers;

    private record Kind(short version, String listenerName, int clusterOperations, int topicOperations) {}

    /** The encoded body of the answer. */
    ByteBuf encoded(MetadataView view, MetadataRequest request) {
        Kind kind = new Kind(
                request.version(),
                view.listenerName(),
                MetadataHandler.clusterOperations(request),
                MetadataHandler.topicOperations(request));
        byte[] known = find(view, kind);
        byte[] answer = known == null ? encode(view, kind) : known;
        if (known == null && answer.length <= MAX_BYTES) {
            keep(view, kind, answer);
        }
        return Unpooled.wrappedBuffer(answer);
    }

    private synchronized byte @Nullable [] find(MetadataView view, Kind kind) {
        return isOf(view) ? answers.get(kind) : null;
    }

    private synchronized void keep(MetadataView view, Kind kind, byte[] answer) {
        if (!isOf(view)) {
            if (image != null && image.version() > view.image().version()) {
                return;
            }
            answers.clear();
            image = view.image();
            brokers = view.brokers();
        }
        if (answers.size() >= KINDS) {
            answers.remove(answers.keySet().iterator().next());
        }
        answers.put(kind, answer);
    }

    private boolean isOf(MetadataView view) {
        return image == view.image() && brokers == view.brokers();
    }

    private static byte[] encode(MetadataView view, Kind kind) {
        MetadataResponseData data = view.start(kind.clusterOperations());
        for (TopicImage topic : view.image().topics()) {
            Placed.add(data.topics(), view.topic(topic, kind.topicOperations()));
        }
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer bytes = ByteBuffer.allocate(data.size(cache, kind.version()));
        data.write(new ByteBufferAccessor(bytes), cache, kind.version());
        return bytes.array();
    }
}
