package io.sluice.testkit.compat;

import java.util.LinkedHashMap;
import java.util.Map;

/** What is done with Kafka's tools, in the order of the tests; each makes its own topics and groups. */
final class ToolScenarios {
    private ToolScenarios() {}

    /** A sequence of commands, and what clients do between them. */
    interface Scenario {
        void play(ToolStage stage) throws Exception;
    }

    static Map<String, Scenario> all() {
        Map<String, Scenario> all = new LinkedHashMap<>();
        all.put("topics", ToolScenarios::topics);
        all.put("configs of topics", ToolScenarios::topicConfigs);
        all.put("configs of others", ToolScenarios::otherConfigs);
        all.put("get-offsets", ToolScenarios::getOffsets);
        all.put("delete-records", ToolScenarios::deleteRecords);
        all.put("log-dirs", ToolScenarios::logDirs);
        all.put("console-consumer", ToolScenarios::consoleConsumer);
        all.put("client-metrics", ToolScenarios::clientMetrics);
        all.put("transactions", ToolScenarios::transactions);
        all.put("replicas", ToolScenarios::replicas);
        all.put("cluster", ToolScenarios::cluster);
        all.put("security", ToolScenarios::security);
        all.putAll(GroupToolScenarios.all());
        return all;
    }

    private static void topics(ToolStage stage) throws Exception {
        stage.run(
                "topics --create --topic top.a --partitions 3 --config retention.ms=100000 --config cleanup.policy=compact");
        stage.run("topics --create --topic top.b");
        stage.run("topics --create --topic top.a");
        stage.run("topics --create --topic top.a --if-not-exists");
        stage.run("topics --create --topic top_a");
        stage.run("topics --create --topic top.c --config no.such=1");
        stage.run("topics --create --topic top.c --config retention.ms=soon");
        stage.run("topics --create --topic top.c --replication-factor 2");
        stage.run("topics --create --topic top.c --partitions 0");
        stage.run("topics --create --topic top/c");
        stage.run("topics --create --topic top.assigned --replica-assignment 1,1");
        stage.run("topics --create --topic top.wrong --replica-assignment 9");
        stage.runUntil("top.assigned", "topics --list");
        stage.run("topics --list --exclude-internal");
        stage.run("topics --list --topic top.a.*");
        stage.run("topics --describe --topic top.a");
        stage.run("topics --describe --topic top.assigned");
        stage.run("topics --describe --topics-with-overrides");
        stage.run("topics --describe --under-replicated-partitions");
        stage.run("topics --describe --unavailable-partitions");
        stage.run("topics --describe --under-min-isr-partitions");
        stage.run("topics --describe --at-min-isr-partitions");
        stage.run("topics --describe --topic absent");
        stage.run("topics --describe --topic absent --if-exists");
        stage.run("topics --describe --topic-id AAAAAAAAAAAAAAAAAAAAEg");
        stage.run("topics --alter --topic top.a --partitions 5");
        stage.run("topics --alter --topic top.a --partitions 2");
        stage.run("topics --alter --topic top.a --partitions 5");
        stage.run("topics --alter --topic absent --partitions 5");
        stage.runUntil("PartitionCount: 5", "topics --describe --topic top.a");
        stage.run("topics --delete --topic top.assigned");
        stage.run("topics --delete --topic absent");
        stage.run("topics --delete --topic absent --if-exists");
    }

    private static void topicConfigs(ToolStage stage) throws Exception {
        String ofTopic = " --entity-type topics --entity-name conf";
        stage.topic("conf", 1);
        stage.run("configs --describe" + ofTopic);
        stage.run("configs --alter" + ofTopic + " --add-config retention.ms=1000,cleanup.policy=[compact,delete]");
        stage.runUntil("retention.ms", "configs --describe" + ofTopic);
        stage.run("configs --describe --all" + ofTopic);
        stage.run("configs --alter" + ofTopic + " --delete-config cleanup.policy");
        stage.run("configs --alter" + ofTopic + " --delete-config segment.bytes");
        stage.run("configs --alter" + ofTopic + " --add-config no.such=1");
        stage.run("configs --alter" + ofTopic + " --add-config retention.ms=soon");
        stage.run("configs --alter --entity-type topics --entity-name absent --add-config retention.ms=1");
        stage.run("configs --describe --entity-type topics --entity-name absent");
        stage.run("configs --describe --topic conf");
        stage.run("configs --describe --entity-type topics");
    }

