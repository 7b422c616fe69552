package io.sluice.testkit.differential;

import java.util.List;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.ListConfigResourcesRequestData;
import org.apache.kafka.common.message.ListConfigResourcesResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions to clients' metrics: DescribeConfigs, AlterConfigs, IncrementalAlterConfigs and ListConfigResources of the
 * resource CLIENT_METRICS. Each is about a client that there is not.
 */
final class ClientMetricsCases {
    static final byte CLIENT_METRICS = 16;
    private static final byte SET = 0;
    private static final byte DELETE = 1;
    private static final byte APPEND = 2;
    private static final byte SUBTRACT = 3;
    private static final String METRICS = "metrics";
    private static final String INTERVAL = "interval.ms";
    private static final String MATCH = "match";
    private static final String NOBODY = "client_id=nobody";

    private ClientMetricsCases() {}

    static void addTo(Cases cases) {
        addDescribe(cases);
        addAlter(cases);
        addLists(cases);
        addValues(cases);
        addErrors(cases);
    }

    private static void addDescribe(Cases cases) {
        cases.everyVersion(
                ApiKeys.DESCRIBE_CONFIGS,
                "client metrics, never heard of",
                s -> s.record("answer", describe(s.name("m"))));
        cases.everyVersion(ApiKeys.DESCRIBE_CONFIGS, "client metrics, synonyms", s -> {
            set(s, MATCH, NOBODY);
            set(s, METRICS, "a., b.,a.");
            s.recordWhen(
                    DescribeConfigsResponseData.class,
                    "answer",
                    describe(s.name("m")).setIncludeSynonyms(true).setIncludeDocumentation(s.version() >= 3),
                    answer -> has(answer, METRICS, "a.,b."));
        });
        cases.newest(
                ApiKeys.DESCRIBE_CONFIGS,
                "client metrics, one key",
                s -> s.record("answer", ConfigCases.describe(CLIENT_METRICS, s.name("m"), List.of(INTERVAL, "none"))));
        cases.everyVersion(ApiKeys.DESCRIBE_CONFIGS, "client metrics, no name", s -> s.record("answer", describe("")));
    }

    private static void addAlter(Cases cases) {
        cases.everyVersion(ApiKeys.ALTER_CONFIGS, "client metrics, replaces all", s -> {
            s.record("first", ConfigCases.alter(CLIENT_METRICS, s.name("m"), INTERVAL, "5000"));
            s.record("answer", ConfigCases.alter(CLIENT_METRICS, s.name("m"), MATCH, NOBODY));
            recordThen(s, MATCH, NOBODY);
        });
        cases.everyVersion(
                ApiKeys.ALTER_CONFIGS,
                "client metrics, unknown key",
                s -> s.record("answer", ConfigCases.alter(CLIENT_METRICS, s.name("m"), "no.such.config", "1")));
        cases.everyVersion(ApiKeys.INCREMENTAL_ALTER_CONFIGS, "client metrics, set and delete", s -> {
            set(s, MATCH, NOBODY);
            s.record("set", incremental(s, SET, INTERVAL, "500"));
            recordThen(s, INTERVAL, "500");
            s.record("delete", incremental(s, DELETE, INTERVAL, null));
            recordThen(s, INTERVAL, "300000");
        });
        cases.everyVersion(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "client metrics, validate only",
                s -> s.record("answer", incremental(s, SET, INTERVAL, "5").setValidateOnly(true)));
        cases.newest(ApiKeys.INCREMENTAL_ALTER_CONFIGS, "client metrics, append and subtract", s -> {
            set(s, MATCH, NOBODY);
            set(s, METRICS, "a.");
            s.record("append", incremental(s, APPEND, METRICS, "b."));
            s.record("subtract", incremental(s, SUBTRACT, METRICS, "a."));
        });
    }

