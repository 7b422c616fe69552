package io.sluice.testkit.differential;

import java.util.List;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/** Settings of groups: DescribeConfigs, AlterConfigs and IncrementalAlterConfigs of the resource GROUP. */
final class GroupConfigCases {
    private static final byte GROUP = 32;
    private static final byte SET = 0;
    private static final byte DELETE = 1;
    private static final byte APPEND = 2;
    private static final String SESSION = "consumer.session.timeout.ms";
    private static final String HEARTBEAT = "consumer.heartbeat.interval.ms";
    private static final String INTERVAL = "consumer.assignment.interval.ms";
    private static final List<String> CONSUMER_KEYS = List.of(SESSION, HEARTBEAT, INTERVAL);

    private GroupConfigCases() {}

    static void addTo(Cases cases) {
        addDescribe(cases);
        addAlter(cases);
        addValues(cases);
        addErrors(cases);
    }

    private static void addDescribe(Cases cases) {
        cases.everyVersion(
                ApiKeys.DESCRIBE_CONFIGS, "group, never heard of", s -> s.record("answer", describe(s.name("g"))));
        cases.everyVersion(
                ApiKeys.DESCRIBE_CONFIGS,
                "group, synonyms",
                s -> s.record("answer", describe(s.name("g")).setIncludeSynonyms(true)));
        cases.newest(
                ApiKeys.DESCRIBE_CONFIGS,
                "group, everything",
                s -> s.record("answer", ConfigCases.describe(GROUP, s.name("g"), null)));
        cases.newest(ApiKeys.DESCRIBE_CONFIGS, "group, all synonyms of what is set", s -> {
            s.ask(AlterConfigsResponseData.class, alter(s.name("g"), "streams.assignor.name", "sticky"));
            s.recordWhen(
                    DescribeConfigsResponseData.class,
                    "answer",
                    ConfigCases.describe(GROUP, s.name("g"), List.of("streams.assignor.name"))
                            .setIncludeSynonyms(true),
                    answer -> answer.results().get(0).configs().get(0).configSource() != (byte) 5);
        });
        cases.newest(
                ApiKeys.DESCRIBE_CONFIGS,
                "group, all synonyms",
                s -> s.record(
                        "answer", ConfigCases.describe(GROUP, s.name("g"), null).setIncludeSynonyms(true)));
        cases.everyVersion(ApiKeys.DESCRIBE_CONFIGS, "group, no name", s -> s.record("answer", describe("")));
    }

    private static void addAlter(Cases cases) {
        cases.everyVersion(ApiKeys.ALTER_CONFIGS, "group, replaces all", s -> {
            s.ask(AlterConfigsResponseData.class, alter(s.name("g"), SESSION, "50000"));
            s.record("answer", alter(s.name("g"), HEARTBEAT, "6000"));
            recordThen(s, HEARTBEAT, "6000");
        });
        cases.everyVersion(ApiKeys.INCREMENTAL_ALTER_CONFIGS, "group, set and delete", s -> {
            s.record("set", ConfigCases.incremental(GROUP, s.name("g"), SET, SESSION, "50000"));
            recordThen(s, SESSION, "50000");
            s.record("delete", ConfigCases.incremental(GROUP, s.name("g"), DELETE, SESSION, null));
            recordThen(s, SESSION, "45000");
        });
        cases.everyVersion(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "group, validate only",
                s -> s.record(
                        "answer",
                        ConfigCases.incremental(GROUP, s.name("g"), SET, SESSION, "5")
                                .setValidateOnly(true)));
    }

    private static void addValues(Cases cases) {
        String[][] sets = {
            {SESSION, "44999"},
            {SESSION, "60001"},
            {SESSION, "long"},
            {SESSION, "0"},
            {HEARTBEAT, "4999"},
            {HEARTBEAT, "15001"},
            {HEARTBEAT, "-1"},
            {INTERVAL, "15001"},
            {INTERVAL, "-1"},
            {"streams.session.timeout.ms", "50000"},
            {"streams.session.timeout.ms", "60001"},
            {"streams.heartbeat.interval.ms", "4999"},
            {"streams.heartbeat.interval.ms", "x"},
            {"streams.assignment.interval.ms", "15001"},
            {"streams.initial.rebalance.delay.ms", "-1"},
            {"streams.initial.rebalance.delay.ms", "5000"},
            {"streams.num.standby.replicas", "2"},
            {"streams.num.standby.replicas", "3"},
            {"streams.num.standby.replicas", "-1"},
            {"streams.rack.aware.assignment.tags", "zone,cluster"},
            {"streams.rack.aware.assignment.tags", "zone,zone"},
            {"streams.assignor.name", "sticky"},
            {"streams.assignor.name", "odd"}
        };
        for (String[] set : sets) {
            cases.newest(
                    ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                    "group, " + set[0] + " " + set[1],
                    s -> s.record("answer", ConfigCases.incremental(GROUP, s.name("g"), SET, set[0], set[1])));
        }
    }

    private static void addErrors(Cases cases) {
        cases.newest(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "group, unknown key",
                s -> s.record("answer", ConfigCases.incremental(GROUP, s.name("g"), SET, "no.such.config", "1")));
        cases.newest(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "group, no value",
                s -> s.record("answer", ConfigCases.incremental(GROUP, s.name("g"), SET, SESSION, null)));
        cases.newest(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "group, append to no list",
                s -> s.record("answer", ConfigCases.incremental(GROUP, s.name("g"), APPEND, SESSION, "1")));
        cases.newest(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "group, no name",
                s -> s.record("answer", ConfigCases.incremental(GROUP, "", SET, SESSION, "50000")));
    }

    private static void recordThen(Session s, String key, String value) throws Exception {
        s.recordWhen(
                DescribeConfigsResponseData.class,
                key + " " + value + " then",
                describe(s.name("g")),
                answer -> answer.results().get(0).configs().stream()
                        .anyMatch(each -> each.name().equals(key) && value.equals(each.value())));
    }

    private static DescribeConfigsRequestData describe(String group) {
        return ConfigCases.describe(GROUP, group, CONSUMER_KEYS);
    }

    private static AlterConfigsRequestData alter(String group, String key, @Nullable String value) {
        return ConfigCases.alter(GROUP, group, key, value);
    }
}
