package io.sluice.protocol.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.IncrementalAlterConfigsRequest;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestDecoderTest {
    private static ByteBuffer metadata(int version, int topics) {
        MetadataRequestData data = new MetadataRequestData();
        for (int i = 0; i < topics; i++) {
            data.topics().add(new MetadataRequestTopic().setName("topic" + i));
        }
        return new MetadataRequest(data, (short) version)
                .serializeWithHeader(new RequestHeader(ApiKeys.METADATA, (short) version, "client", 42));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 8, 9, 13})
    void readsHeaderAndBodyInEveryHeaderVersion(int version) throws MalformedRequestException {
        DecodedRequest decoded = RequestDecoder.decode(metadata(version, 2), ApiKeys.METADATA, (short) version);
        assertThat(decoded.header().correlationId()).isEqualTo(42);
        assertThat(decoded.header().clientId()).isEqualTo("client");
        assertThat(((MetadataRequest) decoded.body()).topics()).containsExactly("topic0", "topic1");
    }

    @Test
    void readsAMissingClientIdAsEmpty() throws MalformedRequestException {
        ByteBuffer frame = new ApiVersionsRequest.Builder((short) 0)
                .build()
                .serializeWithHeader(new RequestHeader(ApiKeys.API_VERSIONS, (short) 0, null, 1));
        assertThat(RequestDecoder.decode(frame, ApiKeys.API_VERSIONS, (short) 0)
                        .header()
                        .clientId())
                .isEmpty();
    }

    @Test
    void givesRecordsAsSlicesOfTheFrame() throws MalformedRequestException {
        ProduceRequestData data = new ProduceRequestData().setAcks((short) 1);
        data.topicData()
                .add(new TopicProduceData()
                        .setName("t")
                        .setPartitionData(List.of(new PartitionProduceData()
                                .setRecords(MemoryRecords.withRecords(
                                        Compression.NONE, new SimpleRecord(new byte[100]))))));
        ByteBuffer frame = new ProduceRequest(data, (short) 9)
                .serializeWithHeader(new RequestHeader(ApiKeys.PRODUCE, (short) 9, "c", 1));
        DecodedRequest decoded = RequestDecoder.decode(frame, ApiKeys.PRODUCE, (short) 9);
        MemoryRecords records = (MemoryRecords) ((ProduceRequest) decoded.body())
                .data()
                .topicData()
                .iterator()
                .next()
                .partitionData()
                .get(0)
                .records();
        int last = frame.limit() - 10;
        byte before = records.buffer().get(records.sizeInBytes() - 7);
        frame.put(last, (byte) (frame.get(last) + 1));
        assertThat(records.buffer().get(records.sizeInBytes() - 7)).isEqualTo((byte) (before + 1));
    }

    @Test
    void refusesEveryTruncation() {
        ByteBuffer whole = metadata(9, 3);
        for (int length = 0; length < whole.limit(); length++) {
            ByteBuffer cut = whole.duplicate().limit(length);
            assertThatThrownBy(() -> RequestDecoder.decode(cut, ApiKeys.METADATA, (short) 9))
                    .isInstanceOf(MalformedRequestException.class);
        }
    }

    @Test
    void refusesBytesBehindTheBody() {
        ByteBuffer whole = metadata(9, 1);
        ByteBuffer longer = ByteBuffer.allocate(whole.limit() + 5).put(whole).rewind();
        assertThatThrownBy(() -> RequestDecoder.decode(longer, ApiKeys.METADATA, (short) 9))
                .isInstanceOf(MalformedRequestException.class)
                .hasMessage("5 bytes follow the body");
    }

    @Test
    void refusesMoreElementsThanAnyClientSends() throws MalformedRequestException {
        assertThat(RequestDecoder.decode(metadata(1, 100_000), ApiKeys.METADATA, (short) 1)
                        .body())
                .isInstanceOf(MetadataRequest.class);
        assertThatThrownBy(() -> RequestDecoder.decode(metadata(1, 600_000), ApiKeys.METADATA, (short) 1))
                .isInstanceOf(MalformedRequestException.class)
                .hasMessage("its elements would take more than 41943040 bytes of heap");
    }

    @Test
    void refusesListsOfTheSameNameThatKafkasHashTablesTakeMinutesFor() throws MalformedRequestException {
        assertThat(RequestDecoder.decode(createTopics(300, "x"), ApiKeys.CREATE_TOPICS, (short) 2)
                        .body())
                .isInstanceOf(CreateTopicsRequest.class);
        assertThat(RequestDecoder.decode(createTopics(9_000, null), ApiKeys.CREATE_TOPICS, (short) 2)
                        .body())
                .isInstanceOf(CreateTopicsRequest.class);
        assertThatThrownBy(() -> RequestDecoder.decode(createTopics(9_000, "x"), ApiKeys.CREATE_TOPICS, (short) 2))
                .isInstanceOf(MalformedRequestException.class)
                .hasMessage("it names the same over and over");
        assertThatThrownBy(() -> RequestDecoder.decode(produce(9_000), ApiKeys.PRODUCE, (short) 8))
                .isInstanceOf(MalformedRequestException.class)
                .hasMessage("it names the same over and over");
    }

    @Test
    void readsTheSettingsOfManyTopicsAndRefusesTheSameOnesOverAndOver() throws MalformedRequestException {
        for (short version : new short[] {0, 1}) {
            assertThat(RequestDecoder.decode(
                                    alterConfigs(version, 1_000, "topic-", 32),
                                    ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                                    version)
                            .body())
                    .isInstanceOf(IncrementalAlterConfigsRequest.class);
            for (ByteBuffer frame :
                    List.of(alterConfigs(version, 20_000, null, 1), alterConfigs(version, 1, "topic-", -20_000))) {
                assertThatThrownBy(() -> RequestDecoder.decode(frame, ApiKeys.INCREMENTAL_ALTER_CONFIGS, version))
                        .isInstanceOf(MalformedRequestException.class)
                        .hasMessage("it names the same over and over");
            }
        }
    }

    /** Settings below zero are that many of the same name. */
    private static ByteBuffer alterConfigs(short version, int topics, @Nullable String prefix, int settings) {
        ByteBuffer frame = ByteBuffer.allocate(64 + topics * (32 + 32 * Math.abs(settings)));
        frame.putShort(ApiKeys.INCREMENTAL_ALTER_CONFIGS.id)
                .putShort(version)
                .putInt(1)
                .putShort((short) -1);
        boolean flexible = version > 0;
        if (flexible) {
            frame.put((byte) 0);
        }
        putCount(frame, flexible, topics);
        for (int i = 0; i < topics; i++) {
            frame.put((byte) 2);
            putText(frame, flexible, prefix == null ? "t" : prefix + i);
            putCount(frame, flexible, Math.abs(settings));
            for (int j = 0; j < Math.abs(settings); j++) {
                putText(frame, flexible, settings < 0 ? "retention.ms" : "setting." + j);
                frame.put((byte) 0);
                putText(frame, flexible, "delete");
                putNoTags(frame, flexible);
            }
            putNoTags(frame, flexible);
        }
        frame.put((byte) 1);
        putNoTags(frame, flexible);
        return frame.flip();
    }

    private static void putCount(ByteBuffer frame, boolean flexible, int count) {
        if (!flexible) {
            frame.putInt(count);
            return;
        }
        int left = count + 1;
        while (left >= 0x80) {
            frame.put((byte) (left | 0x80));
            left >>>= 7;
        }
        frame.put((byte) left);
    }

    private static void putText(ByteBuffer frame, boolean flexible, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (flexible) {
            putCount(frame, true, bytes.length);
        } else {
            frame.putShort((short) bytes.length);
        }
        frame.put(bytes);
    }

    private static void putNoTags(ByteBuffer frame, boolean flexible) {
        if (flexible) {
            frame.put((byte) 0);
        }
    }

    /** Written by hand, since Kafka's classes take as long here. */
    private static ByteBuffer createTopics(int count, @Nullable String name) {
        ByteBuffer frame = ByteBuffer.allocate(32 + 40 * count);
        frame.putShort(ApiKeys.CREATE_TOPICS.id).putShort((short) 2).putInt(1).putShort((short) -1);
        frame.putInt(count);
        for (int i = 0; i < count; i++) {
            byte[] text = (name == null ? "t" + i : name).getBytes(StandardCharsets.UTF_8);
            frame.putShort((short) text.length).put(text).putInt(1).putShort((short) 1);
            frame.putInt(0).putInt(0);
        }
        return frame.putInt(1_000).put((byte) 0).flip();
    }

    private static ByteBuffer produce(int topics) {
        ByteBuffer frame = ByteBuffer.allocate(32 + 16 * topics);
        frame.putShort(ApiKeys.PRODUCE.id).putShort((short) 8).putInt(1).putShort((short) -1);
        frame.putShort((short) -1).putShort((short) 1).putInt(1_000).putInt(topics);
        for (int i = 0; i < topics; i++) {
            frame.putShort((short) 1).put((byte) 'x').putInt(0);
        }
        return frame.flip();
    }

    @Test
    void leavesTheBodyOfAnUnknownVersionOfApiVersionsUnread() throws MalformedRequestException {
        ByteBuffer frame = ByteBuffer.allocate(16);
        frame.putShort(ApiKeys.API_VERSIONS.id).putShort((short) 77).putInt(5).putShort((short) -1);
        frame.put((byte) 0).put((byte) 99).flip();
        DecodedRequest decoded = RequestDecoder.decode(frame, ApiKeys.API_VERSIONS, (short) 77);
        assertThat(((ApiVersionsRequest) decoded.body()).hasUnsupportedRequestVersion())
                .isTrue();
        assertThat(decoded.body().version()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 8, 9, 13})
    void writesWhatKafkaReads(int version) {
        RequestHeader header = new RequestHeader(ApiKeys.METADATA, (short) version, "c", 42);
        MetadataResponseData data = new MetadataResponseData().setClusterId("cluster");
        ByteBuf bytes = ResponseEncoder.encode(header, data, (short) version, Unpooled::directBuffer);
        assertThat(bytes.readInt()).isEqualTo(bytes.readableBytes());
        MetadataResponse read = (MetadataResponse) AbstractResponse.parseResponse(bytes.nioBuffer(), header);
        assertThat(read.clusterId()).isEqualTo("cluster");
        bytes.release();
    }

    @Test
    void writesApiVersionsWithTheOldestHeaderForEver() {
        RequestHeader header = new RequestHeader(ApiKeys.API_VERSIONS, (short) 5, "c", 42);
        assertThat(ResponseEncoder.headerBytes(header)).isEqualTo(8);
        ByteBuf bytes =
                ResponseEncoder.encode(header, new ApiVersionsResponseData(), (short) 5, Unpooled::directBuffer);
        assertThat(AbstractResponse.parseResponse(bytes.skipBytes(4).nioBuffer(), header))
                .isNotNull();
        bytes.release();
    }
}
