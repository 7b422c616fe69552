package io.sluice.testkit.differential;

import io.sluice.testkit.differential.TransactionSession.Producer;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest;

/** What the coordinator of transactions answers: who owns an id, what is added, how it ends, and what administrators see. */
final class TransactionCases {
    private static final int FIRST_RAISING_END = 5;
    private static final int FIRST_WITH_IDENTITY = 3;
    private static final int FIRST_OF_BROKERS = 4;
    private static final byte TRANSACTION_KEY = 1;
    private static final long NOBODY = 1_000_000_007L;

    private TransactionCases() {}

    static void addTo(Cases cases) {
        addFind(cases);
        addInit(cases);
        addPartitions(cases);
        addOffsets(cases);
        addEnd(cases);
        addEndErrors(cases);
        addDescriptions(cases);
    }

    private static void addFind(Cases cases) {
        cases.from(ApiKeys.FIND_COORDINATOR, 1, "transactional id", s -> {
            FindCoordinatorRequestData request = new FindCoordinatorRequestData().setKeyType(TRANSACTION_KEY);
            if (s.version() < FindCoordinatorRequest.MIN_BATCHED_VERSION) {
                request.setKey(s.name("id"));
            } else {
                request.setCoordinatorKeys(List.of(s.name("id"), s.name("other")));
            }
            s.recordWhen(
                    FindCoordinatorResponseData.class,
                    "answer",
                    request,
                    answer -> answer.errorCode() == 0
                            && answer.coordinators().stream().allMatch(each -> each.errorCode() == 0));
        });
    }

    private static void addInit(Cases cases) {
        cases.everyVersion(ApiKeys.INIT_PRODUCER_ID, "transactional id", s -> {
            Producer producer = TransactionSession.begin(s, "id");
            s.record("next", TransactionSession.init(producer.transactionalId()));
            s.record("after that", TransactionSession.init(producer.transactionalId()));
            s.record(
                    "too long",
                    TransactionSession.init(producer.transactionalId()).setTransactionTimeoutMs(900_001));
            s.record(
                    "no time",
                    TransactionSession.init(producer.transactionalId()).setTransactionTimeoutMs(0));
        });
        cases.from(ApiKeys.INIT_PRODUCER_ID, FIRST_WITH_IDENTITY, "a producer that says who it is", s -> {
            Producer producer = TransactionSession.begin(s, "id");
            s.record("current", claim(producer));
            s.record("repeated", claim(producer));
            s.record("of the future", claim(producer.withEpoch(9)));
            s.record("another's", claim(producer.withId(NOBODY)));
            s.record("anew", TransactionSession.init(producer.transactionalId()));
            s.record("fenced", claim(producer));
        });
        cases.everyVersion(ApiKeys.INIT_PRODUCER_ID, "while a transaction is open", s -> {
            Producer producer = TransactionSession.ongoing(s, "id", s.createTopic("t"));
            s.record("aborts", TransactionSession.init(producer.transactionalId()));
            s.recordWhen(
                    InitProducerIdResponseData.class,
                    "then",
                    TransactionSession.init(producer.transactionalId()),
                    answer -> answer.errorCode() != Errors.CONCURRENT_TRANSACTIONS.code());
            s.record("fenced", TransactionSession.end(producer, true));
        });
    }

    private static InitProducerIdRequestData claim(Producer producer) {
        return TransactionSession.init(producer.transactionalId())
                .setProducerId(producer.id())
                .setProducerEpoch(producer.epoch());
    }

    private static void addPartitions(Cases cases) {
        cases.everyVersion(ApiKeys.ADD_PARTITIONS_TO_TXN, "added", s -> {
            Session.Topic topic = s.createTopic("t", 2, Map.of());
            Producer producer = TransactionSession.begin(s, "id");
            s.record("first", add(s, producer, topic.name(), 0));
            s.record("both", add(s, producer, topic.name(), 0, 1));
            s.record("again", add(s, producer, topic.name(), 1));
            s.record("described", describe(producer));
        });
        cases.everyVersion(ApiKeys.ADD_PARTITIONS_TO_TXN, "refused", s -> {
            Session.Topic topic = s.createTopic("t");
            Producer producer = TransactionSession.begin(s, "id");
            s.record("one is missing", add(s, producer, topic.name(), 0, 7));
            s.record("unknown topic", add(s, producer, s.name("unknown"), 0));
            if (s.version() <= TransactionSession.LAST_OF_CLIENTS) {
                s.record("coordinator's state", add(s, producer, "__transaction_state", 0));
            }
            s.record("another epoch", add(s, producer.withEpoch(4), topic.name(), 0));
            s.record("another producer", add(s, producer.withId(NOBODY), topic.name(), 0));
            s.record("unknown id", add(s, producer.of(s.name("nobody")), topic.name(), 0));
            s.record("no id", add(s, producer.of(""), topic.name(), 0));
            s.record("described", describe(producer));
        });
        cases.from(ApiKeys.ADD_PARTITIONS_TO_TXN, FIRST_OF_BROKERS, "verified", s -> {
            Session.Topic topic = s.createTopic("t", 2, Map.of());
            Producer producer = TransactionSession.ongoing(s, "id", topic);
            s.record("one of two", verify(s, producer, topic.name(), 0, 1));
            s.record("another epoch", verify(s, producer.withEpoch(4), topic.name(), 0));
            s.record("another producer", verify(s, producer.withId(NOBODY), topic.name(), 0));
            s.record("unknown id", verify(s, producer.of(s.name("nobody")), topic.name(), 0));
            s.record("no id", verify(s, producer.of(""), topic.name(), 0));
        });
    }

