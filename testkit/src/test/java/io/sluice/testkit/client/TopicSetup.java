package io.sluice.testkit.client;

import io.sluice.testkit.process.Await;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Topics for tests that do not test creating them. */
public final class TopicSetup {
    private TopicSetup() {}

    /** Creates a topic with default configs and waits until the broker has. */
    public static void create(String bootstrap, String topic, int partitions) throws Exception {
        create(bootstrap, topic, partitions, Map.of());
    }

    /** Creates a topic and waits until every partition serves: Kafka answers before its broker has heard of the topic. */
    public static void create(String bootstrap, String topic, int partitions, Map<String, String> configs)
            throws Exception {
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap))) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(configs)))
                    .all()
                    .get(60, TimeUnit.SECONDS);
            Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
            for (int p = 0; p < partitions; p++) {
                latest.put(new TopicPartition(topic, p), OffsetSpec.latest());
            }
            Await.until("topic " + topic, Duration.ofSeconds(60), () -> isServed(admin, latest), served -> served);
        }
    }

    /** The client gives up at once where its broker has not heard of a topic. */
    private static boolean isServed(Admin admin, Map<TopicPartition, OffsetSpec> partitions) throws Exception {
        try {
            admin.listOffsets(partitions).all().get(60, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw e;
        }
    }

    /** Deletes a topic and waits until the broker has. */
    public static void delete(String bootstrap, String topic) throws Exception {
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap))) {
            admin.deleteTopics(List.of(topic)).all().get(60, TimeUnit.SECONDS);
        }
    }
}
