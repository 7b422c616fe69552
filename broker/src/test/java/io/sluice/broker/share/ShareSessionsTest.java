package io.sluice.broker.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SimulatedTime;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.broker.simulation.RecordingConnection;
import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.InMemoryCluster;
import io.sluice.coordinator.share.DeadLetters;
import io.sluice.coordinator.share.LibraryShareState;
import io.sluice.coordinator.share.PatientShareState;
import io.sluice.coordinator.share.SharePartition;
import io.sluice.storage.config.BrokerConfigKeys;
import io.sluice.storage.config.TopicDefaults;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShareSessionsTest {
    private static final ShareSession.Key ANN = new ShareSession.Key("g", "ann");
    private static final ShareSession.Key BOB = new ShareSession.Key("g", "bob");
    private static final Uuid TOPIC = new Uuid(1, 2);

    private final SimulatedTime time = new SimulatedTime(0);
    private final InMemoryCluster cluster = new InMemoryCluster();
    private final LibraryShareState state = new LibraryShareState(new CoordinatorEnvironment(
            BrokerConfigKeys.SCHEMA.read(Map.of()),
            time,
            time,
            Runnable::run,
            cluster,
            () -> TopicDefaults.NONE,
            cluster,
            cluster,
            cluster,
            UnpooledByteBufAllocator.DEFAULT,
            new Metrics()));
    private final ShareSessions sessions = new ShareSessions(
            10,
            new SharePartitions(
                    new SharePartitions.Records(
                            new ServedTopics(cluster, () -> TopicDefaults.NONE, new Metrics()), cluster, cluster),
                    new PatientShareState(state, time, time, Runnable::run),
                    new ShareGroupConfigs(cluster, BrokerConfigKeys.SCHEMA.read(Map.of())),
                    origin -> DeadLetters.NONE,
                    new SharePartition.Time(time, time, Runnable::run)));

    @AfterEach
    void close() {
        state.close();
    }

    private ShareSession begin(ShareSession.Key key, RecordingConnection connection) {
        return Objects.requireNonNull(sessions.begin(key, connection).session());
    }

    private static Iterable<ShareSession.Part> parts(int first, int count) {
        return () -> IntStream.range(first, first + count)
                .mapToObj(partition -> new ShareSession.Part(TOPIC, partition))
                .iterator();
    }

    @Test
    void takesNoMorePartitionsThanAllSessionsMayHave() {
        ShareSession ann = begin(ANN, new RecordingConnection(1));
        ShareSession bob = begin(BOB, new RecordingConnection(2));
        assertThat(sessions.update(ann, parts(0, ShareSessions.MAX_PARTITIONS - 5), List.of()))
                .isTrue();

        assertThat(sessions.update(bob, parts(0, 1_000_000), List.of())).isFalse();

        assertThat(bob.size()).isEqualTo(5);
        assertThat(sessions.begin(new ShareSession.Key("g", "cid"), new RecordingConnection(3))
                        .error())
                .isEqualTo(Errors.SHARE_SESSION_LIMIT_REACHED);
        sessions.end(ann, false);
        assertThat(sessions.update(bob, parts(5, 10), List.of())).isTrue();
        assertThat(bob.size()).isEqualTo(15);
    }

    @Test
    void endsNoSessionThatBeganAfterTheOneThatWasToEnd() {
        ShareSession first = begin(ANN, new RecordingConnection(1));
        ShareSession second = begin(ANN, new RecordingConnection(2));

        sessions.end(first, false);

        assertThat(first.isEnded()).isTrue();
        assertThat(second.isEnded()).isFalse();
        assertThat(sessions.last(ANN).session()).isSameAs(second);
    }

    @Test
    void endsTheSessionsOfAConnectionThatClosesAndNoOther() {
        RecordingConnection closing = new RecordingConnection(1);
        ShareSession ann = begin(ANN, closing);
        ShareSession bob = begin(BOB, new RecordingConnection(2));

        closing.close();

        assertThat(ann.isEnded()).isTrue();
        assertThat(bob.isEnded()).isFalse();
    }
}
