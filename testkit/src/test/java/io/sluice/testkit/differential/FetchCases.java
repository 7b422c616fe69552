package io.sluice.testkit.differential;

import io.sluice.base.time.SystemClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/** Fetch without a session: offsets, limits, waiting. */
final class FetchCases {
    private static final int WAIT_MILLIS = 400;
    /** The wait asked is honoured within this. */
    private static final int SLACK_MILLIS = 20;

    private FetchCases() {}

    static void addTo(Cases cases) {
        cases.everyVersion(ApiKeys.FETCH, "from the start", s -> s.record("answer", Requests.fetch(filled(s), 0)));
        cases.everyVersion(ApiKeys.FETCH, "inside a batch", s -> s.record("answer", Requests.fetch(filled(s), 4)));
        cases.everyVersion(ApiKeys.FETCH, "at the end", s -> s.record("answer", Requests.fetch(filled(s), 8)));
        cases.everyVersion(ApiKeys.FETCH, "beyond the end", s -> s.record("answer", Requests.fetch(filled(s), 9)));
        cases.everyVersion(ApiKeys.FETCH, "negative offset", s -> s.record("answer", Requests.fetch(filled(s), -1)));
        cases.everyVersion(
                ApiKeys.FETCH, "empty partition", s -> s.record("answer", Requests.fetch(s.createTopic("t"), 0)));
        cases.everyVersion(
                ApiKeys.FETCH,
                "unknown topic",
                s -> s.record("answer", Requests.fetch(new Session.Topic(s.name("unknown"), new Uuid(4, 4)), 0)));
        cases.everyVersion(
                ApiKeys.FETCH, "unknown partition", s -> s.record("answer", Requests.fetch(List.of(filled(s)), 3, 0)));
        cases.everyVersion(ApiKeys.FETCH, "no topics", s -> s.record("answer", Requests.fetch(List.of(), 0, 0)));
        cases.everyVersion(
                ApiKeys.FETCH,
                "read committed",
                s -> s.record("answer", Requests.fetch(filled(s), 0).setIsolationLevel((byte) 1)));
        cases.everyVersion(ApiKeys.FETCH, "below the log start", FetchCases::belowLogStart);
        addLimits(cases);
        addEpochs(cases);
        addWaits(cases);
    }

    private static void addLimits(Cases cases) {
        cases.everyVersion(ApiKeys.FETCH, "max bytes 1", s -> {
            FetchRequestData request = Requests.fetch(List.of(filled(s), filled(s, "u")), 0, 0);
            s.record("answer", request.setMaxBytes(1));
        });
        cases.everyVersion(ApiKeys.FETCH, "partition max bytes 1", s -> {
            FetchRequestData request = Requests.fetch(List.of(), 0, 0);
            Requests.addPartition(request, filled(s), 0, 0).setPartitionMaxBytes(1);
            Requests.addPartition(request, filled(s, "u"), 0, 0).setPartitionMaxBytes(1);
            s.record("answer", request);
        });
        cases.newest(
                ApiKeys.FETCH,
                "max bytes 0",
                s -> s.record("answer", Requests.fetch(filled(s), 0).setMaxBytes(0)));
        cases.newest(ApiKeys.FETCH, "max bytes for two batches of three", s -> {
            Session.Topic topic = filled(s);
            s.record("answer", Requests.fetch(topic, 0).setMaxBytes(2 * batchBytes(s)));
        });
        cases.newest(ApiKeys.FETCH, "max bytes end inside a batch", s -> {
            Session.Topic topic = filled(s);
            s.record("answer", Requests.fetch(topic, 0).setMaxBytes(batchBytes(s) + batchBytes(s) / 2));
        });
        cases.newest(ApiKeys.FETCH, "same partition twice", s -> {
            Session.Topic topic = filled(s);
            FetchRequestData request = Requests.fetch(topic, 0);
            Requests.addPartition(request, topic, 0, 6);
            s.record("answer", request);
        });
    }

