package io.sluice.benchmarks.compare;

import io.sluice.benchmarks.load.ProcessSample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Cells about the life of the process: start, idle, stop, restart, many partitions. */
final class LifeCells {
    private static final long SETTLE_SECONDS = 10;

    private LifeCells() {}

    /** A contender that differs from another one in its topics' settings only says nothing new here. */
    private static boolean isPlain(Contender contender) {
        return contender.stores() && contender.topicConfigs().isEmpty();
    }

    /** Start to the first acknowledged record on a fresh directory, then idle, then stop. */
    record Start() implements Cell {
        @Override
        public String name() {
            return "start";
        }

        @Override
        public String description() {
            return "start on a fresh directory to first acknowledged record; then idle for 10 s; then SIGTERM";
        }

        @Override
        public boolean appliesTo(Contender contender) {
            return isPlain(contender);
        }

        @Override
        public Map<String, Double> measure(Contender contender, Path directory)
                throws IOException, InterruptedException, ExecutionException, TimeoutException {
            int port = Launch.freePort();
            contender.prepare(directory, port);
            Loads.Running first = startFirst(port);
            long started = System.currentTimeMillis();
            BrokerProcess broker = Launch.start(contender, directory, port);
            Map<String, Double> figures = new LinkedHashMap<>();
            try {
                figures.put("first ack ms", acknowledged(first) - started);
                ProcessSample before = broker.sample();
                TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
                ProcessSample idle = broker.sample();
                figures.put("start CPU s", before.processCpuSeconds());
                figures.put("idle RSS MiB", idle.residentMebibytes());
                figures.put("threads", (double) idle.threads());
                figures.put(
                        "idle CPU ms/s",
                        (idle.processCpuSeconds() - before.processCpuSeconds()) * 1000 / SETTLE_SECONDS);
            } finally {
                figures.put("stop s", broker.stop());
            }
            return figures;
        }
    }

    /** 1,000 partitions with 2 GB in them, kill -9, start to first acknowledged record. */
    record Restart(int topics, int partitionsEach, long fillRecords) implements Cell {
        @Override
        public String name() {
            return "restart-" + topics * partitionsEach;
        }

        @Override
        public String description() {
            return topics * partitionsEach + " partitions, " + fillRecords
                    + " records of 1 KiB, kill -9, restart to first acknowledged record";
        }

        @Override
        public boolean appliesTo(Contender contender) {
            return isPlain(contender);
        }

        @Override
        public Map<String, Double> measure(Contender contender, Path directory)
                throws IOException, InterruptedException, ExecutionException, TimeoutException {
            int port = Launch.freePort();
            contender.prepare(directory, port);
            BrokerProcess broker = Launch.start(contender, directory, port);
            Loads.run("touch", broker, List.of("topic=many", "topics=" + topics, "partitions=" + partitionsEach));
            for (int t = 0; t < Math.min(topics, 10) && fillRecords > 0; t++) {
                Loads.run(
                        "produce",
                        broker,
                        List.of("topic=many" + t, "warmup=0", "records=" + fillRecords / Math.min(topics, 10)));
            }
            broker.kill();
            return restartFigures(contender, directory, port);
        }
    }

    /** Many partitions created and written to once, then kill -9 and restart. */
    record ManyPartitions(int topics, int partitionsEach) implements Cell {
        @Override
        public String name() {
            return "partitions-" + topics + "x" + partitionsEach;
        }

        @Override
        public String description() {
            return topics + " topics of " + partitionsEach
                    + " created, one record written to and read from each partition; then kill -9 and restart";
        }

        @Override
        public boolean appliesTo(Contender contender) {
            return isPlain(contender);
        }

        @Override
        public Map<String, Double> measure(Contender contender, Path directory)
                throws IOException, InterruptedException, ExecutionException, TimeoutException {
            int port = Launch.freePort();
            contender.prepare(directory, port);
            BrokerProcess broker = Launch.start(contender, directory, port);
            Map<String, Double> figures = new LinkedHashMap<>();
            figures.putAll(Loads.run(
                    "touch", broker, List.of("topic=many", "topics=" + topics, "partitions=" + partitionsEach)));
            figures.keySet().retainAll(List.of("create s", "total s", "errors"));
            Map<String, Double> read = Loads.run(
                    "consume",
                    broker,
                    List.of(
                            "topic=many",
                            "topics=" + topics,
                            "partitions=" + partitionsEach,
                            "records=" + topics * partitionsEach));
            figures.put("read records/s", read.get("records/s"));
            figures.put("read errors", read.get("errors"));
            ProcessSample sample = broker.sample();
            figures.put("RSS MiB", sample.residentMebibytes());
            figures.put("descriptors", (double) sample.descriptors());
            broker.kill();
            figures.putAll(restartFigures(contender, directory, port));
            return figures;
        }
    }

    private static Map<String, Double> restartFigures(Contender contender, Path directory, int port)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        Loads.Running first = startFirst(port);
        long started = System.currentTimeMillis();
        BrokerProcess broker = Launch.start(contender, directory, port);
        Map<String, Double> figures = new LinkedHashMap<>();
        try {
            figures.put("restart first ack ms", acknowledged(first) - started);
            figures.put("restart CPU s", broker.sample().processCpuSeconds());
            figures.put("restart RSS MiB", broker.sample().residentMebibytes());
        } finally {
            figures.put("stop s", broker.stop());
        }
        return figures;
    }

    private static Loads.Running startFirst(int port)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        Loads.Running first = Loads.start("first", List.of("bootstrap=127.0.0.1:" + port, "topic=first"));
        first.awaitLine("READY");
        return first;
    }

    private static double acknowledged(Loads.Running first)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        return first.result().getOrDefault("acknowledged epoch ms", Double.NaN);
    }
}
