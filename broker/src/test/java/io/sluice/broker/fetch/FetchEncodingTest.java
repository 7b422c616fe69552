package io.sluice.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.FileRegion;
import io.netty.util.ReferenceCounted;
import io.sluice.broker.simulation.InMemoryPartitionLogStore;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.storage.log.ReadResult;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.FetchRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers built around records are, byte for byte, what Kafka's own codec writes. */
class FetchEncodingTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(shorts = {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18})
    void memoryAndFilesAreEncodedAsKafkaDoes(short version) {
        for (FetchWorld world : List.of(new FetchWorld(), inFiles(version))) {
            fill(world);
            world.version = version;
            world.isolation = 1;
            RecordingCall<FetchRequest> call = world.send(everything(world));

            byte[] sent = FetchWorld.bytesOf(call.parts());
            call.parts().forEach(part -> ((ReferenceCounted) part).release());

            FetchResponseData decoded = new FetchResponseData(new ByteBufferAccessor(ByteBuffer.wrap(sent)), version);
            assertThat(FetchWorld.partitions(decoded)).hasSize(6);
            ByteBuffer reference =
                    MessageUtil.toByteBufferAccessor(decoded, version).buffer();
            byte[] expected = new byte[reference.remaining()];
            reference.get(expected);
            assertThat(sent).isEqualTo(expected);
            assertThat(world.logs.openSlices()).isZero();
        }
    }

    private FetchWorld inFiles(short version) {
        return new FetchWorld(new InMemoryPartitionLogStore(directory.resolve("v" + version)));
    }

    private static void fill(FetchWorld world) {
        world.createTopic("a", 3);
        world.createTopic("b", 2);
        world.append("a", 0, "x".repeat(10));
        world.append("a", 0, "y".repeat(70_000));
        world.append("a", 2, "z");
        world.append("b", 1, "w".repeat(300));
        world.log("b", 0).become(io.sluice.storage.log.LogState.RECOVERING);
        world.log("a", 2).setLastStableOffset(1, List.of(new ReadResult.AbortedTransaction(5, 0)));
    }

    private static FetchRequestData everything(FetchWorld world) {
        return world.request(
                world.topic("a", world.partition(0, 0), world.partition(1, 0), world.partition(2, 0)),
                world.topic("b", world.partition(0, 0), world.partition(1, 0), world.partition(7, 0)));
    }

    @Test
    void aSliceOfSeveralRegionsIsReleasedWithTheLastOfThem() {
        FetchWorld world = inFiles((short) 100);
        world.createTopic("a", 1);
        for (int i = 0; i < 4; i++) {
            world.append("a", 0, "v" + i);
        }
        RecordingCall<FetchRequest> call = world.send(world.request(world.topic("a", world.partition(0, 0))));
        List<FileRegion> regions = new ArrayList<>();
        for (Object part : call.parts()) {
            if (part instanceof FileRegion region) {
                regions.add(region);
            } else {
                ((ReferenceCounted) part).release();
            }
        }

        assertThat(regions).hasSize(4);
        for (FileRegion region : regions) {
            assertThat(world.logs.openSlices()).isEqualTo(1);
            region.release();
        }
        assertThat(world.logs.openSlices()).isZero();
    }
}
