package io.sluice.broker.fetch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.FileRegion;
import io.netty.util.ReferenceCounted;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SimulatedTime;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.broker.simulation.Batches;
import io.sluice.broker.simulation.InMemoryPartitionLog;
import io.sluice.broker.simulation.InMemoryPartitionLogStore;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.broker.simulation.RecordingConnection;
import io.sluice.broker.simulation.SimulatedCluster;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.log.AppendOrigin;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;

/** A fetch handler and its surroundings. Requests and answers go through Kafka's codec, as they do on the wire. */
final class FetchWorld {
    static final long START_MILLIS = 1_700_000_000_000L;
    static final int SLOTS = 3;

    final InMemoryPartitionLogStore logs;
    final SimulatedCluster cluster;
    final SimulatedTime time = new SimulatedTime(START_MILLIS);
    final Metrics metrics = new Metrics();
    final FetchHandler handler;
    final AtomicInteger sessionIds = new AtomicInteger(100);
    RecordingConnection connection = new RecordingConnection(1);

    short version = 12;
    int maxWaitMillis = 500;
    int minBytes = 1;
    int maxBytes = 1 << 20;
    int partitionMaxBytes = 1 << 20;
    byte isolation;
    int responseMemory = Integer.MAX_VALUE;

    FetchWorld() {
        this(new InMemoryPartitionLogStore());
    }

    FetchWorld(InMemoryPartitionLogStore logs) {
        this.logs = logs;
        cluster = new SimulatedCluster(logs);
        ServedTopics topics = new ServedTopics(cluster, () -> TopicDefaults.NONE, metrics);
        handler = new FetchHandler(
                topics,
                logs,
                cluster,
                new FetchHandler.Time(time, time),
                new FetchHandler.Limits(8 << 20, SLOTS, sessionIds::incrementAndGet),
                UnpooledByteBufAllocator.DEFAULT::directBuffer,
                metrics);
    }

    TopicImage createTopic(String name, int partitions, String... configs) {
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i < configs.length; i += 2) {
            map.put(configs[i], configs[i + 1]);
        }
        return cluster.createTopic(name, partitions, map);
    }

    InMemoryPartitionLog log(String topic, int partition) {
        TopicImage image = cluster.current().topic(topic);
        if (image == null) {
            throw new AssertionError("no topic " + topic);
        }
        return logs.log(image.partitionId(partition));
    }

    Uuid idOf(String topic) {
        TopicImage image = cluster.current().topic(topic);
        if (image == null) {
            throw new AssertionError("no topic " + topic);
        }
        return new Uuid(image.id().mostSignificantBits(), image.id().leastSignificantBits());
    }

    /** Appends one batch with these values. */
    void append(String topic, int partition, String... values) {
        append(topic, partition, Batches.of(START_MILLIS, values));
    }

    void append(String topic, int partition, MemoryRecords records) {
        InMemoryPartitionLog log = log(topic, partition);
        log.append(Unpooled.copiedBuffer(records.buffer()), log.leaderEpoch(), AppendOrigin.COORDINATOR);
    }

    void advanceMillis(long millis) {
        time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    // ---- Requests

    FetchRequestData.FetchPartition partition(int number, long offset) {
        return new FetchRequestData.FetchPartition()
                .setPartition(number)
                .setFetchOffset(offset)
                .setPartitionMaxBytes(partitionMaxBytes);
    }

    FetchRequestData.FetchTopic topic(String name, FetchRequestData.FetchPartition... partitions) {
        FetchRequestData.FetchTopic topic = new FetchRequestData.FetchTopic().setPartitions(List.of(partitions));
        return version >= 13 ? topic.setTopicId(idOf(name)) : topic.setTopic(name);
    }

    /** A request without a session. */
    FetchRequestData request(FetchRequestData.FetchTopic... topics) {
        return new FetchRequestData().setSessionEpoch(-1).setTopics(List.of(topics));
    }

    /** A request within a session, or for a new one. */
    FetchRequestData inSession(int id, int epoch, FetchRequestData.FetchTopic... topics) {
        return new FetchRequestData().setSessionId(id).setSessionEpoch(epoch).setTopics(List.of(topics));
    }

    RecordingCall<FetchRequest> send(FetchRequestData data) {
        data.setMaxWaitMs(maxWaitMillis)
                .setMinBytes(minBytes)
                .setMaxBytes(maxBytes)
                .setIsolationLevel(isolation);
        ByteBufferAccessor wire = MessageUtil.toByteBufferAccessor(data, version);
        FetchRequest request = new FetchRequest(new FetchRequestData(wire, version), version);
        RecordingCall<FetchRequest> call =
                new RecordingCall<>(request, connection, time.nanoTime()).withResponseMemory(responseMemory);
        handler.handle(call);
        return call;
    }

    // ---- Answers

    /** Sends, and decodes the answer, which must come at once. */
    FetchResponseData fetch(FetchRequestData data) {
        return answer(send(data));
    }

    /** The answer as a client decodes it. Releases what was sent. */
    FetchResponseData answer(RecordingCall<FetchRequest> call) {
        if (!call.isAnsweredWithParts()) {
            return ((FetchResponse) call.response()).data();
        }
        byte[] bytes = bytesOf(call.parts());
        call.parts().forEach(part -> ((ReferenceCounted) part).release());
        return new FetchResponseData(
                new ByteBufferAccessor(ByteBuffer.wrap(bytes)), call.header().apiVersion());
    }

    static byte[] bytesOf(List<Object> parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        WritableByteChannel channel = Channels.newChannel(out);
        try {
            for (Object part : parts) {
                if (part instanceof ByteBuf buffer) {
                    buffer.getBytes(buffer.readerIndex(), out, buffer.readableBytes());
                } else {
                    FileRegion region = (FileRegion) part;
                    while (region.transferred() < region.count()) {
                        region.transferTo(channel, region.transferred());
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    static FetchResponseData.PartitionData only(FetchResponseData response) {
        List<FetchResponseData.PartitionData> all = partitions(response);
        if (all.size() != 1) {
            throw new AssertionError("expected one partition: " + response);
        }
        return all.get(0);
    }

    static List<FetchResponseData.PartitionData> partitions(FetchResponseData response) {
        return response.responses().stream()
                .flatMap(topic -> topic.partitions().stream())
                .toList();
    }

    /** The values of the records, as text. */
    static List<String> values(FetchResponseData.PartitionData partition) {
        java.util.ArrayList<String> values = new java.util.ArrayList<>();
        ((MemoryRecords) partition.records())
                .records()
                .forEach(record -> values.add(java.nio.charset.StandardCharsets.UTF_8
                        .decode(record.value())
                        .toString()));
        return values;
    }
}
