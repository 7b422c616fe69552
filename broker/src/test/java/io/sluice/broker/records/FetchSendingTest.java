package io.sluice.broker.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SystemClock;
import io.sluice.base.time.SystemScheduler;
import io.sluice.broker.fetch.FetchHandler;
import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.fixture.RawClient;
import io.sluice.broker.net.Transport;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.broker.simulation.Batches;
import io.sluice.broker.simulation.InMemoryPartitionLogStore;
import io.sluice.broker.simulation.SimulatedCluster;
import io.sluice.protocol.record.CompressionCodec;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.log.AppendOrigin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Records on their way through sockets: from memory and from files, over both transports, taken or not. */
class FetchSendingTest {
    private static final short VERSION = 12;
    private static final int BATCHES = 8;
    private static final int VALUE_BYTES = 900_000;
    private static final long MEMORY_BYTES = 512L << 20;

    @TempDir
    Path directory;

    private final SystemScheduler scheduler =
            new SystemScheduler(SystemClock.INSTANCE, task -> new Thread(task, "fetch-sending-timer"));

    @AfterEach
    void stop() {
        scheduler.close();
    }

    @ParameterizedTest
    @CsvSource({"true,EPOLL", "true,NIO", "false,EPOLL", "false,NIO"})
    void everythingArrivesWhole(boolean inFiles, Transport transport) throws IOException {
        InMemoryPartitionLogStore logs = new InMemoryPartitionLogStore(inFiles ? directory : null);
        try (BrokerFixture broker = start(logs, transport);
                RawClient client = broker.connect()) {
            for (int round = 0; round < 3; round++) {
                FetchResponse response = client.call(request(), FetchResponse.class);
                MemoryRecords records = (MemoryRecords)
                        response.data().responses().get(0).partitions().get(0).records();
                int offset = 0;
                for (var batch : records.batches()) {
                    batch.ensureValid();
                    assertThat(batch.baseOffset()).isEqualTo(offset++);
                }
                assertThat(offset).isEqualTo(BATCHES);
            }
        }
        assertThat(logs.openSlices()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"true,EPOLL", "true,NIO", "false,EPOLL", "false,NIO"})
    void whatAClientDoesNotTakeIsGivenBackWhenItGoes(boolean inFiles, Transport transport) throws IOException {
        InMemoryPartitionLogStore logs = new InMemoryPartitionLogStore(inFiles ? directory : null);
        try (BrokerFixture broker = start(logs, transport)) {
            for (int i = 0; i < 5; i++) {
                try (RawClient client = new RawClient(broker.port(), "slow", 16 << 10)) {
                    client.send(request());
                    client.readBytes(1_000);
                }
            }
        }
        assertThat(logs.openSlices()).isZero();
    }

    private BrokerFixture start(InMemoryPartitionLogStore logs, Transport transport) {
        SimulatedCluster cluster = new SimulatedCluster(logs);
        TopicImage topic = cluster.createTopic("t", 1, Map.of());
        for (int i = 0; i < BATCHES; i++) {
            MemoryRecords batch =
                    Batches.batch(CompressionCodec.NONE, builder -> builder.append(1, null, new byte[VALUE_BYTES]));
            logs.log(topic.partitionId(0)).append(Unpooled.copiedBuffer(batch.buffer()), 0, AppendOrigin.COORDINATOR);
        }
        Metrics metrics = new Metrics();
        FetchHandler handler = new FetchHandler(
                new ServedTopics(cluster, () -> TopicDefaults.NONE, metrics),
                logs,
                cluster,
                new FetchHandler.Time(SystemClock.INSTANCE, scheduler),
                new FetchHandler.Limits(50 << 20, 10, () -> 7),
                Unpooled::directBuffer,
                metrics);
        return BrokerFixture.options().transport(transport).memory(MEMORY_BYTES).start(handler);
    }

    private static FetchRequest request() {
        FetchRequestData data = new FetchRequestData()
                .setMaxWaitMs(500)
                .setMinBytes(1)
                .setMaxBytes(50 << 20)
                .setSessionEpoch(-1)
                .setTopics(List.of(new FetchRequestData.FetchTopic()
                        .setTopic("t")
                        .setPartitions(List.of(new FetchRequestData.FetchPartition()
                                .setPartition(0)
                                .setFetchOffset(0)
                                .setPartitionMaxBytes(50 << 20)))));
        return new FetchRequest(data, VERSION);
    }
}