    private static void addEpochs(Cases cases) {
        for (int epoch : new int[] {-1, 0, 1, 7}) {
            cases.from(ApiKeys.FETCH, 9, "current leader epoch " + epoch, s -> {
                FetchRequestData request = Requests.fetch(List.of(), 0, 0);
                Requests.addPartition(request, filled(s), 0, 3).setCurrentLeaderEpoch(epoch);
                s.record("answer", request);
            });
            cases.from(ApiKeys.FETCH, 12, "last fetched epoch " + epoch, s -> {
                FetchRequestData request = Requests.fetch(List.of(), 0, 0);
                Requests.addPartition(request, filled(s), 0, 3).setLastFetchedEpoch(epoch);
                s.record("answer", request);
            });
        }
        cases.from(
                ApiKeys.FETCH,
                13,
                "zero id",
                s -> s.record("answer", Requests.fetch(new Session.Topic("", Uuid.ZERO_UUID), 0)));
        cases.from(
                ApiKeys.FETCH,
                11,
                "rack",
                s -> s.record("answer", Requests.fetch(filled(s), 0).setRackId("r1")));
        cases.newest(ApiKeys.FETCH, "isolation level 2", s -> {
            s.connection().send(s.version(), Requests.fetch(filled(s), 0).setIsolationLevel((byte) 2));
            s.recordReaction("reaction", s.connection());
        });
    }

    private static void addWaits(Cases cases) {
        cases.newest(
                ApiKeys.FETCH,
                "waits as long as asked",
                s -> timed(
                        s,
                        Requests.fetch(s.createTopic("t"), 0).setMinBytes(1).setMaxWaitMs(WAIT_MILLIS),
                        WAIT_MILLIS));
        cases.newest(
                ApiKeys.FETCH,
                "waits for more bytes than there are",
                s -> timed(
                        s, Requests.fetch(filled(s), 0).setMinBytes(1 << 20).setMaxWaitMs(WAIT_MILLIS), WAIT_MILLIS));
        cases.newest(
                ApiKeys.FETCH,
                "does not wait with enough bytes",
                s -> timed(s, Requests.fetch(filled(s), 0).setMinBytes(1).setMaxWaitMs(10 * WAIT_MILLIS), 0));
        cases.newest(
                ApiKeys.FETCH,
                "does not wait out of range",
                s -> timed(s, Requests.fetch(filled(s), 99).setMinBytes(1).setMaxWaitMs(10 * WAIT_MILLIS), 0));
        cases.newest(
                ApiKeys.FETCH,
                "does not wait for min bytes 0",
                s -> timed(
                        s, Requests.fetch(s.createTopic("t"), 0).setMinBytes(0).setMaxWaitMs(10 * WAIT_MILLIS), 0));
        cases.newest(
                ApiKeys.FETCH,
                "does not wait for an unknown topic",
                s -> timed(
                        s,
                        Requests.fetch(new Session.Topic(s.name("unknown"), new Uuid(4, 5)), 0)
                                .setMinBytes(1)
                                .setMaxWaitMs(10 * WAIT_MILLIS),
                        0));
        cases.everyVersion(ApiKeys.FETCH, "woken by a record", FetchCases::woken);
        cases.newest(ApiKeys.FETCH, "answers in order after a slow one", FetchCases::slowBeforeFast);
        cases.newest(ApiKeys.FETCH, "topic deleted while waiting", FetchCases::deletedWhileWaiting);
    }

    /** Three batches: offsets 0–2, 3–5 and 6–7. */
    static Session.Topic filled(Session s) throws Exception {
        return filled(s, "t");
    }

    static Session.Topic filled(Session s, String suffix) throws Exception {
        Session.Topic topic = s.createTopic(suffix);
        for (int count : new int[] {3, 3, 2}) {
            append(s, topic, 0, count);
        }
        return topic;
    }

