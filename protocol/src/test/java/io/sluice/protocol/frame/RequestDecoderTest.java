package io.sluice.protocol.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
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
import org.apache.kafka.common.requests.RequestUtils;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestDecoderTest {
    private static final int LARGE = 16 << 20;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

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
    void letsBytesBehindTheBodyBe() throws MalformedRequestException {
        ByteBuffer whole = metadata(9, 1);
        ByteBuffer longer =
                ByteBuffer.allocate(whole.limit() + 5).put(whole.duplicate()).rewind();
        assertThat(RequestDecoder.decode(longer, ApiKeys.METADATA, (short) 9)
                        .body()
                        .data())
                .isEqualTo(RequestDecoder.decode(whole, ApiKeys.METADATA, (short) 9)
                        .body()
                        .data());
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
    void readsTopicsOfOneNameAsFastAsOthers() throws MalformedRequestException {
        for (String name : new String[] {"x", null}) {
            CreateTopicsRequest read = (CreateTopicsRequest)
                    RequestDecoder.decode(createTopics(40_000, name), ApiKeys.CREATE_TOPICS, (short) 2)
                            .body();
            assertThat(read.data().topics()).hasSize(40_000);
            assertThat(read.data().topics().iterator().next().name()).isEqualTo(name == null ? "t0" : name);
        }
        ProduceRequest read = (ProduceRequest) RequestDecoder.decode(produce(40_000), ApiKeys.PRODUCE, (short) 8)
                .body();
        assertThat(read.data().topicData()).hasSize(40_000);
    }

    /** 31 times 192 is nearly as many slots as Kafka's table has for them, so that they all come to lie side by side. */
    @Test
    void readsTheUnluckyNamesOfThreeThousandTopics() throws MalformedRequestException {
        CreateTopicsRequestData data = new CreateTopicsRequestData();
        for (int i = 0; i < 2_975; i++) {
            data.topics().add(new CreateTopicsRequestData.CreatableTopic().setName("c" + i));
        }
        int i = 0;
        for (CreateTopicsRequestData.CreatableTopic topic : data.topics()) {
            topic.setName("s." + (char) ('a' + i % 26) + "." + i++ / 26);
        }
        ByteBuffer frame = RequestUtils.serialize(
                new RequestHeader(ApiKeys.CREATE_TOPICS, (short) 5, "c", 1).data(), (short) 2, data, (short) 5);
        CreateTopicsRequest read = (CreateTopicsRequest)
                RequestDecoder.decode(frame, ApiKeys.CREATE_TOPICS, (short) 5).body();
        assertThat(read.data().topics())
                .extracting(CreateTopicsRequestData.CreatableTopic::name)
                .startsWith("s.a.0", "s.b.0")
                .hasSize(2_975);
    }

    @Test
    void refusesSettingsThatTakeLongToTellApart() throws MalformedRequestException {
        for (short version : new short[] {0, 1}) {
            assertThat(RequestDecoder.decode(
                                    alterConfigs(version, 1_000, "topic-", 32),
                                    ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                                    version)
                            .body())
                    .isInstanceOf(IncrementalAlterConfigsRequest.class);
            assertThat(RequestDecoder.decode(
                                    alterConfigs(version, 20_000, null, 1), ApiKeys.INCREMENTAL_ALTER_CONFIGS, version)
                            .body())
                    .isInstanceOf(IncrementalAlterConfigsRequest.class);
            requireTooSlow(alterConfigs(version, 1, "topic-", -20_000), ApiKeys.INCREMENTAL_ALTER_CONFIGS, version);
            requireTooSlow(alterConfigs(version, 2_000, "topic-", -120), ApiKeys.INCREMENTAL_ALTER_CONFIGS, version);
        }
    }

    /** Of one topic: different bytes that are no UTF-8 and so the same text; names of one hash; of one slot. */
    @Test
    void refusesSettingsWhateverTheyAreAlikeIn() {
        int count = 20_000;
        requireTooSlow(settings(count, i ->
                new byte[] {(byte) (0x80 | (i >> 12)), (byte) (0x80 | (i >> 6 & 0x3f)), (byte) (0x80 | (i & 0x3f))}));
        requireTooSlow(settings(count, i -> {
            StringBuilder name = new StringBuilder();
            for (int bit = 0; bit < 15; bit++) {
                name.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            return name.toString().getBytes(StandardCharsets.UTF_8);
        }));
        // A text of the hash: its digits to the base 31 as characters, which need not be visible ones.
        requireTooSlow(settings(count, i -> {
            long hash = i * (2L * count + 1);
            byte[] digits = new byte[7];
            for (int digit = 6; digit >= 0; digit--, hash /= 31) {
                digits[digit] = (byte) (hash % 31);
            }
            return digits;
        }));
    }

    @Test
    void refusesAssignmentsOfOnePartitionAndTakesThousandsInARow() throws MalformedRequestException {
        assertThat(RequestDecoder.decode(assignments(4_000, 1), ApiKeys.CREATE_TOPICS, (short) 2)
                        .body())
                .isInstanceOf(CreateTopicsRequest.class);
        requireTooSlow(assignments(4_000, 0), ApiKeys.CREATE_TOPICS, (short) 2);
    }

    @Test
    void refusesProtocolsOfOneNameAndWhatTheAnswerWouldBeSlowFor() {
        ByteBuffer join = ByteBuffer.allocate(1 << 20);
        join.putShort(ApiKeys.JOIN_GROUP.id).putShort((short) 2).putInt(1).putShort((short) -1);
        join.putShort((short) 1).put((byte) 'g').putInt(10_000).putInt(10_000).putShort((short) 0);
        join.putShort((short) 1).put((byte) 'c').putInt(10_000);
        for (int i = 0; i < 10_000; i++) {
            join.putShort((short) 0).putInt(0);
        }
        requireTooSlow(join.flip(), ApiKeys.JOIN_GROUP, (short) 2);
        ByteBuffer delete = ByteBuffer.allocate(1 << 20);
        delete.putShort(ApiKeys.DELETE_GROUPS.id).putShort((short) 0).putInt(1).putShort((short) -1);
        delete.putInt(10_000);
        for (int i = 0; i < 10_000; i++) {
            delete.putShort((short) 0);
        }
        requireTooSlow(delete.flip(), ApiKeys.DELETE_GROUPS, (short) 0);
    }

    /** What lies around a list that is read apart is copied: an unknown field behind it, or a text before it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusesWhatLiesAroundAListOfOneNameBeforeItIsCopied(boolean behind) {
        requireRefusedUnread(
                        produceOfOneName(behind ? 0 : LARGE, "x".getBytes(StandardCharsets.UTF_8), behind ? LARGE : 0))
                .hasMessage("its elements would take more than 1048576 bytes of heap");
    }

    /** Their bytes are copied to be hashed where they are not ASCII; none is as long as a frame may be. */
    @Test
    void refusesNamesThatAreLongerThanAnyBeforeTheyAreHashed() {
        byte[] name = new byte[LARGE];
        Arrays.fill(name, (byte) 0x80);
        requireRefusedUnread(produceOfOneName(0, name, 0))
                .hasRootCauseMessage("a text is longer than the request, or than any may be");
    }

    private static AbstractThrowableAssert<?, ?> requireRefusedUnread(ByteBuffer frame) {
        ThrowingCallable decoding = () -> RequestDecoder.decode(frame.duplicate(), ApiKeys.PRODUCE, (short) 9, 1 << 20);
        assertThatThrownBy(decoding); // once for what is made but once
        long before = THREADS.getCurrentThreadAllocatedBytes();
        AbstractThrowableAssert<?, ?> refusal =
                assertThatThrownBy(decoding).isInstanceOf(MalformedRequestException.class);
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isLessThan(1 << 20);
        return refusal;
    }

    @Test
    void countsWhatIsReadAroundAListOfOneNameWithTheRest() throws MalformedRequestException {
        byte[] name = "x".getBytes(StandardCharsets.UTF_8);
        ByteBuffer frame = produceOfOneName(100, name, 100);
        DecodedRequest decoded = RequestDecoder.decode(frame.duplicate(), ApiKeys.PRODUCE, (short) 9);

        assertThat(((ProduceRequest) decoded.body()).data().topicData()).hasSize(40);
        assertThat(RequestDecoder.decode(frame.duplicate(), ApiKeys.PRODUCE, (short) 9, decoded.heapBytes())
                        .heapBytes())
                .isEqualTo(decoded.heapBytes());
        assertThatThrownBy(() -> RequestDecoder.decode(frame, ApiKeys.PRODUCE, (short) 9, decoded.heapBytes() - 1))
                .isInstanceOf(MalformedRequestException.class);
    }

    /** Forty topics without partitions, the first of this name and the others of one letter. */
    private static ByteBuffer produceOfOneName(int transactionalIdBytes, byte[] name, int unknownFieldBytes) {
        ByteBuffer frame = ByteBuffer.allocate(1_000 + transactionalIdBytes + name.length + unknownFieldBytes);
        frame.putShort(ApiKeys.PRODUCE.id).putShort((short) 9).putInt(1).putShort((short) -1);
        frame.put((byte) 0);
        putCount(frame, true, transactionalIdBytes);
        frame.position(frame.position() + transactionalIdBytes);
        frame.putShort((short) -1).putInt(1_000);
        putCount(frame, true, 40);
        for (int i = 0; i < 40; i++) {
            byte[] bytes = i == 0 ? name : new byte[] {'x'};
            putCount(frame, true, bytes.length);
            frame.put(bytes).put((byte) 1).put((byte) 0);
        }
        frame.put((byte) 1).put((byte) 77);
        putCount(frame, true, unknownFieldBytes - 1);
        frame.position(frame.position() + unknownFieldBytes);
        return frame.flip();
    }

    /** The reader would add them one by one until it comes to the end, which is not there. */
    @Test
    void refusesAListWithoutAnEndBeforeItIsReadIntoATable() {
        ByteBuffer cut = createTopics(40_000, "x");
        cut.limit(cut.limit() - 20);
        assertThatThrownBy(() -> RequestDecoder.decode(cut, ApiKeys.CREATE_TOPICS, (short) 2))
                .isInstanceOf(MalformedRequestException.class)
                .hasMessage("the body cannot be read");
    }

    private static void requireTooSlow(ByteBuffer frame) {
        requireTooSlow(frame, ApiKeys.CREATE_TOPICS, (short) 2);
    }

    private static void requireTooSlow(ByteBuffer frame, ApiKeys api, short version) {
        assertThatThrownBy(() -> RequestDecoder.decode(frame, api, version))
                .isInstanceOf(MalformedRequestException.class)
                .hasMessageStartingWith("its names and numbers take too long to tell apart");
    }

    private static ByteBuffer oneTopic(int capacity) {
        ByteBuffer frame = ByteBuffer.allocate(64 + capacity);
        frame.putShort(ApiKeys.CREATE_TOPICS.id).putShort((short) 2).putInt(1).putShort((short) -1);
        return frame.putInt(1).putShort((short) 1).put((byte) 't').putInt(-1).putShort((short) -1);
    }

    private static ByteBuffer settings(int count, IntFunction<byte[]> name) {
        ByteBuffer frame = oneTopic(64 * count).putInt(0).putInt(count);
        for (int i = 0; i < count; i++) {
            byte[] bytes = name.apply(i);
            frame.putShort((short) bytes.length).put(bytes).putShort((short) -1);
        }
        return frame.putInt(1_000).put((byte) 0).flip();
    }

    private static ByteBuffer assignments(int count, int step) {
        ByteBuffer frame = oneTopic(64 * count).putInt(count);
        for (int i = 0; i < count; i++) {
            frame.putInt(i * step).putInt(1).putInt(1);
        }
        return frame.putInt(0).putInt(1_000).put((byte) 0).flip();
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
