package io.sluice.testkit.differential;

import java.util.Map;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** InitProducerId, and Produce with a producer id: repeats, gaps, epochs. */
final class IdempotenceCases {
    private static final int FAR = 1_000_000;

    private IdempotenceCases() {}

    static void addTo(Cases cases) {
        cases.everyVersion(ApiKeys.INIT_PRODUCER_ID, "a new id", s -> {
            s.recordWhen(InitProducerIdResponseData.class, "first", init(), IdempotenceCases::loaded);
            s.recordWhen(InitProducerIdResponseData.class, "second", init(), IdempotenceCases::loaded);
        });
        cases.from(
                ApiKeys.INIT_PRODUCER_ID,
                3,
                "id and epoch given without a transaction",
                s -> s.record("answer", init().setProducerId(5).setProducerEpoch((short) 1)));
        cases.from(
                ApiKeys.INIT_PRODUCER_ID,
                3,
                "epoch without id",
                s -> s.record("answer", init().setProducerEpoch((short) 1)));
        cases.everyVersion(
                ApiKeys.INIT_PRODUCER_ID,
                "empty transactional id",
                s -> s.record("answer", init().setTransactionalId("").setTransactionTimeoutMs(FAR)));
        cases.everyVersion(
                ApiKeys.INIT_PRODUCER_ID,
                "no id, time-out 0",
                s -> s.record("answer", init().setTransactionTimeoutMs(0)));
        addSequences(cases);
        addEpochs(cases);
    }

    private static void addSequences(Cases cases) {
        cases.everyVersion(ApiKeys.PRODUCE, "unknown producer starts at 5", s -> {
            Session.Topic topic = s.createTopic("t");
            long id = newId(s);
            s.record("answer", produce(s, topic, id, 0, 5, 2));
            s.record("next", produce(s, topic, id, 0, 7, 1));
            s.record("fetched", Requests.fetch(topic, 0));
        });
        cases.everyVersion(ApiKeys.PRODUCE, "sequence repeated", s -> {
            Session.Topic topic = s.createTopic("t");
            long id = newId(s);
            s.record("first", produce(s, topic, id, 0, 0, 3));
            s.record("second", produce(s, topic, id, 0, 3, 2));
            s.record("first again", produce(s, topic, id, 0, 0, 3));
            s.record("second again", produce(s, topic, id, 0, 3, 2));
            s.record("fetched", Requests.fetch(topic, 0));
        });
        cases.everyVersion(ApiKeys.PRODUCE, "sequence gap", s -> sequence(s, 0, 4));
        cases.everyVersion(ApiKeys.PRODUCE, "sequence overlaps", s -> sequence(s, 0, 1));
        cases.newest(ApiKeys.PRODUCE, "sixth repeat back", IdempotenceCases::sixthBack);
        cases.newest(ApiKeys.PRODUCE, "sequence wraps", s -> {
            Session.Topic topic = s.createTopic("t");
            long id = newId(s);
            s.record("last", produce(s, topic, id, 0, Integer.MAX_VALUE - 1, 2));
            s.record("wrapped", produce(s, topic, id, 0, 0, 2));
            s.record("fetched", Requests.fetch(topic, 0));
        });
    }

    private static void addEpochs(Cases cases) {
        cases.everyVersion(ApiKeys.PRODUCE, "epochs", IdempotenceCases::epochs);
        cases.newest(ApiKeys.PRODUCE, "several producers in one partition", s -> {
            Session.Topic topic = s.createTopic("t");
            long one = newId(s);
            long two = newId(s);
            s.record("one", produce(s, topic, one, 0, 0, 1));
            s.record("two", produce(s, topic, two, 0, 0, 1));
            s.record("one again", produce(s, topic, one, 0, 0, 1));
            s.record("two goes on", produce(s, topic, two, 0, 1, 1));
            s.record("fetched", Requests.fetch(topic, 0));
        });
        cases.newest(ApiKeys.PRODUCE, "duplicate, compressed, append time", s -> {
            Session.Topic topic = s.createTopic("t", 1, Map.of("message.timestamp.type", "LogAppendTime"));
            long id = newId(s);
            MemoryRecords batch =
                    MemoryRecords.withIdempotentRecords(Compression.gzip().build(), id, (short) 0, 0, records(s, 5));
            s.record("first", Requests.produce(topic, batch));
            s.record("again", Requests.produce(topic, batch));
        });
    }

    private static void sequence(Session s, int first, int second) throws Exception {
        Session.Topic topic = s.createTopic("t");
        long id = newId(s);
        s.record("first", produce(s, topic, id, 0, first, 3));
        s.record("second", produce(s, topic, id, 0, second, 1));
        s.record("right one", produce(s, topic, id, 0, first + 3, 1));
        s.record("fetched", Requests.fetch(topic, 0));
    }

    /** A broker remembers five batches; a repeat of one before them is out of order or a duplicate without an offset. */
    private static void sixthBack(Session s) throws Exception {
        Session.Topic topic = s.createTopic("t");
        long id = newId(s);
        for (int i = 0; i < 6; i++) {
            s.record("batch " + i, produce(s, topic, id, 0, i, 1));
        }
        s.record("five back", produce(s, topic, id, 0, 1, 1));
        s.record("six back", produce(s, topic, id, 0, 0, 1));
    }

    private static void epochs(Session s) throws Exception {
        Session.Topic topic = s.createTopic("t");
        long id = newId(s);
        s.record("epoch 1", produce(s, topic, id, 1, 0, 1));
        s.record("epoch 0", produce(s, topic, id, 0, 1, 1));
        s.record("epoch 2 not at 0", produce(s, topic, id, 2, 1, 1));
        s.record("epoch 2 at 0", produce(s, topic, id, 2, 0, 1));
        s.record("epoch 1 again", produce(s, topic, id, 1, 1, 1));
        s.record("fetched", Requests.fetch(topic, 0));
    }

    private static InitProducerIdRequestData init() {
        return new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(Integer.MAX_VALUE);
    }

    /** The coordinator may have to fetch a block of ids first, and says so. */
    private static boolean loaded(InitProducerIdResponseData answer) {
        return answer.errorCode() != Errors.COORDINATOR_LOAD_IN_PROGRESS.code();
    }

    private static long newId(Session s) throws Exception {
        return s.askUntil(InitProducerIdResponseData.class, init(), answer -> answer.errorCode() == 0)
                .producerId();
    }

    private static ProduceRequestData produce(
            Session s, Session.Topic topic, long id, int epoch, int sequence, int count) {
        return Requests.produce(
                topic,
                MemoryRecords.withIdempotentRecords(Compression.NONE, id, (short) epoch, sequence, records(s, count)));
    }

    private static SimpleRecord[] records(Session s, int count) {
        SimpleRecord[] records = new SimpleRecord[count];
        for (int i = 0; i < count; i++) {
            records[i] = Requests.keyed(s.baseMillis() + i, "k" + i, "v" + i);
        }
        return records;
    }
}
