package io.sluice.broker.metadata;

import io.sluice.base.id.PartitionId;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metadata.TopicNames;
import io.sluice.base.ownership.Ownership;
import io.sluice.broker.directory.BrokerDirectory;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.protocol.frame.Placed;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/** One image in the terms of a Metadata response, for one listener. */
record MetadataView(
        ClusterImage image, List<BrokerDirectory.Broker> brokers, Ownership ownership, String listenerName) {
    /** A response without topics. */
    MetadataResponseData start(int clusterOperations) {
        MetadataResponseData data = new MetadataResponseData()
                .setClusterId(image.clusterId())
                .setControllerId(ownership.localNodeId())
                .setClusterAuthorizedOperations(clusterOperations);
        for (BrokerDirectory.Broker broker : brokers) {
            BrokerDirectory.Address address = broker.addresses().get(listenerName);
            if (address != null) {
                data.brokers()
                        .add(new MetadataResponseBroker()
                                .setNodeId(broker.nodeId())
                                .setHost(address.host())
                                .setPort(address.port())
                                .setRack(broker.rack()));
            }
        }
        return data;
    }

    /** A topic that is there. */
    MetadataResponseTopic topic(TopicImage topic, int topicOperations) {
        List<MetadataResponsePartition> partitions =
                new ArrayList<>(topic.partitions().size());
        for (int i = 0; i < topic.partitions().size(); i++) {
            partitions.add(partition(topic.partitionId(i)));
        }
        return new Placed.TopicMetadata()
                .setName(topic.name())
                .setTopicId(KafkaIds.toUuid(topic.id()))
                .setIsInternal(TopicNames.isInternal(topic.name()))
                .setPartitions(partitions)
                .setTopicAuthorizedOperations(topicOperations);
    }

    private MetadataResponsePartition partition(PartitionId partition) {
        int owner = ownership.ownerOf(partition);
        boolean served = owner != Ownership.NOBODY;
        List<Integer> replicas = served ? List.of(owner) : List.of();
        return new MetadataResponsePartition()
                .setErrorCode((served ? Errors.NONE : Errors.LEADER_NOT_AVAILABLE).code())
                .setPartitionIndex(partition.partition())
                .setLeaderId(owner)
                .setLeaderEpoch(ownership.leaderEpochOf(partition))
                .setReplicaNodes(replicas)
                .setIsrNodes(replicas);
    }
}
