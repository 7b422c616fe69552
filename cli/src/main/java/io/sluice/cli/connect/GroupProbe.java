package io.sluice.cli.connect;

import io.sluice.base.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Asks once whether the state of groups can be read. Kafka's clients try again and again where it cannot, and say in the end
 * that nobody answers; and a list of groups leaves out those whose partition could not be loaded, without a word. For one
 * thread.
 *
 * @param addresses of nodes, of which one is asked where groups are kept
 * @param timeout for all that is asked
 */
public record GroupProbe(List<HostAndPort> addresses, Duration timeout, Clock clock) {
    private static final short METADATA_VERSION = 8;
    /** The first that takes many keys. */
    private static final short FIND_COORDINATOR_VERSION = 4;
    /** The first that takes many groups. */
    private static final short OFFSET_FETCH_VERSION = 8;

    /** What is answered about a group; empty where its state can be read, and where nothing was heard. */
    public Optional<GroupRefusal> ask(String group) {
        return ask(partitions -> Map.of(partitionOf(group, partitions), group)).stream()
                .findFirst();
    }

    /** What is answered about all groups, by partition of the topic they are kept in: those that cannot be read. */
    public List<GroupRefusal> askAll() {
        return ask(GroupProbe::anyGroups);
    }

    private interface Question {
        /** The group to ask about for a partition, given how many there are. */
        Map<Integer, String> groups(int partitions);
    }

    private List<GroupRefusal> ask(Question question) {
        long deadlineNanos = clock.nanoTime() + timeout.toNanos();
        for (HostAndPort address : addresses) {
            try (WireConnection connection = new WireConnection(clock, deadlineNanos)) {
                connection.connect(address.host(), address.port());
                return ask(connection, question, deadlineNanos);
            } catch (IOException e) {
                // Nothing was heard: the next one is asked. Of none it is said as without a probe.
            }
        }
        return List.of();
    }

    private List<GroupRefusal> ask(WireConnection connection, Question question, long deadlineNanos)
            throws IOException {
        int partitions = partitions(connection);
        if (partitions == 0) {
            return List.of(); // to ask for a coordinator would make the topic
        }
        Map<String, Integer> byGroup = new HashMap<>();
        question.groups(partitions).forEach((partition, group) -> byGroup.put(group, partition));
        Map<Integer, GroupRefusal> refused = new TreeMap<>();
        Map<HostAndPort, List<String>> byNode = new HashMap<>();
        for (FindCoordinatorResponseData.Coordinator found : coordinators(connection, byGroup)) {
            Errors error = Errors.forCode(found.errorCode());
            if (error == Errors.NONE) {
                byNode.computeIfAbsent(new HostAndPort(found.host(), found.port()), node -> new ArrayList<>())
                        .add(found.key());
            } else {
                refuse(refused, byGroup.get(found.key()), error);
            }
        }
        byNode.forEach((node, groups) -> {
            try (WireConnection asked = new WireConnection(clock, deadlineNanos)) {
                asked.connect(node.host(), node.port());
                fetch(asked, groups).forEach((group, error) -> refuse(refused, byGroup.get(group), error));
            } catch (IOException e) {
                // As above.
                return;
            }
        });
        return List.copyOf(refused.values());
    }

    private static void refuse(Map<Integer, GroupRefusal> refused, @Nullable Integer partition, Errors error) {
        if (partition != null) {
            refused.put(partition, new GroupRefusal(partition, error));
        }
    }

    /** How many the topic has that groups are kept in; 0 where there is none. */
    private static int partitions(WireConnection connection) throws IOException {
        MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(false);
        request.topics().add(new MetadataRequestData.MetadataRequestTopic().setName(Topic.GROUP_METADATA_TOPIC_NAME));
        MetadataResponseData response = new MetadataResponseData(
                new ByteBufferAccessor(connection.ask(ApiKeys.METADATA, METADATA_VERSION, request)), METADATA_VERSION);
        return response.topics().stream()
                .filter(topic -> topic.errorCode() == Errors.NONE.code())
                .mapToInt(topic -> topic.partitions().size())
                .sum();
    }

    private static List<FindCoordinatorResponseData.Coordinator> coordinators(
            WireConnection connection, Map<String, Integer> groups) throws IOException {
        FindCoordinatorRequestData request = new FindCoordinatorRequestData()
                .setKeyType(CoordinatorType.GROUP.id())
                .setCoordinatorKeys(List.copyOf(groups.keySet()));
        return new FindCoordinatorResponseData(
                        new ByteBufferAccessor(
                                connection.ask(ApiKeys.FIND_COORDINATOR, FIND_COORDINATOR_VERSION, request)),
                        FIND_COORDINATOR_VERSION)
                .coordinators();
    }

    /** A fetch of no offsets at all: the state is looked into, and nothing comes of it. */
    private static Map<String, Errors> fetch(WireConnection connection, List<String> groups) throws IOException {
        OffsetFetchRequestData request = new OffsetFetchRequestData();
        groups.forEach(group -> request.groups()
                .add(new OffsetFetchRequestData.OffsetFetchRequestGroup()
                        .setGroupId(group)
                        .setTopics(List.of())));
        OffsetFetchResponseData response = new OffsetFetchResponseData(
                new ByteBufferAccessor(connection.ask(ApiKeys.OFFSET_FETCH, OFFSET_FETCH_VERSION, request)),
                OFFSET_FETCH_VERSION);
        Map<String, Errors> refused = new HashMap<>();
        for (OffsetFetchResponseData.OffsetFetchResponseGroup group : response.groups()) {
            if (group.errorCode() != Errors.NONE.code()) {
                refused.put(group.groupId(), Errors.forCode(group.errorCode()));
            }
        }
        return refused;
    }

    /** For each partition a group that would be kept there. */
    private static Map<Integer, String> anyGroups(int partitions) {
        Map<Integer, String> groups = new HashMap<>();
        for (int number = 0; groups.size() < partitions; number++) {
            String group = "sluice-cli-" + number;
            groups.putIfAbsent(partitionOf(group, partitions), group);
        }
        return groups;
    }

    /** As Kafka's coordinators do it. */
    private static int partitionOf(String group, int partitions) {
        return Utils.abs(group.hashCode()) % partitions;
    }
}
