package io.sluice.broker.produce;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SimulatedTime;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.broker.simulation.InMemoryPartitionLog;
import io.sluice.broker.simulation.InMemoryPartitionLogStore;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.broker.simulation.RecordingConnection;
import io.sluice.broker.simulation.SimulatedCluster;
import io.sluice.coordinator.transaction.ScriptedTransactions;
import io.sluice.storage.config.TopicDefaults;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.jspecify.annotations.Nullable;

/** A produce handler and its surroundings. Requests go through Kafka's codec, as they do on the wire. */
final class ProduceWorld {
    static final long START_MILLIS = 1_700_000_000_000L;
    static final int TIMEOUT_MILLIS = 30_000;

    final InMemoryPartitionLogStore logs = new InMemoryPartitionLogStore();
    final SimulatedCluster cluster = new SimulatedCluster(logs);
    final SimulatedTime time = new SimulatedTime(START_MILLIS);
    final Metrics metrics = new Metrics();
    final ServedTopics topics = new ServedTopics(cluster, () -> TopicDefaults.NONE, metrics);
    final ScriptedTransactions transactions = new ScriptedTransactions();
    final ProduceHandler handler = new ProduceHandler(
            topics,
            new ProduceHandler.Target(logs, cluster, transactions),
            time,
            time,
            UnpooledByteBufAllocator.DEFAULT,
            metrics);
    final RecordingConnection connection = new RecordingConnection(1);

    short version = 9;
    short acks = -1;
    int timeoutMillis = TIMEOUT_MILLIS;
    String clientId = "test-client";

    @Nullable String transactionalId;

    TopicImage createTopic(String name, String... configs) {
        Map<String, String> map = new java.util.HashMap<>();
        for (int i = 0; i < configs.length; i += 2) {
            map.put(configs[i], configs[i + 1]);
        }
        return cluster.createTopic(name, 2, map);
    }

    InMemoryPartitionLog log(String topic, int partition) {
        TopicImage image = cluster.current().topic(topic);
        if (image == null) {
            throw new AssertionError("no topic " + topic);
        }
        return logs.log(image.partitionId(partition));
    }

    /** Starts a call for one partition of a topic. */
    RecordingCall<ProduceRequest> send(String topic, int partition, @Nullable BaseRecords records) {
        return send(new TopicProduceData().setName(topic), partition, records);
    }

    RecordingCall<ProduceRequest> send(Uuid topicId, int partition, @Nullable BaseRecords records) {
        return send(new TopicProduceData().setTopicId(topicId), partition, records);
    }

    private RecordingCall<ProduceRequest> send(TopicProduceData topic, int partition, @Nullable BaseRecords records) {
        topic.partitionData().add(new PartitionProduceData().setIndex(partition).setRecords(records));
        ProduceRequestData data = new ProduceRequestData();
        data.topicData().add(topic);
        return send(data);
    }

    RecordingCall<ProduceRequest> send(ProduceRequestData data) {
        data.setAcks(acks).setTimeoutMs(timeoutMillis).setTransactionalId(transactionalId);
        RecordingCall<ProduceRequest> call =
                new RecordingCall<>(overTheWire(data, version), connection, time.nanoTime(), clientId);
        handler.handle(call);
        return call;
    }

    static ProduceRequest overTheWire(ProduceRequestData data, short version) {
        ByteBufferAccessor wire = MessageUtil.toByteBufferAccessor(data, version);
        return new ProduceRequest(new ProduceRequestData(wire, version), version);
    }

    /** The answer for one partition of one topic, which must have been given. */
    PartitionProduceResponse answer(RecordingCall<ProduceRequest> call) {
        ProduceResponse response = (ProduceResponse) call.response();
        return response.data()
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0);
    }

    /** Sends to partition 0 of a topic; gives the answer, which must come at once. */
    PartitionProduceResponse produce(String topic, @Nullable BaseRecords records) {
        return answer(send(topic, 0, records));
    }
}
