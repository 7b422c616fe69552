package io.sluice.cli.record;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.output.Console;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Tells why a consumer is sent nothing: it does not say itself what it is answered, where that may get better. For one
 * thread.
 */
final class StallCheck {
    private static final Comparator<TopicPartition> BY_NAME =
            Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition);

    private static final Duration MAX_PATIENCE = Duration.ofSeconds(3);

    private final Consumer<byte[], byte[]> consumer;
    private final ReadProbe probe;
    private final Console console;
    private final Duration patience;
    private final boolean follow;
    private @Nullable Refusal warned;

    /**
     * A check.
     *
     * @param patience for what the consumer has to ask first
     * @param follow whether what may get better is waited for
     */
    StallCheck(Consumer<byte[], byte[]> consumer, ReadProbe probe, Console console, Duration patience, boolean follow) {
        this.consumer = consumer;
        this.probe = probe;
        this.console = console;
        this.patience = patience;
        this.follow = follow;
    }

    /** How long a check may take on top of the time-out that has passed by then. */
    static Duration patience(Duration timeout) {
        return timeout.compareTo(MAX_PATIENCE) < 0 ? timeout : MAX_PATIENCE;
    }

    private record Refusal(TopicPartition partition, long offset, Errors error) {
        String text() {
            return "Partition " + partition + " cannot be read from offset " + offset + " on: the node answers "
                    + error.name() + ". "
                    + (error == Errors.KAFKA_STORAGE_ERROR
                            ? "A file of it is missing or cannot be read; the node's log says which, and what to do."
                            : error.message());
        }
    }

    /**
     * Asks the leaders. A follower of the topic is warned, once of each refusal: a node that restarts refuses for a while.
     *
     * @throws UserException where a partition cannot be read; for a follower where its file was not there the last time
     *     either
     */
    void requireReadable() {
        Refusal refusal = firstRefusal().orElse(null);
        boolean again = refusal != null && refusal.equals(warned);
        warned = refusal;
        if (refusal == null) {
            return;
        }
        if (!follow || (again && refusal.error == Errors.KAFKA_STORAGE_ERROR)) {
            throw new UserException(
                    ExitCode.FAILED,
                    refusal.text()
                            + " --offset N reads from another offset on; 'sluice group reset-offsets' moves a group.");
        }
        if (!again) {
            console.err().println("sluice: warning: " + refusal.text() + " It is tried again.");
        }
    }

    private Optional<Refusal> firstRefusal() {
        try {
            Map<TopicPartition, Long> offsets = new HashMap<>();
            Map<TopicPartition, Errors> refused = new TreeMap<>(BY_NAME);
            refused.putAll(probe.ask(offsets(offsets)));
            return refused.entrySet().stream()
                    .findFirst()
                    .map(first ->
                            new Refusal(first.getKey(), offsets.getOrDefault(first.getKey(), 0L), first.getValue()));
        } catch (TimeoutException e) {
            // Not even where to read is known: no node answers, which is what is said without this as well.
            return Optional.empty();
        }
    }

    /** Where each leader's partitions are read next. */
    private Map<Node, Map<TopicPartition, Long>> offsets(Map<TopicPartition, Long> all) {
        Set<TopicPartition> assigned = consumer.assignment();
        Set<String> topics = new TreeSet<>();
        assigned.forEach(partition -> topics.add(partition.topic()));
        Map<Node, Map<TopicPartition, Long>> byLeader = new HashMap<>();
        for (String topic : topics) {
            for (PartitionInfo info : consumer.partitionsFor(topic, patience)) {
                TopicPartition partition = new TopicPartition(topic, info.partition());
                if (info.leader() != null && assigned.contains(partition)) {
                    long offset = consumer.position(partition, patience);
                    all.put(partition, offset);
                    byLeader.computeIfAbsent(info.leader(), leader -> new HashMap<>())
                            .put(partition, offset);
                }
            }
        }
        return byLeader;
    }
}
