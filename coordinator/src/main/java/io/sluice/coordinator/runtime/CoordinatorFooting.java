package io.sluice.coordinator.runtime;

import io.sluice.base.metadata.TopicImage;
import java.util.function.Supplier;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.Deserializer;
import org.apache.kafka.server.util.timer.Timer;

/**
 * What every coordinator has on one incarnation of its topic: partitions that are elected and resigned as ownership says, a
 * place to write, a way to load, time. Safe on every thread.
 */
public final class CoordinatorFooting {
    private final StateTopic topic;
    private final Time time;
    private final Timer timer;
    private final Elections elections;
    private final LogPartitionWriter writer;
    private final LogLoader loader;

    /**
     * How its partitions are loaded.
     *
     * @param bufferBytes read at once
     * @param serde reads the coordinator's records; safe on every thread
     * @param watches makes who hears of one load
     */
    public record Loading(
            int bufferBytes, Deserializer<CoordinatorRecord> serde, Supplier<LogLoader.LoadWatch> watches) {
        /** Nobody wants to hear of the loads. */
        public Loading(int bufferBytes, Deserializer<CoordinatorRecord> serde) {
            this(bufferBytes, serde, () -> LogLoader.LoadWatch.NONE);
        }
    }

    /**
     * Nothing is elected yet.
     *
     * @param transactions asked before anything is written in a transaction
     * @param listener the coordinator; called once partitions are elected
     */
    public CoordinatorFooting(
            CoordinatorEnvironment env,
            TopicImage image,
            TransactionVerifier transactions,
            Loading loading,
            Elections.Listener listener) {
        topic = new StateTopic(image.name(), image.id(), image.partitions().size(), env.logs());
        time = new MonotonicTime(env.clock());
        timer = new SchedulerTimer(env.clock(), env.scheduler(), env.background());
        elections = new Elections(env.ownership(), topic, listener);
        writer = new LogPartitionWriter(
                topic,
                env.allocator(),
                new BatchLimit(image.name(), env.images(), env.topicDefaults()),
                new PatientVerifier(transactions, env.clock(), env.scheduler(), env.background()),
                env.clock(),
                elections::resign);
        loader = new LogLoader(
                topic,
                time,
                env.scheduler(),
                env.background(),
                loading.bufferBytes(),
                loading.serde(),
                new Loads(elections, loading.watches()));
    }

    /** Tells the elections how loads begin and fail. */
    private record Loads(Elections elections, Supplier<LogLoader.LoadWatch> watches) implements LogLoader.LoadListener {
        @Override
        public LogLoader.LoadWatch onLoading(int partition) {
            elections.onLoading(partition);
            return watches.get();
        }

        @Override
        public void onUnusable(int partition, int leaderEpoch) {
            elections.giveUp(partition, leaderEpoch);
        }
    }

    /** The topic. */
    public StateTopic topic() {
        return topic;
    }

    /** Time that no wall-clock jump moves. */
    public Time time() {
        return time;
    }

    /** For the library's time-outs. */
    public Timer timer() {
        return timer;
    }

    /** Which partitions are served here. */
    public Elections elections() {
        return elections;
    }

    /** Where the coordinator appends. */
    public LogPartitionWriter writer() {
        return writer;
    }

    /** What brings its state back. */
    public LogLoader loader() {
        return loader;
    }
}
