package io.sluice.testkit.client;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A consumer in a group with a thread of its own; commits after every poll. Part of {@link JavaClientDriver}'s program. */
final class JavaGroupMember implements ConsumerRebalanceListener {
    private final KafkaConsumer<String, String> consumer;
    private final Progress progress;
    private final Thread thread;
    private final Set<TopicPartition> assigned = new HashSet<>();
    private int received;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    JavaGroupMember(KafkaConsumer<String, String> consumer, String topic, Progress progress) {
        this.consumer = consumer;
        this.progress = progress;
        this.thread = io.sluice.testkit.process.NamedThreads.unstarted("member of " + topic, () -> run(topic));
        thread.setDaemon(true);
        thread.start();
    }

    /** Partitions that it owns. */
    synchronized int assigned() {
        if (failure != null) {
            throw new IllegalStateException("A group member failed", failure);
        }
        return assigned.size();
    }

    /** Records that it has got and committed. */
    synchronized int received() {
        if (failure != null) {
            throw new IllegalStateException("A group member failed", failure);
        }
        return received;
    }

    /** Leaves the group and waits until it has. */
    void close() throws InterruptedException {
        stopping = true;
        thread.join(TimeUnit.SECONDS.toMillis(30));
        JavaClientDriver.require(!thread.isAlive() && failure == null, "A group member did not leave: " + failure);
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        synchronized (this) {
            assigned.addAll(partitions);
        }
        progress.changed();
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        synchronized (this) {
            assigned.removeAll(partitions);
        }
        progress.changed();
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // Whatever happens on this thread must reach the one that waits.
    private void run(String topic) {
        try (consumer) {
            consumer.subscribe(List.of(topic), this);
            while (!stopping) {
                ConsumerRecords<String, String> records = JavaClientDriver.poll(consumer);
                if (!records.isEmpty()) {
                    consumer.commitSync();
                    onRecords(records);
                }
            }
        } catch (Exception | Error e) {
            failure = e;
            progress.changed();
        }
    }

    private void onRecords(ConsumerRecords<String, String> records) {
        for (ConsumerRecord<String, String> each : records) {
            JavaClientDriver.verify(each);
        }
        synchronized (this) {
            received += records.count();
        }
        progress.changed();
    }
}
