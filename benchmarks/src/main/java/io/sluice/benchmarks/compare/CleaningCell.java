package io.sluice.benchmarks.compare;

import io.sluice.benchmarks.load.Topics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** Appends to a compacted topic while it is cleaned, and while it is not. */
record CleaningCell() implements Cell {
    private static final String TOPIC = "state";
    private static final String WARMUP_TOPIC = "warmup";

    @Override
    public String name() {
        return "cleaning-2k";
    }

    @Override
    public String description() {
        return "2,000 keyed records of 1 KiB a second to a topic of 3 GB and a million keys, while it is compacted; linger 0";
    }

    @Override
    public Map<String, Double> measure(Contender contender, Path directory)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        int port = Launch.freePort();
        contender.prepare(directory, port);
        BrokerProcess broker = Launch.start(contender, directory, port);
        try {
            Map<String, String> configs = new HashMap<>(contender.topicConfigs());
            configs.put("cleanup.policy", "compact");
            configs.put("segment.bytes", Integer.toString(256 << 20));
            configs.put("min.compaction.lag.ms", "3600000");
            Topics.create(broker.bootstrap(), List.of(TOPIC, WARMUP_TOPIC), 1, configs);
            return Loads.run(
                    "cleaning",
                    broker,
                    List.of(
                            "topic=" + TOPIC,
                            "warmup-topic=" + WARMUP_TOPIC,
                            "records=3000000",
                            "keys=1000000",
                            "rate=2000",
                            "linger.ms=0"));
        } finally {
            broker.stop();
        }
    }
}