    private static void otherConfigs(ToolStage stage) throws Exception {
        String defaults = " --entity-type brokers --entity-default";
        stage.run("configs --describe" + defaults);
        stage.run("configs --alter" + defaults + " --add-config message.max.bytes=2000000");
        stage.runUntil("2000000", "configs --describe" + defaults);
        stage.run("configs --alter" + defaults + " --add-config message.max.bytes=many");
        stage.run("configs --alter" + defaults + " --add-config node.id=7");
        stage.run("configs --alter" + defaults + " --delete-config message.max.bytes");
        String broker = " --entity-type brokers --entity-name 1";
        stage.run("configs --alter" + broker + " --add-config log.retention.ms=5000000");
        stage.runUntil("log.retention.ms=5000000 sensitive", "configs --describe" + broker);
        stage.run("configs --alter" + broker + " --delete-config log.retention.ms");
        stage.run("configs --alter --entity-type broker-loggers --entity-name 1 --add-config root=WARN");
        stage.run("configs --alter --entity-type broker-loggers --entity-name 1 --add-config root=LOUD");
        String group = " --entity-type groups --entity-name conf-group";
        stage.run("configs --alter" + group + " --add-config consumer.session.timeout.ms=50000");
        stage.runUntil("50000", "configs --describe" + group);
        stage.run("configs --alter" + group + " --add-config consumer.session.timeout.ms=1");
        stage.run("configs --alter" + group + " --add-config no.such=1");
        stage.run("configs --describe --entity-type groups");
        stage.run("configs --alter" + group + " --delete-config consumer.session.timeout.ms");
        stage.run("configs --describe --entity-type users");
        stage.run("configs --describe --entity-type clients --entity-default");
    }

    private static void getOffsets(ToolStage stage) throws Exception {
        stage.topic("offs-1", 3);
        stage.topic("offs-2", 1);
        stage.records("offs-1", 0, 4);
        stage.records("offs-1", 1, 2);
        for (String time : new String[] {"latest", "earliest", "max-timestamp", "earliest-local", "latest-tiered"}) {
            stage.run("get-offsets --topic offs-.* --time " + time);
        }
        stage.run("get-offsets --topic offs-1 --time " + (ToolStage.FIRST_RECORD_MILLIS + 1));
        stage.run("get-offsets --topic offs-1 --partitions 0,2");
        stage.run("get-offsets --topic offs-1 --partitions 7");
        stage.run("get-offsets --topic-partitions offs-1:0-2,offs-2");
        stage.run("get-offsets --topic absent");
        stage.run("get-offsets --exclude-internal-topics --topic offs-2");
    }

    private static void deleteRecords(ToolStage stage) throws Exception {
        stage.topic("del", 2);
        stage.records("del", 0, 5);
        stage.run("delete-records --offset-json-file " + stage.file("some.json", deletion("del", 0, 3)));
        stage.run("get-offsets --topic del --time earliest");
        stage.run("delete-records --offset-json-file " + stage.file("high.json", deletion("del", 0, 99)));
        stage.run("delete-records --offset-json-file " + stage.file("all.json", deletion("del", 0, -1)));
        stage.run("get-offsets --topic del --time earliest");
        stage.run("delete-records --offset-json-file " + stage.file("json.json", "{\"version\":1"));
    }

    private static String deletion(String topic, int partition, long offset) {
        return "{\"version\":1,\"partitions\":[{\"topic\":\"" + topic + "\",\"partition\":" + partition + ",\"offset\":"
                + offset + "}]}";
    }

    private static void logDirs(ToolStage stage) throws Exception {
        stage.topic("dirs", 2);
        stage.records("dirs", 0, 3);
        stage.run("log-dirs --describe --topic-list dirs");
        stage.run("log-dirs --describe --topic-list dirs --broker-list 1");
        stage.run("log-dirs --describe --topic-list dirs --broker-list 9");
        stage.run("log-dirs --describe --topic-list absent");
    }

    private static void consoleConsumer(ToolStage stage) throws Exception {
        stage.topic("console", 1);
        stage.records("console", 0, 5);
        String format = " --formatter-property print.key=true --formatter-property print.offset=true"
                + " --formatter-property print.timestamp=true";
        stage.run(
                "console-consumer --topic console --from-beginning --max-messages 5 --group console-classic" + format);
        stage.run("console-consumer --topic console --partition 0 --offset 3 --max-messages 2" + format);
        stage.run("console-consumer --topic console --partition 0 --offset latest --timeout-ms 500");
        stage.run("console-consumer --topic console --from-beginning --max-messages 1 --group console-group"
                + " --command-property group.protocol=consumer");
    }

