package io.sluice.testkit.fuzz;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.differential.RequestCorpus;
import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Makes a corpus: what the differential cases ask, record batches of every codec, and what living group members say. */
final class FuzzSeeds {
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(60);
    private static final String LIVE_TOPIC = "fuzz-live";
    private static final int CASES_OF_AN_API = 8;
    private static final int RECORDS = 20;
    private static final int MEMBERS = 4;
    private static final int SESSION_MILLIS = 1_800_000;
    /** The last version that lets a member without an id in at once. */
    private static final int JOIN_WITHOUT_MEMBER_ID = 3;

    /** The last version that names topics. */
    private static final int COMMIT_BY_NAME = 9;

    private static final int METADATA_VERSION = 12;
    private static final int PRODUCE_TIMEOUT_MILLIS = 10_000;

    /** As producers send it, and where the node must look inside: to index keys, or to compress otherwise. */
    private static final Map<String, Map<String, String>> TOPICS = Map.of(
            "fuzz-plain", Map.of(),
            "fuzz-compacted", Map.of("cleanup.policy", "compact"),
            "fuzz-recompressed", Map.of("compression.type", "lz4"),
            "fuzz-uncompressed", Map.of("compression.type", "uncompressed"),
            "fuzz-stamped", Map.of("message.timestamp.type", "LogAppendTime"));

    private FuzzSeeds() {}

    static Corpus record(BrokerUnderTest broker) throws Exception {
        try (RawConnection connection = RawConnection.open(broker.address(), READ_TIMEOUT)) {
            Corpus corpus = new Corpus(connection.call(ApiVersionsResponseData.class, 0, new ApiVersionsRequestData()));
            RequestCorpus.record(broker, CASES_OF_AN_API, corpus::add);
            addRecords(broker, connection, corpus);
            for (int i = 0; i < MEMBERS; i++) {
                addMember(connection, corpus, "fuzz-group-" + i);
            }
            addGroupWithoutMembers(connection, corpus);
            return corpus;
        }
    }

    /** A topic for what clients keep alive. */
    static LiveRequests.Topic liveTopic(BrokerUnderTest broker) throws Exception {
        TopicSetup.create(broker.bootstrapServers(), LIVE_TOPIC, 1);
        try (RawConnection connection = RawConnection.open(broker.address(), READ_TIMEOUT)) {
            return new LiveRequests.Topic(LIVE_TOPIC, idOf(connection, LIVE_TOPIC));
        }
    }

    private static void addRecords(BrokerUnderTest broker, RawConnection connection, Corpus corpus) throws Exception {
        for (Map.Entry<String, Map<String, String>> topic : TOPICS.entrySet()) {
            TopicSetup.create(broker.bootstrapServers(), topic.getKey(), 1, topic.getValue());
            Uuid id = idOf(connection, topic.getKey());
            for (CompressionType codec : CompressionType.values()) {
                ProduceRequestData request = produce(topic.getKey(), id, batch(codec));
                corpus.add(request);
                corpus.addRecords(request);
            }
        }
    }

    private static Uuid idOf(RawConnection connection, String topic) throws IOException {
        MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(false);
        request.topics().add(new MetadataRequestData.MetadataRequestTopic().setName(topic));
        return connection
                .call(MetadataResponseData.class, METADATA_VERSION, request)
                .topics()
                .iterator()
                .next()
                .topicId();
    }

    private static MemoryRecords batch(CompressionType codec) {
        SimpleRecord[] records = new SimpleRecord[RECORDS];
        for (int i = 0; i < RECORDS; i++) {
            records[i] = new SimpleRecord(
                    ("key " + i % 7).getBytes(StandardCharsets.UTF_8),
                    ("value ".repeat(5) + i).getBytes(StandardCharsets.UTF_8));
        }
        return MemoryRecords.withRecords(Compression.of(codec).build(), records);
    }

