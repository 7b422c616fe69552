package io.sluice.testkit.crash;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Creates, changes and deletes topics of its own, one change after the other, and knows in which states each may be.
 * Changes are made on one thread at a time; {@link #changesMade} is safe on every thread.
 */
final class TopicOwner {
    private static final int MAX_TOPICS = 10;
    private static final int SECONDS = 20;

    private final String name;
    private final Random random;
    private final AtomicInteger made = new AtomicInteger();
    /** By topic: the states that it may be in; more than one where a change was cut off. */
    private final Map<String, Set<State>> expected = new HashMap<>();

    private int created;

    /**
     * What a topic is.
     *
     * @param partitions 0: it does not exist
     */
    private record State(int partitions, String retentionMillis) implements Comparable<State> {
        static final State ABSENT = new State(0, "");

        @Override
        public int compareTo(State other) {
            return toString().compareTo(other.toString());
        }
    }

    TopicOwner(String name, long seed) {
        this.name = name;
        this.random = new Random(seed);
    }

    /** Changes acknowledged so far. */
    int changesMade() {
        return made.get();
    }

    /** Makes one change after the other until the broker is gone. */
    void changeUntilCutOff(String bootstrap) {
        try (Admin admin = impatient(bootstrap)) {
            boolean connected = true;
            while (connected) {
                connected = change(admin);
            }
        }
    }

    private boolean change(Admin admin) {
        List<String> present = expected.entrySet().stream()
                .filter(entry -> !entry.getValue().contains(State.ABSENT))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        if (present.isEmpty() || (present.size() < MAX_TOPICS && random.nextInt(3) == 0)) {
            return create(admin, name + "-" + created++);
        }
        String topic = present.get(random.nextInt(present.size()));
        State now = statesOf(topic).iterator().next();
        return switch (random.nextInt(3)) {
            case 0 ->
                attempt(
                        topic,
                        State.ABSENT,
                        () -> admin.deleteTopics(List.of(topic)).all());
            case 1 -> retain(admin, topic, now);
            default -> grow(admin, topic, now);
        };
    }

    private boolean create(Admin admin, String topic) {
        State goal = new State(1 + random.nextInt(5), Integer.toString(100_000_000 + random.nextInt(1_000)));
        expected.put(topic, new TreeSet<>(Set.of(State.ABSENT)));
        NewTopic created = new NewTopic(topic, goal.partitions(), (short) 1)
                .configs(Map.of("retention.ms", goal.retentionMillis()));
        return attempt(topic, goal, () -> admin.createTopics(List.of(created)).all());
    }

    private boolean retain(Admin admin, String topic, State now) {
        State goal = new State(now.partitions(), Integer.toString(200_000_000 + random.nextInt(1_000)));
        AlterConfigOp set =
                new AlterConfigOp(new ConfigEntry("retention.ms", goal.retentionMillis()), AlterConfigOp.OpType.SET);
        return attempt(
                topic,
                goal,
                () -> admin.incrementalAlterConfigs(Map.of(resource(topic), List.of(set)))
                        .all());
    }

    private boolean grow(Admin admin, String topic, State now) {
        State goal = new State(now.partitions() + 1, now.retentionMillis());
        return attempt(
                topic,
                goal,
                () -> admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(goal.partitions())))
                        .all());
    }

    private interface Change {
        java.util.concurrent.Future<Void> start();
    }

    /** Acknowledged: the topic is in its new state. Cut off: in the old or the new one. */
    private boolean attempt(String topic, State goal, Change change) {
        Set<State> states = statesOf(topic);
        try {
            change.start().get(SECONDS, TimeUnit.SECONDS);
            states.clear();
            states.add(goal);
            made.incrementAndGet();
            return true;
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof RetriableException)) {
                throw new IllegalStateException("A change of " + topic + " to " + goal + " was refused", e);
            }
            states.add(goal);
            return false;
        } catch (TimeoutException | InterruptedException e) {
            states.add(goal);
            return false;
        }
    }

    /** Compares with what the broker has now, and takes that for what is expected from now on. */
    List<String> findings(String bootstrap) throws Exception {
        List<String> findings = new ArrayList<>();
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap))) {
            for (Map.Entry<String, Set<State>> entry : expected.entrySet()) {
                State found = look(admin, entry.getKey());
                if (!entry.getValue().contains(found)) {
                    findings.add(entry.getKey() + " is " + found + " but should be one of " + entry.getValue());
                }
                entry.getValue().clear();
                entry.getValue().add(found);
            }
            Set<String> unknown = new TreeSet<>(admin.listTopics().names().get(SECONDS, TimeUnit.SECONDS));
            unknown.removeIf(topic -> !topic.startsWith(name + "-") || expected.containsKey(topic));
            unknown.forEach(topic -> findings.add(topic + " was never created"));
        }
        return findings;
    }

    /** What a topic is by all accounts: its partitions serve and its config can be read, or it is unknown. */
    private static State look(Admin admin, String topic) throws Exception {
        try {
            TopicDescription description = admin.describeTopics(List.of(topic))
                    .topicNameValues()
                    .values()
                    .iterator()
                    .next()
                    .get(SECONDS, TimeUnit.SECONDS);
            Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
            description
                    .partitions()
                    .forEach(p -> latest.put(new TopicPartition(topic, p.partition()), OffsetSpec.latest()));
            Map<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> ends =
                    admin.listOffsets(latest).all().get(SECONDS, TimeUnit.SECONDS);
            String retention = admin.describeConfigs(List.of(resource(topic)))
                    .values()
                    .values()
                    .iterator()
                    .next()
                    .get(SECONDS, TimeUnit.SECONDS)
                    .get("retention.ms")
                    .value();
            return new State(ends.size(), retention);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return State.ABSENT;
            }
            throw e;
        }
    }

    private Set<State> statesOf(String topic) {
        return Objects.requireNonNull(expected.get(topic), topic);
    }

    private static ConfigResource resource(String topic) {
        return new ConfigResource(ConfigResource.Type.TOPIC, topic);
    }

    /** One that takes a lost connection for an answer. */
    private static Admin impatient(String bootstrap) {
        return Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                AdminClientConfig.RETRIES_CONFIG,
                0,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                10_000,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                15_000));
    }
}