    static void append(Session s, Session.Topic topic, int partition, int count) throws Exception {
        ProduceRequestData request = Requests.produce(topic, partition, (short) -1, Requests.batch(s, count));
        s.askUntil(
                ProduceResponseData.class,
                request,
                answer -> answer.responses()
                                .iterator()
                                .next()
                                .partitionResponses()
                                .get(0)
                                .errorCode()
                        == 0);
    }

    private static int batchBytes(Session s) {
        return Requests.batch(s, 3).sizeInBytes();
    }

    private static void belowLogStart(Session s) throws Exception {
        Session.Topic topic = filled(s);
        s.ask(org.apache.kafka.common.message.DeleteRecordsResponseData.class, deleteRecords(topic, 3));
        s.record("below", Requests.fetch(topic, 2));
        s.record("at", Requests.fetch(topic, 3));
    }

    static DeleteRecordsRequestData deleteRecords(Session.Topic topic, long offset) {
        DeleteRecordsRequestData request = new DeleteRecordsRequestData().setTimeoutMs(Requests.TIMEOUT_MILLIS);
        DeleteRecordsRequestData.DeleteRecordsTopic of =
                new DeleteRecordsRequestData.DeleteRecordsTopic().setName(topic.name());
        of.partitions()
                .add(new DeleteRecordsRequestData.DeleteRecordsPartition()
                        .setPartitionIndex(0)
                        .setOffset(offset));
        request.topics().add(of);
        return request;
    }

    /** Records the answer and whether it came after the wait asked; the first may be late while classes load. */
    private static void timed(Session s, FetchRequestData request, int expectedMillis) throws Exception {
        s.record("answer", request);
        long bestMillis = Long.MAX_VALUE;
        for (int i = 0; i < 5 && bestMillis > expectedMillis + SLACK_MILLIS; i++) {
            long startNanos = SystemClock.INSTANCE.nanoTime();
            s.connection().call(s.version(), request);
            long tookMillis = TimeUnit.NANOSECONDS.toMillis(SystemClock.INSTANCE.nanoTime() - startNanos);
            bestMillis = Math.min(bestMillis, tookMillis);
        }
        boolean early = bestMillis < expectedMillis - 2;
        s.note("wait", early ? "too short" : bestMillis > expectedMillis + SLACK_MILLIS ? "too long" : "as asked");
    }

    private static void woken(Session s) throws Exception {
        Session.Topic topic = s.createTopic("t");
        s.connection().send(s.version(), Requests.fetch(topic, 0).setMinBytes(1).setMaxWaitMs(Requests.TIMEOUT_MILLIS));
        s.connect()
                .call(
                        ApiKeys.PRODUCE.latestVersion(false),
                        Requests.produce(topic, 0, (short) -1, Requests.batch(s, 2)));
        s.recordAnswer("answer", s.connection().receive(ApiKeys.FETCH, s.version()));
    }

    private static void slowBeforeFast(Session s) throws Exception {
        Session.Topic topic = s.createTopic("t");
        s.connection().send(s.version(), Requests.fetch(topic, 0).setMinBytes(1).setMaxWaitMs(WAIT_MILLIS));
        int second = s.connection().send(0, new ApiVersionsRequestData());
        s.recordAnswer("first", s.connection().receive(ApiKeys.FETCH, s.version()));
        s.note(
                "second in order",
                "" + (s.connection().receive(ApiKeys.API_VERSIONS, 0).correlationId() == second));
    }

    private static void deletedWhileWaiting(Session s) throws Exception {
        Session.Topic topic = s.createTopic("t", 1, Map.of());
        s.connection().send(s.version(), Requests.fetch(topic, 0).setMinBytes(1).setMaxWaitMs(2_000));
        s.connect()
                .call(
                        ApiKeys.DELETE_TOPICS.latestVersion(false),
                        TopicCases.deleteByName(new ArrayList<>(List.of(topic.name()))));
        s.recordAnswer("answer", s.connection().receive(ApiKeys.FETCH, s.version()));
    }
}