    private static void addLists(Cases cases) {
        cases.everyVersion(ApiKeys.LIST_CONFIG_RESOURCES, "client metrics, set", s -> {
            set(s, MATCH, NOBODY);
            recordListed(s, "set", true);
            s.ask(IncrementalAlterConfigsResponseData.class, incremental(s, DELETE, MATCH, null));
            recordListed(s, "deleted", false);
        });
    }

    private static void addValues(Cases cases) {
        String[][] sets = {
            {INTERVAL, "99"},
            {INTERVAL, "3600001"},
            {INTERVAL, "soon"},
            {INTERVAL, "99999999999"},
            {INTERVAL, ""},
            {METRICS, "a.,a."},
            {METRICS, ""},
            {METRICS, "a.,,b."},
            {METRICS, "*"},
            {MATCH, "client_id"},
            {MATCH, "client_id="},
            {MATCH, "client_id=a=b"},
            {MATCH, "client_id=["},
            {MATCH, "client_colour=red"},
            {MATCH, "client_id=a,client_id=b"},
            {MATCH, "client_id=a,client_id=a"},
            {MATCH, "="},
            {MATCH, " client_id = nobody "}
        };
        for (int i = 0; i < sets.length; i++) {
            String[] each = sets[i];
            cases.newest(
                    ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                    "client metrics, value " + i + " " + each[0] + " '" + each[1] + "'",
                    s -> s.record(
                            "answer", incremental(s, SET, each[0], each[1]).setValidateOnly(true)));
        }
    }

    private static void addErrors(Cases cases) {
        cases.newest(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "client metrics, unknown key",
                s -> s.record("answer", incremental(s, SET, "no.such.config", "1")));
        cases.newest(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "client metrics, no value",
                s -> s.record("answer", incremental(s, SET, METRICS, null)));
        cases.newest(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "client metrics, append to no list",
                s -> s.record("answer", incremental(s, APPEND, INTERVAL, "1000")));
        cases.newest(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "client metrics, no name",
                s -> s.record("answer", ConfigCases.incremental(CLIENT_METRICS, "", SET, INTERVAL, "1000")));
        cases.newest(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "client metrics, delete what is not set",
                s -> s.record("answer", incremental(s, DELETE, INTERVAL, null)));
    }

    private static void set(Session s, String key, String value) throws Exception {
        s.ask(IncrementalAlterConfigsResponseData.class, incremental(s, SET, key, value));
    }

    private static void recordThen(Session s, String key, String value) throws Exception {
        s.recordWhen(
                DescribeConfigsResponseData.class,
                key + " " + value + " then",
                describe(s.name("m")),
                answer -> has(answer, key, value));
    }

    private static boolean has(DescribeConfigsResponseData answer, String key, String value) {
        return answer.results().get(0).configs().stream()
                .anyMatch(each -> each.name().equals(key) && value.equals(each.value()));
    }

    /** Kafka's broker learns of a change a moment after the answer; other cases' subscriptions are left out. */
    private static void recordListed(Session s, String label, boolean there) throws Exception {
        ListConfigResourcesRequestData request = new ListConfigResourcesRequestData();
        if (s.version() > 0) {
            request.setResourceTypes(List.of(CLIENT_METRICS));
        }
        s.askUntil(
                ListConfigResourcesResponseData.class,
                new ListConfigResourcesRequestData().setResourceTypes(List.of(CLIENT_METRICS)),
                answer -> there
                        == answer.configResources().stream()
                                .anyMatch(each -> each.resourceName().equals(s.name("m"))));
        s.record(
                ListConfigResourcesResponseData.class,
                label,
                request,
                answer -> answer.configResources()
                        .removeIf(each -> !each.resourceName().equals(s.name("m"))));
    }

    private static DescribeConfigsRequestData describe(String name) {
        return ConfigCases.describe(CLIENT_METRICS, name, null);
    }

    private static IncrementalAlterConfigsRequestData incremental(
            Session s, byte operation, String key, @Nullable String value) {
        return ConfigCases.incremental(CLIENT_METRICS, s.name("m"), operation, key, value);
    }
}