    private static void clientMetrics(ToolStage stage) throws Exception {
        stage.run("client-metrics --list");
        stage.run("client-metrics --alter --name cm-1 --metrics org.apache.kafka.producer.,org.apache.kafka.consumer."
                + " --interval 30000 --match client_software_name=apache-kafka-java");
        stage.runUntil("30000", "client-metrics --describe --name cm-1");
        stage.run("client-metrics --alter --name cm-1 --interval 1");
        stage.run("client-metrics --alter --name cm-1 --match nobody=x");
        stage.run("client-metrics --alter --name cm-1 --interval ");
        stage.run("client-metrics --list");
        stage.run("client-metrics --describe");
        stage.run("client-metrics --delete --name cm-1");
        stage.run("client-metrics --delete --name absent");
        stage.run("client-metrics --describe --name absent");
    }

    private static void transactions(ToolStage stage) throws Exception {
        stage.topic("txn", 1);
        stage.run("transactions list");
        var producer = stage.producer(Map.of("transactional.id", "txn-id"));
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new org.apache.kafka.clients.producer.ProducerRecord<>("txn", 0, "key", "value"))
                .get();
        stage.run("transactions list");
        stage.run("transactions list --duration-filter 3600000");
        stage.run("transactions list --transactional-id-pattern none.*");
        stage.run("transactions describe --transactional-id txn-id");
        stage.run("transactions describe-producers --topic txn --partition 0");
        stage.run("transactions describe-producers --topic txn --partition 0 --broker-id 1");
        stage.run("transactions find-hanging --broker-id 1");
        stage.run("transactions find-hanging --topic txn");
        stage.run("transactions forceTerminateTransaction --transactionalId txn-id");
        stage.runUntil("CompleteAbort|Empty", "transactions describe --transactional-id txn-id");
        stage.run("transactions describe-producers --topic txn --partition 0");
        stage.run("transactions describe --transactional-id absent");
        stage.run("transactions abort --topic txn --partition 0 --start-offset 0");
        stage.run("transactions forceTerminateTransaction --transactionalId absent");
    }

    private static void replicas(ToolStage stage) throws Exception {
        stage.topic("repl", 2);
        stage.run("leader-election --election-type preferred --topic repl --partition 0");
        stage.run("leader-election --election-type unclean --topic repl --partition 0");
        stage.run("leader-election --election-type preferred --topic repl --partition 9");
        stage.run("leader-election --election-type preferred --topic absent --partition 0");
        stage.run("reassign-partitions --list");
        String same = stage.file("same.json", reassignment("repl", 1));
        stage.run("reassign-partitions --execute --reassignment-json-file " + same);
        stage.run("reassign-partitions --verify --reassignment-json-file " + same);
        stage.run("reassign-partitions --cancel --reassignment-json-file " + same);
        stage.run("reassign-partitions --execute --reassignment-json-file "
                + stage.file("other.json", reassignment("repl", 9)));
        stage.run("reassign-partitions --execute --reassignment-json-file "
                + stage.file("absent.json", reassignment("absent", 1)));
        stage.run("reassign-partitions --generate --broker-list 1 --topics-to-move-json-file "
                + stage.file("move.json", "{\"version\":1,\"topics\":[{\"topic\":\"repl\"}]}"));
    }

    private static String reassignment(String topic, int broker) {
        return "{\"version\":1,\"partitions\":[{\"topic\":\"" + topic + "\",\"partition\":0,\"replicas\":[" + broker
                + "]}]}";
    }

    private static void cluster(ToolStage stage) throws Exception {
        stage.run("cluster cluster-id");
        stage.run("cluster list-endpoints");
        stage.run("cluster unregister --id 9");
        stage.run("broker-api-versions");
        stage.run("features describe");
        stage.run("features upgrade --feature transaction.version=2");
        stage.run("features upgrade --feature transaction.version=99");
        stage.run("features upgrade --feature no.such=1");
        stage.run("features downgrade --feature transaction.version=1 --dry-run");
        stage.run("metadata-quorum describe --status");
        stage.run("metadata-quorum describe --replication");
    }

    private static void security(ToolStage stage) throws Exception {
        stage.run("acls --list");
        stage.run("acls --add --allow-principal User:a --operation Read --topic t --force");
        stage.run("delegation-tokens --describe --command-config " + stage.file("empty.properties", ""));
    }
}
