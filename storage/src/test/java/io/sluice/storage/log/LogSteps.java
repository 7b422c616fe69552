package io.sluice.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.log.AppendResult.Refusal;
import io.sluice.storage.log.AppendResult.Refused;
import io.sluice.storage.log.ReadRequest.Limit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The steps that contract tests are made of. */
abstract class LogSteps {
    protected static final TopicId TOPIC = new TopicId(7, 9);
    protected static final int EPOCH = 3;

    protected LogWorld world;

    /** A world without any log. */
    protected abstract LogWorld newWorld();

    @BeforeEach
    void begin() {
        world = newWorld();
    }

    @AfterEach
    void end() {
        world.close();
    }

    protected PartitionLog open(int partition, Map<String, String> configs) {
        return open(partition, EPOCH, configs);
    }

    protected PartitionLog open(int partition, int epoch, Map<String, String> configs) {
        var stage = world.store()
                .open(new PartitionId(TOPIC, partition), "orders", 100 + partition, epoch, configs)
                .toCompletableFuture();
        world.runTasks();
        world.settle();
        return stage.join();
    }

    protected static AppendResult append(PartitionLog log, ByteBuf batch) {
        return append(log, batch, AppendOrigin.CLIENT);
    }

    protected static AppendResult append(PartitionLog log, ByteBuf batch, AppendOrigin origin) {
        try {
            return VerifiedAppend.append(log, batch, origin);
        } finally {
            batch.release();
        }
    }

    protected ReadResult read(PartitionLog log, long offset, int maxBytes, boolean atLeastOne, Limit limit) {
        AtomicReference<ReadResult> result = new AtomicReference<>();
        log.read(new ReadRequest(offset, maxBytes, atLeastOne, limit, Runnable::run), result::set);
        world.runTasks();
        return Objects.requireNonNull(result.get(), "no result");
    }

    protected List<String> values(PartitionLog log, long offset, Limit limit) {
        return valuesOf(read(log, offset, 1 << 20, true, limit));
    }

    protected static List<String> valuesOf(ReadResult result) {
        assertThat(result).isInstanceOf(ReadResult.Records.class);
        return TestBatches.values(((ReadResult.Records) result).slice());
    }

    protected static Refusal refusalOf(AppendResult result) {
        assertThat(result).isInstanceOf(Refused.class);
        return ((Refused) result).reason();
    }

    protected OffsetQuery.Result find(PartitionLog log, long timestamp) {
        AtomicReference<OffsetQuery.Result> result = new AtomicReference<>();
        log.findOffset(new OffsetQuery(timestamp, Limit.VISIBLE, Runnable::run), result::set);
        world.runTasks();
        return Objects.requireNonNull(result.get(), "no result");
    }
}