    private static AddPartitionsToTxnRequestData add(
            Session s, Producer producer, String topic, Integer... partitions) {
        return TransactionSession.add(s.version(), producer, false, topic, partitions);
    }

    private static AddPartitionsToTxnRequestData verify(
            Session s, Producer producer, String topic, Integer... partitions) {
        return TransactionSession.add(s.version(), producer, true, topic, partitions);
    }

    private static void addOffsets(Cases cases) {
        cases.everyVersion(ApiKeys.ADD_OFFSETS_TO_TXN, "a group's offsets", s -> {
            GroupSession.awaitCoordinator(s, s.name("g"));
            Producer producer = TransactionSession.begin(s, "id");
            s.record("answer", TransactionSession.addOffsets(producer, s.name("g")));
            s.record("again", TransactionSession.addOffsets(producer, s.name("g")));
            s.record("another epoch", TransactionSession.addOffsets(producer.withEpoch(4), s.name("g")));
            s.record("another producer", TransactionSession.addOffsets(producer.withId(NOBODY), s.name("g")));
            s.record("unknown id", TransactionSession.addOffsets(producer.of(s.name("nobody")), s.name("g")));
            s.record("no id", TransactionSession.addOffsets(producer.of(""), s.name("g")));
        });
    }

    private static void addEnd(Cases cases) {
        cases.everyVersion(ApiKeys.END_TXN, "commit", s -> ended(s, true));
        cases.everyVersion(ApiKeys.END_TXN, "abort", s -> ended(s, false));
        cases.from(ApiKeys.END_TXN, FIRST_RAISING_END, "abort without a transaction", s -> {
            Producer producer = TransactionSession.begin(s, "id");
            EndTxnResponseData answer =
                    s.record(EndTxnResponseData.class, "answer", TransactionSession.end(producer, false));
            s.recordWhen(
                    EndTxnResponseData.class,
                    "repeated",
                    TransactionSession.end(producer, false),
                    TransactionCases::isSettled);
            s.record("commit then", TransactionSession.end(producer.withEpoch(answer.producerEpoch()), true));
        });
    }

    /** Ends a transaction, and asks for the same and for the opposite once more. */
    private static void ended(Session s, boolean commit) throws Exception {
        Producer producer = TransactionSession.ongoing(s, "id", s.createTopic("t"));
        s.record("answer", TransactionSession.end(producer, commit));
        TransactionSession.awaitState(s, producer, commit ? "CompleteCommit" : "CompleteAbort");
        s.record("repeated", TransactionSession.end(producer, commit));
        s.record("opposite", TransactionSession.end(producer, !commit));
        s.record("described", describe(producer));
    }

    private static boolean isSettled(EndTxnResponseData answer) {
        return answer.errorCode() != Errors.CONCURRENT_TRANSACTIONS.code();
    }

    private static void addEndErrors(Cases cases) {
        cases.everyVersion(ApiKeys.END_TXN, "refused", s -> {
            Producer producer = TransactionSession.begin(s, "id");
            s.record("nothing to commit", TransactionSession.end(producer, true));
            s.record("another epoch", TransactionSession.end(producer.withEpoch(4), true));
            s.record("another producer", TransactionSession.end(producer.withId(NOBODY), true));
            s.record("unknown id", TransactionSession.end(producer.of(s.name("nobody")), true));
            s.record("no id", TransactionSession.end(producer.of(""), true));
        });
        cases.versions(
                ApiKeys.END_TXN,
                ApiKeys.END_TXN.oldestVersion(),
                FIRST_RAISING_END - 1,
                "abort without a transaction, first generation",
                s -> s.record("answer", TransactionSession.end(TransactionSession.begin(s, "id"), false)));
    }

    private static void addDescriptions(Cases cases) {
        cases.everyVersion(ApiKeys.DESCRIBE_TRANSACTIONS, "described", s -> {
            Session.Topic topic = s.createTopic("t");
            Producer open = TransactionSession.ongoing(s, "open", topic);
            Producer idle = TransactionSession.begin(s, "idle");
            s.record("open", describe(open));
            s.record("idle", describe(idle));
            s.record("unknown", describe(idle.of(s.name("nobody"))));
            s.record("no id", describe(idle.of("")));
        });
        cases.everyVersion(ApiKeys.LIST_TRANSACTIONS, "listed", s -> {
            Producer open = TransactionSession.ongoing(s, "open", s.createTopic("t"));
            s.record("by producer", list(open));
            s.record("by state", list(open).setStateFilters(List.of("Ongoing", "Odd")));
            s.record("in another state", list(open).setStateFilters(List.of("CompleteAbort")));
        });
        cases.from(ApiKeys.LIST_TRANSACTIONS, 1, "by duration", s -> {
            Producer open = TransactionSession.ongoing(s, "open", s.createTopic("t"));
            s.record("any", list(open).setDurationFilter(-1));
            s.record("longer than a day", list(open).setDurationFilter(86_400_000));
        });
        cases.from(ApiKeys.LIST_TRANSACTIONS, 2, "by pattern", s -> {
            Producer open = TransactionSession.ongoing(s, "open", s.createTopic("t"));
            s.record("matching", list(open).setTransactionalIdPattern(".*\\.open"));
            s.record("a part", list(open).setTransactionalIdPattern("open"));
            s.record("empty", list(open).setTransactionalIdPattern(""));
            s.record("no pattern", list(open).setTransactionalIdPattern("(a"));
        });
    }

    private static DescribeTransactionsRequestData describe(Producer producer) {
        return new DescribeTransactionsRequestData().setTransactionalIds(List.of(producer.transactionalId()));
    }

    private static ListTransactionsRequestData list(Producer producer) {
        return new ListTransactionsRequestData().setProducerIdFilters(List.of(producer.id()));
    }
}
