package io.sluice.broker.producerid;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.metadata.MetadataStore;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.broker.simulation.RecordingConnection;
import io.sluice.coordinator.transaction.NoTransactions;
import io.sluice.storage.metadata.InMemoryMetadataStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.InitProducerIdRequest;
import org.apache.kafka.common.requests.InitProducerIdResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InitProducerIdHandlerTest {
    private static final int MAX_TIMEOUT = 70_000;

    private final Queue<Runnable> metadataThread = new ArrayDeque<>();
    private final MetadataStore store = new InMemoryMetadataStore(metadataThread::add);
    private InitProducerIdHandler handler = newHandler();

    @ParameterizedTest
    @ValueSource(shorts = {0, 1, 2, 3, 4, 5})
    void givesEveryProducerAnIdOfItsOwn(short version) {
        Set<Long> ids = new HashSet<>();
        for (int i = 0; i < 3 * ProducerIds.BLOCK; i++) {
            RecordingCall<InitProducerIdRequest> call = send(idempotent(), version);
            runMetadataThread();
            InitProducerIdResponseData answer = answer(call);
            assertThat(answer.errorCode()).isEqualTo(Errors.NONE.code());
            assertThat(answer.producerEpoch()).isZero();
            assertThat(ids.add(answer.producerId())).isTrue();
        }
    }

    @Test
    void noIdIsGivenTwiceOverRestarts() {
        Set<Long> ids = new HashSet<>();
        for (int restart = 0; restart < 5; restart++) {
            handler = newHandler();
            for (int i = 0; i < 10; i++) {
                RecordingCall<InitProducerIdRequest> call = send(idempotent(), (short) 4);
                runMetadataThread();
                assertThat(ids.add(answer(call).producerId())).isTrue();
            }
        }
    }

    @Test
    void noIdIsGivenBeforeItsBlockIsReserved() {
        RecordingCall<InitProducerIdRequest> call = send(idempotent(), (short) 4);

        assertThat(call.isAnswered()).isFalse();
        runMetadataThread();

        assertThat(answer(call).errorCode()).isEqualTo(Errors.NONE.code());
    }

    @Test
    void twoNodesOnOneStoreShareNoId() {
        InitProducerIdHandler other = newHandler();
        Set<Long> ids = new HashSet<>();
        for (int i = 0; i < 2_500; i++) {
            RecordingCall<InitProducerIdRequest> first = send(idempotent(), (short) 4);
            RecordingCall<InitProducerIdRequest> second = call(idempotent(), (short) 4);
            other.handle(second);
            runMetadataThread();
            assertThat(ids.add(answer(first).producerId())).isTrue();
            assertThat(ids.add(answer(second).producerId())).isTrue();
        }
    }

    @Test
    void whoWaitsIsAnsweredInOrderAndTooManyAreTurnedAway() {
        List<RecordingCall<InitProducerIdRequest>> calls = new ArrayList<>();
        for (int i = 0; i < ProducerIds.MAX_WAITING + 1; i++) {
            calls.add(send(idempotent(), (short) 4));
        }

        assertError(calls.get(ProducerIds.MAX_WAITING), Errors.COORDINATOR_LOAD_IN_PROGRESS);
        runMetadataThread();

        long previous = -1;
        for (RecordingCall<InitProducerIdRequest> call : calls.subList(0, ProducerIds.MAX_WAITING)) {
            assertThat(answer(call).producerId()).isGreaterThan(previous);
            previous = answer(call).producerId();
        }
    }

    @Test
    void aStoreThatFailsIsSaidSo() {
        store.close();
        RecordingCall<InitProducerIdRequest> call = send(idempotent(), (short) 4);
        runMetadataThread();

        assertError(call, Errors.COORDINATOR_LOAD_IN_PROGRESS);
    }

    @Test
    void transactionalIdsWaitForACoordinator() {
        assertError(send(transactional("tx", 60_000), (short) 4), Errors.COORDINATOR_NOT_AVAILABLE);
        assertError(send(transactional("tx", MAX_TIMEOUT), (short) 4), Errors.COORDINATOR_NOT_AVAILABLE);
        assertError(send(transactional("", 60_000), (short) 4), Errors.INVALID_REQUEST);
        assertError(send(transactional("tx", 0), (short) 4), Errors.INVALID_TRANSACTION_TIMEOUT);
        assertError(send(transactional("tx", MAX_TIMEOUT + 1), (short) 4), Errors.INVALID_TRANSACTION_TIMEOUT);
    }

    @Test
    void twoPhaseCommitIsOff() {
        assertError(
                send(transactional("tx", 60_000).setEnable2Pc(true), (short) 6),
                Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
        assertError(send(transactional("tx", 60_000).setKeepPreparedTxn(true), (short) 6), Errors.UNSUPPORTED_VERSION);
    }

    @Test
    void anIdWithoutAnEpochIsInvalid() {
        assertError(send(idempotent().setProducerId(5), (short) 4), Errors.INVALID_REQUEST);
        assertError(send(idempotent().setProducerEpoch((short) 5), (short) 4), Errors.INVALID_REQUEST);
    }

    private InitProducerIdHandler newHandler() {
        return new InitProducerIdHandler(new ProducerIds(store), new NoTransactions(), MAX_TIMEOUT);
    }

    private static InitProducerIdRequestData idempotent() {
        return new InitProducerIdRequestData().setTransactionalId(null);
    }

    private static InitProducerIdRequestData transactional(String id, int timeoutMillis) {
        return new InitProducerIdRequestData().setTransactionalId(id).setTransactionTimeoutMs(timeoutMillis);
    }

    private RecordingCall<InitProducerIdRequest> send(InitProducerIdRequestData data, short version) {
        RecordingCall<InitProducerIdRequest> call = call(data, version);
        handler.handle(call);
        return call;
    }

    private static RecordingCall<InitProducerIdRequest> call(InitProducerIdRequestData data, short version) {
        // Through the wire: Kafka's builder refuses what a client may well send.
        InitProducerIdRequest request =
                InitProducerIdRequest.parse(MessageUtil.toByteBufferAccessor(data, version), version);
        return new RecordingCall<>(request, new RecordingConnection(1), 0);
    }

    private void runMetadataThread() {
        for (Runnable task = metadataThread.poll(); task != null; task = metadataThread.poll()) {
            task.run();
        }
    }

    private static InitProducerIdResponseData answer(RecordingCall<InitProducerIdRequest> call) {
        return ((InitProducerIdResponse) call.response()).data();
    }

    private static void assertError(RecordingCall<InitProducerIdRequest> call, Errors error) {
        assertThat(Errors.forCode(answer(call).errorCode())).isEqualTo(error);
        assertThat(answer(call).producerId()).isEqualTo(-1);
        assertThat(answer(call).producerEpoch()).isEqualTo((short) -1);
    }
}
