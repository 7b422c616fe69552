package io.sluice.broker.metadata;

import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metadata.TopicNames;
import io.sluice.base.ownership.Ownership;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.directory.BrokerDirectory;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.broker.topic.AutoTopicCreation;
import io.sluice.protocol.frame.Placed;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.jspecify.annotations.Nullable;

/**
 * Metadata: brokers, topics and who serves their partitions. A topic asked for by name that is not there is created where
 * the node and the request allow it; the answer still says that it is unknown, and the client asks again.
 */
public final class MetadataHandler implements ApiHandler<MetadataRequest> {
    private static final short TOPIC_IDS_SINCE = 12;
    private static final short OPERATIONS_SINCE = 8;
    private static final short CLUSTER_OPERATIONS_UNTIL = 10;

    private final ClusterImageSource images;
    private final Ownership ownership;
    private final BrokerDirectory brokers;
    private final AutoTopicCreation autoCreation;
    private final AllTopicsAnswers allTopics = new AllTopicsAnswers();

    /** Answers from the images. */
    public MetadataHandler(
            ClusterImageSource images, Ownership ownership, BrokerDirectory brokers, AutoTopicCreation autoCreation) {
        this.images = images;
        this.ownership = ownership;
        this.brokers = brokers;
        this.autoCreation = autoCreation;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.METADATA;
    }

    @Override
    public void handle(Call<MetadataRequest> call) {
        MetadataRequest request = call.request();
        MetadataView view = new MetadataView(
                images.current(),
                brokers.brokers(),
                ownership,
                call.connection().listenerName());
        if (request.isAllTopics()) {
            call.respondEncoded(List.of(allTopics.encoded(view, request)));
            return;
        }
        if (isInvalid(request)) {
            call.respond(refused(request));
            return;
        }
        MetadataResponseData data = view.start(clusterOperations(request));
        addTopics(view, request, data);
        call.respond(new MetadataResponse(data, request.version()));
    }

    private void addTopics(MetadataView view, MetadataRequest request, MetadataResponseData data) {
        Set<Uuid> ids = new LinkedHashSet<>(request.topicIds());
        ids.remove(Uuid.ZERO_UUID);
        if (ids.isEmpty()) {
            for (String name : new LinkedHashSet<>(request.topics())) {
                Placed.add(
                        data.topics(),
                        name == null
                                ? unknown(Errors.UNKNOWN_TOPIC_ID, null, TopicId.ZERO)
                                : topic(view, request, name));
            }
            return;
        }
        for (Uuid id : ids) {
            Placed.add(data.topics(), topic(view, request, id));
        }
    }

    private MetadataResponseTopic topic(MetadataView view, MetadataRequest request, Uuid id) {
        TopicImage topic = view.image().topic(KafkaIds.toTopicId(id));
        return topic == null
                ? unknown(Errors.UNKNOWN_TOPIC_ID, null, KafkaIds.toTopicId(id))
                : view.topic(topic, topicOperations(request));
    }

    private MetadataResponseTopic topic(MetadataView view, MetadataRequest request, String name) {
        TopicImage topic = view.image().topic(name);
        if (topic != null) {
            return view.topic(topic, topicOperations(request));
        }
        if (TopicNames.fault(name) != null) {
            return unknown(Errors.INVALID_TOPIC_EXCEPTION, name, TopicId.ZERO);
        }
        Errors error = request.allowAutoTopicCreation() ? autoCreation.begin(name) : Errors.UNKNOWN_TOPIC_OR_PARTITION;
        return unknown(error, name, TopicId.ZERO);
    }

    private static MetadataResponseTopic unknown(Errors error, @Nullable String name, TopicId id) {
        return new Placed.TopicMetadata()
                .setErrorCode(error.code())
                .setName(name)
                .setTopicId(KafkaIds.toUuid(id))
                .setIsInternal(name != null && TopicNames.isInternal(name));
    }

    /** Says of every topic that the request is invalid. */
    private static MetadataResponse refused(MetadataRequest request) {
        MetadataResponseData data = new MetadataResponseData().setErrorCode(Errors.INVALID_REQUEST.code());
        for (MetadataRequestTopic topic : request.data().topics()) {
            String name = topic.name() == null ? "" : topic.name();
            Placed.add(
                    data.topics(),
                    new Placed.TopicMetadata()
                            .setErrorCode(Errors.INVALID_REQUEST.code())
                            .setName(name)
                            .setTopicId(topic.topicId()));
        }
        return new MetadataResponse(data, request.version());
    }

    private static boolean isInvalid(MetadataRequest request) {
        if (request.version() >= TOPIC_IDS_SINCE) {
            return false;
        }
        for (MetadataRequestTopic topic : request.data().topics()) {
            if (topic.name() == null || !topic.topicId().equals(Uuid.ZERO_UUID)) {
                return true;
            }
        }
        return false;
    }

    static int clusterOperations(MetadataRequest request) {
        boolean asked = request.version() >= OPERATIONS_SINCE
                && request.version() <= CLUSTER_OPERATIONS_UNTIL
                && request.data().includeClusterAuthorizedOperations();
        return asked ? AuthorizedOperations.CLUSTER : AuthorizedOperations.OMITTED;
    }

    static int topicOperations(MetadataRequest request) {
        boolean asked = request.version() >= OPERATIONS_SINCE && request.data().includeTopicAuthorizedOperations();
        return asked ? AuthorizedOperations.TOPIC : AuthorizedOperations.OMITTED;
    }
}
