package io.sluice.testkit.differential;

import java.util.Map;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/** ListOffsets, OffsetForLeaderEpoch and DeleteRecords. */
final class OffsetLookupCases {
    private OffsetLookupCases() {}

    static void addTo(Cases cases) {
        addListOffsets(cases);
        addListOffsetsErrors(cases);
        addLeaderEpochs(cases);
        addDeleteRecords(cases);
    }

    private static void addListOffsets(Cases cases) {
        int[][] specials = {{-1, 1}, {-2, 1}, {-3, 7}, {-4, 8}, {-5, 9}, {-6, 11}};
        for (int[] special : specials) {
            cases.everyVersion(
                    ApiKeys.LIST_OFFSETS,
                    "timestamp " + special[0],
                    s -> s.record(
                            "answer", Requests.listOffsets(FetchCases.filled(s).name(), 0, special[0])));
            cases.from(
                    ApiKeys.LIST_OFFSETS,
                    special[1],
                    "empty log, timestamp " + special[0],
                    s -> s.record(
                            "answer", Requests.listOffsets(s.createTopic("t").name(), 0, special[0])));
        }
        cases.everyVersion(
                ApiKeys.LIST_OFFSETS,
                "timestamp -7",
                s -> s.record(
                        "answer", Requests.listOffsets(FetchCases.filled(s).name(), 0, -7)));
        for (int ahead : new int[] {-1_000, 0, 1, 2, 5_000}) {
            cases.everyVersion(
                    ApiKeys.LIST_OFFSETS,
                    "by time " + ahead,
                    s -> s.record(
                            "answer", Requests.listOffsets(FetchCases.filled(s).name(), 0, s.baseMillis() + ahead)));
        }
        cases.everyVersion(ApiKeys.LIST_OFFSETS, "by time in a compressed batch", s -> {
            Session.Topic topic = compressed(s);
            s.record("answer", Requests.listOffsets(topic.name(), 0, s.baseMillis() + 2));
        });
        cases.from(ApiKeys.LIST_OFFSETS, 7, "max timestamp in the middle", s -> {
            Session.Topic topic = compressed(s);
            s.record("answer", Requests.listOffsets(topic.name(), 0, -3));
        });
        cases.from(ApiKeys.LIST_OFFSETS, 2, "read committed", s -> {
            String topic = FetchCases.filled(s).name();
            s.record("latest", Requests.listOffsets(topic, 0, -1).setIsolationLevel((byte) 1));
            s.record("by time", Requests.listOffsets(topic, 0, s.baseMillis()).setIsolationLevel((byte) 1));
        });
        cases.everyVersion(ApiKeys.LIST_OFFSETS, "after records were deleted", s -> {
            Session.Topic topic = FetchCases.filled(s);
            s.ask(DeleteRecordsResponseData.class, FetchCases.deleteRecords(topic, 4));
            s.record("earliest", Requests.listOffsets(topic.name(), 0, -2));
            s.record("by time", Requests.listOffsets(topic.name(), 0, s.baseMillis()));
        });
    }

    private static void addListOffsetsErrors(Cases cases) {
        cases.everyVersion(ApiKeys.LIST_OFFSETS, "unknown topic and partition", s -> {
            ListOffsetsRequestData request =
                    Requests.listOffsets(s.createTopic("t").name(), 5, -1);
            request.topics()
                    .addAll(Requests.listOffsets(s.name("unknown"), 0, -1).topics());
            s.record("answer", request);
        });
        cases.everyVersion(ApiKeys.LIST_OFFSETS, "partition twice", s -> {
            ListOffsetsRequestData request =
                    Requests.listOffsets(s.createTopic("t").name(), 0, -1);
            request.topics()
                    .get(0)
                    .partitions()
                    .add(new ListOffsetsRequestData.ListOffsetsPartition()
                            .setPartitionIndex(0)
                            .setTimestamp(-2));
            s.record("answer", request);
        });
        for (int epoch : new int[] {-1, 0, 3}) {
            cases.from(ApiKeys.LIST_OFFSETS, 4, "current leader epoch " + epoch, s -> {
                ListOffsetsRequestData request =
                        Requests.listOffsets(FetchCases.filled(s).name(), 0, -1);
                request.topics().get(0).partitions().get(0).setCurrentLeaderEpoch(epoch);
                s.record("answer", request);
            });
        }
    }

