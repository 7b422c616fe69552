package io.sluice.broker.metadata;

import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.directory.BrokerDirectory;
import java.util.List;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.DescribeQuorumResponseData.Listener;
import org.apache.kafka.common.message.DescribeQuorumResponseData.ListenerCollection;
import org.apache.kafka.common.message.DescribeQuorumResponseData.Node;
import org.apache.kafka.common.message.DescribeQuorumResponseData.PartitionData;
import org.apache.kafka.common.message.DescribeQuorumResponseData.ReplicaState;
import org.apache.kafka.common.message.DescribeQuorumResponseData.TopicData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeQuorumRequest;
import org.apache.kafka.common.requests.DescribeQuorumResponse;

/**
 * DescribeQuorum (KIP-595, KIP-836), for Kafka's tools: the metadata is this node's own, so it is the only voter and leads. Its
 * offsets are versions of the metadata.
 */
public final class DescribeQuorumHandler implements ApiHandler<DescribeQuorumRequest> {
    private static final short FIRST_WITH_NODES = 2;
    private static final String METADATA_TOPIC = "__cluster_metadata";

    private final ClusterImageSource images;
    private final BrokerDirectory brokers;
    private final int nodeId;

    /** Describes this node. */
    public DescribeQuorumHandler(ClusterImageSource images, BrokerDirectory brokers, int nodeId) {
        this.images = images;
        this.brokers = brokers;
        this.nodeId = nodeId;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.DESCRIBE_QUORUM;
    }

    @Override
    public void handle(Call<DescribeQuorumRequest> call) {
        DescribeQuorumRequestData request = call.request().data();
        call.respond(new DescribeQuorumResponse(
                asksForMetadata(request)
                        ? describe(call.header().apiVersion())
                        : DescribeQuorumRequest.getPartitionLevelErrorResponse(
                                request, Errors.UNKNOWN_TOPIC_OR_PARTITION)));
    }

    private static boolean asksForMetadata(DescribeQuorumRequestData request) {
        return request.topics().size() == 1
                && request.topics().get(0).topicName().equals(METADATA_TOPIC)
                && request.topics().get(0).partitions().size() == 1
                && request.topics().get(0).partitions().get(0).partitionIndex() == 0;
    }

    private DescribeQuorumResponseData describe(short requestVersion) {
        long version = Math.max(0, images.current().version());
        PartitionData partition = new PartitionData()
                .setPartitionIndex(0)
                .setErrorMessage("")
                .setLeaderId(nodeId)
                .setHighWatermark(version)
                .setCurrentVoters(
                        List.of(new ReplicaState().setReplicaId(nodeId).setLogEndOffset(version)));
        DescribeQuorumResponseData response = new DescribeQuorumResponseData().setErrorMessage("");
        response.topics().add(new TopicData().setTopicName(METADATA_TOPIC).setPartitions(List.of(partition)));
        if (requestVersion >= FIRST_WITH_NODES) {
            brokers.brokers().stream()
                    .filter(broker -> broker.nodeId() == nodeId)
                    .forEach(broker -> response.nodes().add(node(broker)));
        }
        return response;
    }

    private static Node node(BrokerDirectory.Broker broker) {
        ListenerCollection listeners = new ListenerCollection();
        broker.addresses()
                .forEach((name, address) -> listeners.add(
                        new Listener().setName(name).setHost(address.host()).setPort(address.port())));
        return new Node().setNodeId(broker.nodeId()).setListeners(listeners);
    }
}
