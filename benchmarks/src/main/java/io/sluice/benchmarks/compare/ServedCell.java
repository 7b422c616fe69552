package io.sluice.benchmarks.compare;

import io.sluice.benchmarks.load.Topics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * A cell that runs one load against a fresh broker with one topic.
 *
 * @param partitions of the topic called "load"
 * @param floorApplies whether a broker that stores nothing can serve it
 * @param fill options of a produce load that fills the topic before the measurement; empty for none
 * @param load which load
 * @param options of the load, without bootstrap, pid and topic
 */
record ServedCell(
        String name,
        String description,
        int partitions,
        boolean floorApplies,
        List<String> fill,
        String load,
        List<String> options)
        implements Cell {
    private static final String TOPIC = "load";
    private static final List<String> WARM_BROKER =
            List.of("topic=warm", "records=300000", "warmup=0", "size=1024", "acks=1");

    @Override
    public boolean appliesTo(Contender contender) {
        return floorApplies || contender.stores();
    }

    @Override
    public Map<String, Double> measure(Contender contender, Path directory)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        int port = Launch.freePort();
        contender.prepare(directory, port);
        BrokerProcess broker = Launch.start(contender, directory, port);
        try {
            Topics.create(broker.bootstrap(), List.of("warm"), 4, Map.of());
            Loads.run("produce", broker, WARM_BROKER);
            Topics.create(broker.bootstrap(), List.of(TOPIC), partitions, contender.topicConfigs());
            if (!fill.isEmpty()) {
                Loads.run("produce", broker, withTopic(fill));
            }
            return Loads.run(load, broker, withTopic(options));
        } finally {
            broker.stop();
        }
    }

    private List<String> withTopic(List<String> words) {
        List<String> all = new java.util.ArrayList<>(words);
        all.add("topic=" + TOPIC);
        all.add("partitions=" + partitions);
        return all;
    }
}
