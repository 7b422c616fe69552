package io.sluice.benchmarks.load;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;

/** Makes and removes the topics a load uses. */
public final class Topics {
    private static final long TIMEOUT_SECONDS = 180;

    /** Kafka's controller refuses a request that needs more than 10,000 metadata records. */
    private static final int PARTITIONS_PER_REQUEST = 5000;

    private static final int TOPICS_PER_REQUEST = 1000;

    private Topics() {}

    /** Creates topics of so many partitions and waits until the broker says it is done. */
    public static void create(String bootstrap, List<String> names, int partitions, Map<String, String> configs)
            throws ExecutionException, InterruptedException, TimeoutException {
        try (Admin admin = Admin.create(properties(bootstrap))) {
            int step = Math.max(1, Math.min(TOPICS_PER_REQUEST, PARTITIONS_PER_REQUEST / partitions));
            for (int from = 0; from < names.size(); from += step) {
                List<NewTopic> topics = names.subList(from, Math.min(names.size(), from + step)).stream()
                        .map(name -> new NewTopic(name, partitions, (short) 1).configs(configs))
                        .toList();
                admin.createTopics(topics).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            }
        }
    }

    /** Deletes topics. */
    public static void delete(String bootstrap, Collection<String> names)
            throws ExecutionException, InterruptedException, TimeoutException {
        try (Admin admin = Admin.create(properties(bootstrap))) {
            admin.deleteTopics(names).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** The partitions of topics called {@code prefix0…}, or of one topic where {@code count} is 0. */
    static List<TopicPartition> partitions(LoadOptions options) {
        String topic = options.text("topic");
        int topics = (int) options.number("topics", 0);
        int partitions = (int) options.number("partitions", 1);
        List<TopicPartition> all = new ArrayList<>();
        for (int t = 0; t < Math.max(1, topics); t++) {
            for (int p = 0; p < partitions; p++) {
                all.add(new TopicPartition(topics == 0 ? topic : topic + t, p));
            }
        }
        return all;
    }

    private static Properties properties(String bootstrap) {
        Map<String, Object> values = new HashMap<>();
        values.put("bootstrap.servers", bootstrap);
        values.put("request.timeout.ms", "120000");
        values.put("default.api.timeout.ms", "170000");
        values.put("enable.metrics.push", "false");
        Properties properties = new Properties();
        properties.putAll(values);
        return properties;
    }
}
