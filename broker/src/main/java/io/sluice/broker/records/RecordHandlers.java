package io.sluice.broker.records;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.fetch.FetchHandler;
import io.sluice.broker.offset.ListOffsetsHandler;
import io.sluice.broker.offset.OffsetForLeaderEpochHandler;
import io.sluice.broker.produce.ProduceHandler;
import io.sluice.broker.producerid.InitProducerIdHandler;
import io.sluice.broker.producerid.ProducerIds;
import io.sluice.broker.serving.ServedTopics;
import java.util.List;

/** The handlers that move records, over one table of topics. */
public final class RecordHandlers {
    private RecordHandlers() {}

    /** All of them. */
    public static List<ApiHandler<?>> all(RecordEnvironment environment) {
        ServedTopics topics = new ServedTopics(environment.images(), environment.defaults(), environment.metrics());
        return List.of(
                new ProduceHandler(
                        topics,
                        environment.logs(),
                        environment.ownership(),
                        environment.clock(),
                        environment.scheduler(),
                        environment.allocator(),
                        environment.metrics()),
                new FetchHandler(
                        topics,
                        environment.logs(),
                        environment.ownership(),
                        new FetchHandler.Time(environment.clock(), environment.scheduler()),
                        environment.fetchLimits(),
                        environment.allocator()::reservedBuffer,
                        environment.metrics()),
                new ListOffsetsHandler(topics, environment.logs(), environment.ownership()),
                new OffsetForLeaderEpochHandler(topics, environment.logs(), environment.ownership()),
                new InitProducerIdHandler(new ProducerIds(environment.metadata())));
    }
}
