package io.sluice.testkit.differential;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;

/** DescribeCluster, DescribeTopicPartitions and DescribeLogDirs. */
final class ClusterCases {
    private ClusterCases() {}

    static void addTo(Cases cases) {
        cases.everyVersion(
                ApiKeys.DESCRIBE_CLUSTER, "plain", s -> s.record("answer", new DescribeClusterRequestData()));
        cases.everyVersion(
                ApiKeys.DESCRIBE_CLUSTER,
                "authorized operations",
                s -> s.record("answer", new DescribeClusterRequestData().setIncludeClusterAuthorizedOperations(true)));
        cases.from(
                ApiKeys.DESCRIBE_CLUSTER,
                1,
                "controllers asked of a broker",
                s -> s.record("answer", new DescribeClusterRequestData().setEndpointType((byte) 2)));
        cases.from(
                ApiKeys.DESCRIBE_CLUSTER,
                1,
                "unknown endpoint type",
                s -> s.record("answer", new DescribeClusterRequestData().setEndpointType((byte) 9)));
        cases.from(
                ApiKeys.DESCRIBE_CLUSTER,
                2,
                "fenced brokers too",
                s -> s.record("answer", new DescribeClusterRequestData().setIncludeFencedBrokers(true)));
        addTopicPartitions(cases);
        addLogDirs(cases);
    }

    private static void addTopicPartitions(Cases cases) {
        ApiKeys api = ApiKeys.DESCRIBE_TOPIC_PARTITIONS;
        cases.everyVersion(api, "two topics", s -> {
            Session.Topic one = s.createTopic("one", 3, Map.of());
            Session.Topic two = s.createTopic("two");
            s.record("answer", partitions(10, two.name(), one.name()));
        });
        cases.everyVersion(api, "limit reached", s -> {
            Session.Topic one = s.createTopic("one", 3, Map.of());
            Session.Topic two = s.createTopic("two", 3, Map.of());
            s.record("first", partitions(2, one.name(), two.name()));
            s.record("from the cursor", partitions(2, one.name(), two.name()).setCursor(cursor(one.name(), 2)));
            s.record("last", partitions(9, one.name(), two.name()).setCursor(cursor(two.name(), 1)));
        });
        cases.everyVersion(
                api,
                "limit 0",
                s -> s.record("answer", partitions(0, s.createTopic("t").name())));
        cases.everyVersion(api, "unknown topic", s -> s.record("answer", partitions(10, s.name("unknown"))));
        cases.everyVersion(api, "bad name", s -> s.record("answer", partitions(10, "a/b")));
        cases.everyVersion(
                api,
                "cursor of an unknown topic",
                s -> s.record(
                        "answer", partitions(10, s.createTopic("t").name()).setCursor(cursor(s.name("unknown"), 0))));
        cases.everyVersion(api, "negative cursor", s -> {
            String topic = s.createTopic("t").name();
            s.record("answer", partitions(10, topic).setCursor(cursor(topic, -1)));
        });
    }

    private static DescribeTopicPartitionsRequestData partitions(int limit, String... topics) {
        DescribeTopicPartitionsRequestData request =
                new DescribeTopicPartitionsRequestData().setResponsePartitionLimit(limit);
        for (String topic : topics) {
            request.topics().add(new DescribeTopicPartitionsRequestData.TopicRequest().setName(topic));
        }
        return request;
    }

    private static DescribeTopicPartitionsRequestData.Cursor cursor(String topic, int partition) {
        return new DescribeTopicPartitionsRequestData.Cursor()
                .setTopicName(topic)
                .setPartitionIndex(partition);
    }

    private static void addLogDirs(Cases cases) {
        cases.everyVersion(ApiKeys.DESCRIBE_LOG_DIRS, "one topic", s -> {
            Session.Topic topic = FetchCases.filled(s);
            s.record("answer", logDirs(topic.name(), List.of(0)));
        });
        cases.everyVersion(ApiKeys.DESCRIBE_LOG_DIRS, "all", ClusterCases::allLogDirs);
        cases.everyVersion(ApiKeys.DESCRIBE_LOG_DIRS, "unknown topic and partition", s -> {
            DescribeLogDirsRequestData request = logDirs(s.createTopic("t").name(), List.of(4));
            request.topics()
                    .add(new DescribeLogDirsRequestData.DescribableLogDirTopic()
                            .setTopic(s.name("unknown"))
                            .setPartitions(List.of(0)));
            s.record("answer", request);
        });
        cases.everyVersion(
                ApiKeys.DESCRIBE_LOG_DIRS, "no topics", s -> s.record("answer", new DescribeLogDirsRequestData()));
    }

    private static void allLogDirs(Session s) throws Exception {
        Set<String> own = Set.of(FetchCases.filled(s).name());
        s.record(
                DescribeLogDirsResponseData.class,
                "answer",
                new DescribeLogDirsRequestData().setTopics(null),
                answer -> answer.results().forEach(each -> each.topics().removeIf(t -> !own.contains(t.name()))));
    }

    private static DescribeLogDirsRequestData logDirs(String topic, List<Integer> partitions) {
        DescribeLogDirsRequestData request = new DescribeLogDirsRequestData();
        request.topics()
                .add(new DescribeLogDirsRequestData.DescribableLogDirTopic()
                        .setTopic(topic)
                        .setPartitions(partitions));
        return request;
    }
}
