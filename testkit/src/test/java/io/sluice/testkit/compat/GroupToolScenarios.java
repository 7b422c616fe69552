package io.sluice.testkit.compat;

import io.sluice.testkit.compat.ToolScenarios.Scenario;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;

/** What is done with Kafka's tools for groups. */
final class GroupToolScenarios {
    private GroupToolScenarios() {}

    static Map<String, Scenario> all() {
        Map<String, Scenario> all = new LinkedHashMap<>();
        all.put("consumer-groups, classic", stage -> consumerGroup(stage, "classic"));
        all.put("consumer-groups, consumer", stage -> consumerGroup(stage, "consumer"));
        all.put("consumer-groups, offsets", GroupToolScenarios::offsets);
        all.put("share-groups", GroupToolScenarios::shareGroups);
        all.put("streams-groups", GroupToolScenarios::streamsGroups);
        all.put("groups", GroupToolScenarios::groups);
        return all;
    }

    private static void consumerGroup(ToolStage stage, String protocol) throws Exception {
        String group = "live-" + protocol;
        String topic = "topic-of-" + group;
        stage.topic(topic, 2);
        stage.records(topic, 0, 3);
        KafkaConsumer<String, String> member = stage.member(group, topic, Map.of("group.protocol", protocol));
        String ofGroup = " --group " + group;
        stage.run("consumer-groups --list --state stable");
        stage.run("consumer-groups --list --type " + protocol);
        stage.run("consumer-groups --describe" + ofGroup);
        stage.run("consumer-groups --describe --verbose" + ofGroup);
        stage.run("consumer-groups --describe --members" + ofGroup);
        stage.run("consumer-groups --describe --members --verbose" + ofGroup);
        stage.run("consumer-groups --describe --state" + ofGroup);
        stage.run("consumer-groups --describe --state --verbose" + ofGroup);
        stage.run("consumer-groups --delete" + ofGroup);
        stage.run("consumer-groups --delete-offsets --topic " + topic + ofGroup);
        stage.run("consumer-groups --reset-offsets --to-earliest --execute --topic " + topic + ofGroup);
        member.close();
        stage.run("consumer-groups --describe" + ofGroup);
        stage.run("consumer-groups --describe --state" + ofGroup);
        stage.run("consumer-groups --describe --members" + ofGroup);
        stage.run("consumer-groups --delete-offsets --topic " + topic + ":0" + ofGroup);
        stage.run("consumer-groups --delete" + ofGroup);
        stage.run("consumer-groups --describe" + ofGroup);
        stage.run("consumer-groups --delete" + ofGroup);
    }

    private static void offsets(ToolStage stage) throws Exception {
        stage.topic("reset", 2);
        stage.records("reset", 0, 6);
        stage.records("reset", 1, 2);
        stage.member("reset-group", "reset", Map.of()).close();
        String reset = "consumer-groups --reset-offsets --group reset-group --topic reset";
        stage.run(reset + " --to-earliest --dry-run");
        stage.run(reset + " --to-earliest");
        stage.run(reset + " --to-earliest --execute");
        stage.run(reset + " --shift-by 2 --execute");
        stage.run(reset + " --shift-by 99 --dry-run");
        stage.run(reset + ":0 --to-offset 5 --execute");
        stage.run(reset + " --to-latest --dry-run --export");
        stage.run(reset + " --to-current --dry-run");
        stage.run(reset + " --to-datetime 2020-01-01T00:00:01.000+00:00 --dry-run");
        stage.run(reset + " --by-duration P1D --dry-run");
        stage.run(reset + ":9 --to-earliest --dry-run");
        stage.run("consumer-groups --reset-offsets --group reset-group --all-topics --dry-run --from-file "
                + stage.file("offsets.csv", "reset,0,1\nreset,1,1\n"));
        stage.run("consumer-groups --reset-offsets --group reset-group --topic absent --to-earliest --dry-run");
        stage.run("consumer-groups --reset-offsets --group new-group --topic reset --to-latest --execute");
        stage.run("consumer-groups --describe --group new-group --offsets");
        stage.run("consumer-groups --delete-offsets --group reset-group --topic reset:1");
        stage.run("consumer-groups --delete-offsets --group reset-group --topic absent");
        stage.run("consumer-groups --describe --group reset-group");
        stage.run("consumer-groups --describe --group absent");
        stage.run("consumer-groups --describe --all-groups --state");
        stage.run("consumer-groups --list --state");
    }

    private static void shareGroups(ToolStage stage) throws Exception {
        stage.topic("shared", 1);
        stage.records("shared", 0, 4);
        stage.run("configs --alter --entity-type groups --entity-name share-group"
                + " --add-config share.auto.offset.reset=earliest");
        stage.runUntil("earliest", "configs --describe --entity-type groups --entity-name share-group");
        KafkaShareConsumer<String, String> member = stage.shareMember("share-group", "shared");
        String ofGroup = " --group share-group";
        stage.run("share-groups --list");
        stage.run("share-groups --list --state");
        stage.run("share-groups --list --state empty");
        stage.run("share-groups --describe" + ofGroup);
        stage.run("share-groups --describe --verbose" + ofGroup);
        stage.run("share-groups --describe --members" + ofGroup);
        stage.run("share-groups --describe --members --verbose" + ofGroup);
        stage.run("share-groups --describe --state" + ofGroup);
        stage.run("share-groups --describe --state --verbose" + ofGroup);
        stage.run("share-groups --delete" + ofGroup);
        stage.run("share-groups --reset-offsets --to-earliest --execute --topic shared" + ofGroup);
        member.close();
        stage.run("share-groups --describe --state" + ofGroup);
        stage.runUntil("shared", "share-groups --describe" + ofGroup);
        stage.run("share-groups --reset-offsets --to-earliest --dry-run --topic shared" + ofGroup);
        stage.run("share-groups --reset-offsets --to-earliest --execute --topic shared" + ofGroup);
        stage.run("share-groups --reset-offsets --to-latest --execute --all-topics" + ofGroup);
        stage.run("share-groups --describe" + ofGroup);
        stage.run("share-groups --delete-offsets --topic shared" + ofGroup);
        stage.run("share-groups --delete-offsets --topic absent" + ofGroup);
        stage.run("share-groups --delete" + ofGroup);
        stage.run("share-groups --describe" + ofGroup);
        stage.run("share-groups --delete" + ofGroup);
        stage.run("share-groups --describe --all-groups");
    }

    private static void streamsGroups(ToolStage stage) throws Exception {
        stage.run("streams-groups --list");
        stage.run("streams-groups --list --state");
        stage.run("streams-groups --describe --group absent");
        stage.run("streams-groups --delete --group absent");
    }

    private static void groups(ToolStage stage) throws Exception {
        stage.run("groups --list --group-type classic");
        stage.run("groups --list --protocol consumer");
        stage.run("groups --list --share");
    }
}
