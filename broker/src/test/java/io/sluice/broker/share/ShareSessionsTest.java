package io.sluice.broker.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.simulation.RecordingConnection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class ShareSessionsTest {
    private static final ShareSession.Key ANN = new ShareSession.Key("g", "ann");
    private static final ShareSession.Key BOB = new ShareSession.Key("g", "bob");
    private static final Uuid TOPIC = new Uuid(1, 2);

    private final ShareNode node = new ShareNode();
    private final ShareSessions sessions = node.sessions;

    private ShareSession begin(ShareSession.Key key, RecordingConnection connection) {
        return Objects.requireNonNull(sessions.begin(key, connection).session());
    }

    private static Iterable<ShareSession.Part> parts(int first, int count) {
        return () -> IntStream.range(first, first + count)
                .mapToObj(partition -> new ShareSession.Part(TOPIC, partition))
                .iterator();
    }

    private static Set<ShareSession.Part> setOf(Iterable<ShareSession.Part> parts) {
        return StreamSupport.stream(parts.spliterator(), false).collect(Collectors.toSet());
    }

    @Test
    void takesNoMorePartitionsThanAllSessionsMayHave() {
        ShareSession ann = begin(ANN, new RecordingConnection(1));
        ShareSession bob = begin(BOB, new RecordingConnection(2));
        assertThat(sessions.update(ann, parts(0, ShareSessions.MAX_PARTITIONS - 5), Set.of()))
                .isTrue();

        assertThat(sessions.update(bob, parts(0, 1_000_000), Set.of())).isFalse();

        assertThat(bob.size()).isEqualTo(5);
        assertThat(sessions.begin(new ShareSession.Key("g", "cid"), new RecordingConnection(3))
                        .error())
                .isEqualTo(Errors.SHARE_SESSION_LIMIT_REACHED);
        sessions.end(ann, false);
        assertThat(sessions.update(bob, parts(5, 10), Set.of())).isTrue();
        assertThat(bob.size()).isEqualTo(15);
    }

    @Test
    void looksNoFurtherThanTheFirstPartitionThatHasNoRoom() {
        ShareSession ann = begin(ANN, new RecordingConnection(1));
        sessions.update(ann, parts(0, ShareSessions.MAX_PARTITIONS), Set.of());
        AtomicInteger looked = new AtomicInteger();
        Iterable<ShareSession.Part> more = () -> IntStream.range(0, ShareSessions.MAX_PARTITIONS + 1000)
                .peek(partition -> looked.incrementAndGet())
                .mapToObj(partition -> new ShareSession.Part(TOPIC, partition))
                .iterator();

        assertThat(sessions.update(ann, more, Set.of())).isFalse();

        assertThat(looked).hasValue(ShareSessions.MAX_PARTITIONS + 1);
    }

    /** It is clients who choose both halves, and so the hash: partitions of one hash are found by their order. */
    @Test
    void partitionsOfOneHashHaveAnOrder() {
        ShareSession.Part one = new ShareSession.Part(new Uuid(1, 2), 31);
        ShareSession.Part like = new ShareSession.Part(new Uuid(1, 3), 62);
        assertThat(one).hasSameHashCodeAs(like);

        assertThat(one.compareTo(like)).isNegative();
        assertThat(like.compareTo(one)).isPositive();
        assertThat(one).isEqualByComparingTo(new ShareSession.Part(new Uuid(1, 2), 31));
        assertThat(one).isLessThan(new ShareSession.Part(new Uuid(1, 2), 32));
    }

    @Test
    void exchangesPartitionsWhereThereIsNoRoomForMore() {
        ShareSession ann = begin(ANN, new RecordingConnection(1));
        sessions.update(ann, parts(0, ShareSessions.MAX_PARTITIONS), Set.of());

        assertThat(sessions.update(ann, parts(ShareSessions.MAX_PARTITIONS, 5), setOf(parts(0, 5))))
                .isTrue();

        assertThat(ann.size()).isEqualTo(ShareSessions.MAX_PARTITIONS);
        assertThat(ann.all()).doesNotContain(new ShareSession.Part(TOPIC, 4));
    }

    @Test
    void doesNotReadWhatARequestBothAddsAndForgets() {
        ShareSession ann = begin(ANN, new RecordingConnection(1));

        sessions.update(ann, parts(0, 3), setOf(parts(1, 1)));

        assertThat(ann.all()).containsExactly(new ShareSession.Part(TOPIC, 0), new ShareSession.Part(TOPIC, 2));
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
    void hasOneSessionOfAMemberThatBeginsTwoAtOnce() {
        node.use("g", 0);
        ShareSession first = begin(ANN, new RecordingConnection(1));
        sessions.update(first, List.of(node.part(0)), Set.of());
        // While the first one ends, the member begins on a third connection.
        node.onNextLookup(() -> begin(ANN, new RecordingConnection(3)));

        sessions.begin(ANN, new RecordingConnection(2));
        node.use("g", 0);
        sessions.end(Objects.requireNonNull(sessions.last(ANN).session()), true);

        assertThat(sessions.last(ANN).error()).isEqualTo(Errors.SHARE_SESSION_NOT_FOUND);
        assertThat(node.partitions.size())
                .as("in use after the last session has ended")
                .isZero();
    }

    @Test
    void keepsAGroupsPartitionsInUseWhenItsLastMemberBeginsAnew() {
        begin(ANN, new RecordingConnection(1));
        node.use("g", 0);

        ShareSession second = begin(ANN, new RecordingConnection(2));

        assertThat(node.partitions.size()).isEqualTo(1);
        sessions.end(second, true);
        assertThat(node.partitions.size()).isZero();
    }

    @Test
    void takesTheSlotOfTheSessionThatItReplaces() {
        for (int member = 0; member < ShareNode.SESSIONS; member++) {
            begin(new ShareSession.Key("g", "m" + member), new RecordingConnection(member));
        }

        begin(new ShareSession.Key("g", "m3"), new RecordingConnection(99));

        assertThat(sessions.begin(ANN, new RecordingConnection(100)).error())
                .isEqualTo(Errors.SHARE_SESSION_LIMIT_REACHED);
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
