package io.sluice.broker.net;

import static io.sluice.broker.fixture.Requests.produce;
import static io.sluice.broker.fixture.Requests.produceAnswer;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.fixture.RawClient;
import io.sluice.broker.fixture.ScriptedHandler;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.junit.jupiter.api.Test;

/** Parts of requests that outlive the answer: the journal writes large batches from where they arrived. */
class KeptRequestTest {
    private static final int LARGE = 300_000;

    private final List<ByteBuf> kept = new CopyOnWriteArrayList<>();
    private final List<byte[]> arrived = new CopyOnWriteArrayList<>();
    private final ApiHandler<ProduceRequest> handler = ScriptedHandler.doing(ApiKeys.PRODUCE, this::keepAndAnswer);

    private void keepAndAnswer(Call<ProduceRequest> call) {
        MemoryRecords records = (MemoryRecords) call.request()
                .data()
                .topicData()
                .iterator()
                .next()
                .partitionData()
                .get(0)
                .records();
        ByteBuf part = call.keep(records.buffer());
        kept.add(part);
        arrived.add(ByteBufUtil.getBytes(part));
        call.respond(produceAnswer(0));
    }

    @Test
    void keepTheirMemoryUntilTheyAreReleased() throws Exception {
        try (BrokerFixture broker = BrokerFixture.start(handler);
                RawClient client = broker.connect()) {
            for (int i = 0; i < 20; i++) {
                client.call(produce(1, LARGE + i), ProduceResponse.class);
            }
            for (int i = 0; i < kept.size(); i++) {
                assertThat(ByteBufUtil.getBytes(kept.get(i))).isEqualTo(arrived.get(i));
                kept.get(i).release();
            }
            assertThat(kept).hasSize(20);
        }
    }
}