    private static ProduceRequestData produce(String topic, Uuid id, MemoryRecords records) {
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) -1).setTimeoutMs(PRODUCE_TIMEOUT_MILLIS);
        request.topicData()
                .add(new ProduceRequestData.TopicProduceData()
                        .setName(topic)
                        .setTopicId(id)
                        .setPartitionData(new ArrayList<>(List.of(new ProduceRequestData.PartitionProduceData()
                                .setIndex(0)
                                .setRecords(records)))));
        return request;
    }

    /** A member that stays for longer than the test takes: what it says is right as long as nobody else joins. */
    private static void addMember(RawConnection connection, Corpus corpus, String group) throws IOException {
        JoinGroupRequestData join = new JoinGroupRequestData()
                .setGroupId(group)
                .setSessionTimeoutMs(SESSION_MILLIS)
                .setRebalanceTimeoutMs(SESSION_MILLIS)
                .setProtocolType("consumer");
        join.protocols()
                .add(new JoinGroupRequestData.JoinGroupRequestProtocol()
                        .setName("range")
                        .setMetadata(new byte[8]));
        JoinGroupResponseData joined = connection.call(JoinGroupResponseData.class, JOIN_WITHOUT_MEMBER_ID, join);
        if (joined.errorCode() != 0) {
            throw new IllegalStateException("The group could not be joined: " + joined);
        }
        SyncGroupRequestData sync = new SyncGroupRequestData()
                .setGroupId(group)
                .setMemberId(joined.memberId())
                .setGenerationId(joined.generationId());
        sync.assignments()
                .add(new SyncGroupRequestData.SyncGroupRequestAssignment()
                        .setMemberId(joined.memberId())
                        .setAssignment(new byte[8]));
        connection.call(JOIN_WITHOUT_MEMBER_ID, sync);
        corpus.add(sync);
        corpus.add(new HeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(joined.memberId())
                .setGenerationId(joined.generationId()));
        corpus.add(new LeaveGroupRequestData()
                .setGroupId(group)
                .setMembers(List.of(new LeaveGroupRequestData.MemberIdentity().setMemberId("nobody"))));
        corpus.add(new LeaveGroupRequestData().setGroupId(group).setMemberId("nobody"));
        corpus.add(new LeaveGroupRequestData().setGroupId(group).setMembers(List.of()));
        corpus.add(commit(group, joined.memberId(), joined.generationId()));
        corpus.add(new OffsetFetchRequestData()
                .setGroupId(group)
                .setTopics(List.of(new OffsetFetchRequestData.OffsetFetchRequestTopic()
                        .setName("fuzz-plain")
                        .setPartitionIndexes(List.of(0, 1)))));
    }

    /** A group that has offsets and nobody in it: they can be deleted, and so can the group. */
    private static void addGroupWithoutMembers(RawConnection connection, Corpus corpus) throws IOException {
        String group = "fuzz-offsets";
        OffsetCommitRequestData commit = commit(group, "", -1);
        connection.call(COMMIT_BY_NAME, commit);
        corpus.add(commit);
        OffsetDeleteRequestData.OffsetDeleteRequestTopic topic =
                new OffsetDeleteRequestData.OffsetDeleteRequestTopic().setName("fuzz-plain");
        topic.partitions().add(new OffsetDeleteRequestData.OffsetDeleteRequestPartition().setPartitionIndex(0));
        OffsetDeleteRequestData delete = new OffsetDeleteRequestData().setGroupId(group);
        delete.topics().add(topic);
        for (int i = 0; i < MEMBERS; i++) {
            corpus.add(delete);
        }
        corpus.add(new DeleteGroupsRequestData().setGroupsNames(List.of(group)));
    }

    private static OffsetCommitRequestData commit(String group, String member, int generation) {
        OffsetCommitRequestData request = new OffsetCommitRequestData()
                .setGroupId(group)
                .setMemberId(member)
                .setGenerationIdOrMemberEpoch(generation);
        request.topics()
                .add(new OffsetCommitRequestData.OffsetCommitRequestTopic()
                        .setName("fuzz-plain")
                        .setPartitions(List.of(new OffsetCommitRequestData.OffsetCommitRequestPartition()
                                .setPartitionIndex(0)
                                .setCommittedOffset(1)
                                .setCommittedMetadata("m"))));
        return request;
    }
}