    private static void addLeaderEpochs(Cases cases) {
        for (int epoch : new int[] {-1, 0, 1, 9}) {
            cases.everyVersion(
                    ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                    "end of epoch " + epoch,
                    s -> s.record("answer", endOfEpoch(FetchCases.filled(s).name(), 0, -1, epoch)));
            cases.everyVersion(
                    ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                    "current epoch " + epoch,
                    s -> s.record("answer", endOfEpoch(FetchCases.filled(s).name(), 0, epoch, 0)));
        }
        cases.everyVersion(
                ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                "empty log",
                s -> s.record("answer", endOfEpoch(s.createTopic("t").name(), 0, 0, 0)));
        cases.everyVersion(
                ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                "unknown topic",
                s -> s.record("answer", endOfEpoch(s.name("unknown"), 0, 0, 0)));
        cases.everyVersion(
                ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                "unknown partition",
                s -> s.record("answer", endOfEpoch(s.createTopic("t").name(), 4, 0, 0)));
    }

    private static void addDeleteRecords(Cases cases) {
        for (int offset : new int[] {0, 1, 3, 4, 8, 9, -1, -2}) {
            cases.everyVersion(ApiKeys.DELETE_RECORDS, "before offset " + offset, s -> {
                Session.Topic topic = FetchCases.filled(s);
                s.record("answer", FetchCases.deleteRecords(topic, offset));
                s.record("earliest then", Requests.listOffsets(topic.name(), 0, -2));
            });
        }
        cases.everyVersion(ApiKeys.DELETE_RECORDS, "backwards", s -> {
            Session.Topic topic = FetchCases.filled(s);
            s.record("first", FetchCases.deleteRecords(topic, 5));
            s.record("second", FetchCases.deleteRecords(topic, 2));
        });
        cases.everyVersion(ApiKeys.DELETE_RECORDS, "unknown topic and partition", s -> {
            DeleteRecordsRequestData request = FetchCases.deleteRecords(s.createTopic("t"), 0);
            request.topics().get(0).partitions().get(0).setPartitionIndex(9);
            request.topics()
                    .addAll(FetchCases.deleteRecords(
                                    new Session.Topic(s.name("unknown"), new org.apache.kafka.common.Uuid(1, 1)), 0)
                            .topics());
            s.record("answer", request);
        });
        cases.everyVersion(ApiKeys.DELETE_RECORDS, "compacted topic", s -> {
            Session.Topic topic = s.createTopic("t", 1, Map.of("cleanup.policy", "compact"));
            FetchCases.append(s, topic, 0, 3);
            s.record("answer", FetchCases.deleteRecords(topic, 1));
        });
        cases.everyVersion(ApiKeys.DELETE_RECORDS, "internal topic", s -> {
            GroupSession.awaitCoordinator(s, s.name("g"));
            s.record(
                    "answer",
                    FetchCases.deleteRecords(
                            new Session.Topic("__consumer_offsets", org.apache.kafka.common.Uuid.ZERO_UUID), 0));
        });
    }

    private static Session.Topic compressed(Session s) throws Exception {
        Session.Topic topic = s.createTopic("t");
        s.ask(
                ProduceResponseData.class,
                Requests.produce(
                        topic,
                        Requests.batch(
                                Compression.lz4().build(),
                                Requests.keyed(s.baseMillis(), "a", "1"),
                                Requests.keyed(s.baseMillis() + 9, "b", "2"),
                                Requests.keyed(s.baseMillis() + 2, "c", "3"),
                                Requests.keyed(s.baseMillis() + 3, "d", "4"))));
        return topic;
    }

    private static OffsetForLeaderEpochRequestData endOfEpoch(String topic, int partition, int current, int epoch) {
        OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData().setReplicaId(-1);
        OffsetForLeaderEpochRequestData.OffsetForLeaderTopic of =
                new OffsetForLeaderEpochRequestData.OffsetForLeaderTopic().setTopic(topic);
        of.partitions()
                .add(new OffsetForLeaderEpochRequestData.OffsetForLeaderPartition()
                        .setPartition(partition)
                        .setCurrentLeaderEpoch(current)
                        .setLeaderEpoch(epoch));
        request.topics().add(of);
        return request;
    }
}
