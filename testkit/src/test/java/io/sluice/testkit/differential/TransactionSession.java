package io.sluice.testkit.differential;

import java.util.List;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopicCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;

/** A transactional producer in the making: what many cases do to it before they ask their own question. */
final class TransactionSession {
    static final int TIMEOUT_MILLIS = 60_000;
    static final int LAST_OF_CLIENTS = 3;
    private static final byte TRANSACTION_KEY = 1;

    private TransactionSession() {}

    /** Who a producer is. */
    record Producer(String transactionalId, long id, short epoch) {
        Producer withEpoch(int other) {
            return new Producer(transactionalId, id, (short) other);
        }

        Producer withId(long other) {
            return new Producer(transactionalId, other, epoch);
        }

        Producer of(String other) {
            return new Producer(other, id, epoch);
        }
    }

    /** The producer of a new transactional id. */
    static Producer begin(Session s, String suffix) throws Exception {
        String id = s.name(suffix);
        awaitCoordinator(s, id);
        InitProducerIdResponseData answer =
                s.askUntil(InitProducerIdResponseData.class, init(id), each -> each.errorCode() == 0);
        s.know(Long.toString(answer.producerId()));
        return new Producer(id, answer.producerId(), answer.producerEpoch());
    }

    static void awaitCoordinator(Session s, String id) throws Exception {
        s.askUntil(
                FindCoordinatorResponseData.class,
                new FindCoordinatorRequestData().setKeyType(TRANSACTION_KEY).setCoordinatorKeys(List.of(id)),
                answer -> answer.coordinators().get(0).errorCode() == 0);
    }

    static InitProducerIdRequestData init(String id) {
        return new InitProducerIdRequestData().setTransactionalId(id).setTransactionTimeoutMs(TIMEOUT_MILLIS);
    }

    /** One whose transaction has touched partition 0 of the topic, as a client of the first generation does it. */
    static Producer ongoing(Session s, String suffix, Session.Topic topic) throws Exception {
        Producer producer = begin(s, suffix);
        s.connection()
                .call(
                        AddPartitionsToTxnResponseData.class,
                        LAST_OF_CLIENTS,
                        add(LAST_OF_CLIENTS, producer, false, topic.name(), 0));
        awaitState(s, producer, "Ongoing");
        return producer;
    }

    static void awaitState(Session s, Producer producer, String state) throws Exception {
        s.askUntil(
                DescribeTransactionsResponseData.class,
                new DescribeTransactionsRequestData().setTransactionalIds(List.of(producer.transactionalId())),
                answer -> answer.transactionStates().get(0).transactionState().equals(state));
    }

    /** AddPartitionsToTxn as the version has it. */
    static AddPartitionsToTxnRequestData add(
            int version, Producer producer, boolean verifyOnly, String topic, Integer... partitions) {
        AddPartitionsToTxnTopicCollection topics = new AddPartitionsToTxnTopicCollection();
        topics.add(new AddPartitionsToTxnTopic().setName(topic).setPartitions(List.of(partitions)));
        AddPartitionsToTxnRequestData request = new AddPartitionsToTxnRequestData();
        if (version <= LAST_OF_CLIENTS) {
            return request.setV3AndBelowTransactionalId(producer.transactionalId())
                    .setV3AndBelowProducerId(producer.id())
                    .setV3AndBelowProducerEpoch(producer.epoch())
                    .setV3AndBelowTopics(topics);
        }
        request.transactions()
                .add(new AddPartitionsToTxnTransaction()
                        .setTransactionalId(producer.transactionalId())
                        .setProducerId(producer.id())
                        .setProducerEpoch(producer.epoch())
                        .setVerifyOnly(verifyOnly)
                        .setTopics(topics));
        return request;
    }

    static AddOffsetsToTxnRequestData addOffsets(Producer producer, String group) {
        return new AddOffsetsToTxnRequestData()
                .setTransactionalId(producer.transactionalId())
                .setProducerId(producer.id())
                .setProducerEpoch(producer.epoch())
                .setGroupId(group);
    }

    static EndTxnRequestData end(Producer producer, boolean commit) {
        return new EndTxnRequestData()
                .setTransactionalId(producer.transactionalId())
                .setProducerId(producer.id())
                .setProducerEpoch(producer.epoch())
                .setCommitted(commit);
    }
}
