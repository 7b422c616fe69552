package io.sluice.cli.record;

import io.sluice.base.time.Clock;
import io.sluice.cli.connect.WireConnection;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.jspecify.annotations.Nullable;

/**
 * Asks nodes once what they answer to a fetch. Kafka's consumer tries again for ever, and says nothing, where the answer is
 * one of the errors that may go away, as KAFKA_STORAGE_ERROR.
 */
final class FetchProbe implements ReadProbe {
    /** The last version that names topics instead of giving their ids. */
    private static final short VERSION = 12;

    /** A question of so many is taken by the buffers of a connection whose other end reads nothing. */
    private static final int MAX_PARTITIONS = 1_000;

    private final Duration timeout;
    private final Clock clock;
    private volatile boolean stopped;
    private volatile @Nullable WireConnection asking;

    /**
     * A probe.
     *
     * @param timeout for all nodes that are asked at a time
     */
    FetchProbe(Duration timeout, Clock clock) {
        this.timeout = timeout;
        this.clock = clock;
    }

    @Override
    public Map<TopicPartition, Errors> ask(Map<Node, Map<TopicPartition, Long>> offsets) {
        long deadlineNanos = clock.nanoTime() + timeout.toNanos();
        Map<TopicPartition, Errors> refused = new HashMap<>();
        offsets.forEach((node, ofNode) -> {
            try {
                ask(node, ofNode, deadlineNanos, refused);
            } catch (IOException e) {
                // Nothing was heard, which is what is said without a probe as well. Behind the deadline nobody is
                // asked.
            }
        });
        return refused;
    }

    private void ask(
            Node node, Map<TopicPartition, Long> offsets, long deadlineNanos, Map<TopicPartition, Errors> refused)
            throws IOException {
        try (WireConnection connection = new WireConnection(clock, deadlineNanos)) {
            asking = connection;
            if (stopped) {
                throw new SocketException("stopped");
            }
            connection.connect(node.host(), node.port());
            List<TopicPartition> partitions = new ArrayList<>(offsets.keySet());
            for (int from = 0; from < partitions.size(); from += MAX_PARTITIONS) {
                Map<TopicPartition, FetchRequest.PartitionData> asked = new LinkedHashMap<>();
                for (TopicPartition partition :
                        partitions.subList(from, Math.min(from + MAX_PARTITIONS, partitions.size()))) {
                    asked.put(partition, from(offsets.getOrDefault(partition, 0L)));
                }
                ask(connection, asked, refused);
            }
        } finally {
            asking = null;
        }
    }

    private static FetchRequest.PartitionData from(long offset) {
        return new FetchRequest.PartitionData(Uuid.ZERO_UUID, offset, -1, 1, Optional.empty());
    }

    private static void ask(
            WireConnection connection,
            Map<TopicPartition, FetchRequest.PartitionData> asked,
            Map<TopicPartition, Errors> refused)
            throws IOException {
        FetchRequest request =
                FetchRequest.Builder.forConsumer(VERSION, 0, 0, asked).build(VERSION);
        FetchResponse response = FetchResponse.parse(
                new ByteBufferAccessor(connection.ask(ApiKeys.FETCH, VERSION, request.data())), VERSION);
        if (response.error() != Errors.NONE) {
            asked.keySet().forEach(partition -> refused.put(partition, response.error()));
        }
        for (FetchResponseData.FetchableTopicResponse topic : response.data().responses()) {
            for (FetchResponseData.PartitionData partition : topic.partitions()) {
                if (partition.errorCode() != Errors.NONE.code()) {
                    refused.put(
                            new TopicPartition(topic.topic(), partition.partitionIndex()),
                            Errors.forCode(partition.errorCode()));
                }
            }
        }
    }

    @Override
    public void stop() {
        stopped = true;
        WireConnection connection = asking;
        if (connection != null) {
            try {
                connection.close();
            } catch (IOException e) {
                // It is given up either way.
                return;
            }
        }
    }
}
