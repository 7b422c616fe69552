package io.sluice.broker.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.simulation.Batches;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.broker.simulation.RecordingConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ShareFetchRequest;
import org.apache.kafka.common.requests.ShareFetchResponse;
import org.junit.jupiter.api.Test;

class ShareFetchHandlerTest {
    private static final short VERSION = 2;
    private static final int FINAL_EPOCH = -1;

    private final ShareNode node = new ShareNode();
    private final ShareFetchHandler handler =
            new ShareFetchHandler(node.partitions, node.sessions, node.time, node.time, 1 << 20);
    private final RecordingConnection ann = new RecordingConnection(1);
    private final RecordingConnection bob = new RecordingConnection(2);

    private ShareFetchResponseData fetch(RecordingConnection connection, int epoch, int partitions) {
        return fetch(connection, "member-" + connection.id(), epoch, partitions);
    }

    private ShareFetchResponseData fetch(RecordingConnection connection, String member, int epoch, int partitions) {
        // With room to spare: where the library's table of neighbours in number grows, that takes minutes.
        ShareFetchRequestData.FetchPartitionCollection named =
                new ShareFetchRequestData.FetchPartitionCollection(2 * partitions + 2);
        IntStream.range(0, partitions)
                .mapToObj(partition -> new ShareFetchRequestData.FetchPartition().setPartitionIndex(partition))
                .forEach(named::add);
        ShareFetchRequestData.FetchTopicCollection topics = new ShareFetchRequestData.FetchTopicCollection();
        topics.add(
                new ShareFetchRequestData.FetchTopic().setTopicId(node.topicId).setPartitions(named));
        ShareFetchRequestData data = new ShareFetchRequestData()
                .setGroupId("g")
                .setMemberId(member)
                .setShareSessionEpoch(epoch)
                .setMaxRecords(10)
                .setMaxBytes(1 << 20)
                .setTopics(topics);
        RecordingCall<ShareFetchRequest> call =
                new RecordingCall<>(new ShareFetchRequest(data, VERSION), connection, node.time.nanoTime());
        handler.handle(call);
        return ((ShareFetchResponse) call.response()).data();
    }

    private static List<AcquiredRecords> acquired(ShareFetchResponseData answer) {
        return answer.responses().stream()
                .flatMap(topic -> topic.partitions().stream())
                .flatMap(partition -> partition.acquiredRecords().stream())
                .toList();
    }

    private static AcquiredRecords records(long first, long last, int count) {
        return new AcquiredRecords().setFirstOffset(first).setLastOffset(last).setDeliveryCount((short) count);
    }

    @Test
    void countsTheDeliveryToAMemberWhoseSessionEndsForWantOfRoom() {
        node.use("g", 0);
        node.append(0, Batches.of(1, "poison"));
        assertThat(acquired(fetch(bob, 0, 0))).isEmpty();
        assertThat(acquired(fetch(ann, 0, 1))).containsExactly(records(0, 0, 1));

        ShareFetchResponseData refused = fetch(ann, 1, ShareSessions.MAX_PARTITIONS + 1);

        assertThat(refused.errorCode()).isEqualTo(Errors.SHARE_SESSION_LIMIT_REACHED.code());
        assertThat(acquired(fetch(bob, 1, 1))).containsExactly(records(0, 0, 2));
    }

    @Test
    void countsNoDeliveryToAMemberThatSaysGoodbye() {
        node.use("g", 0);
        node.append(0, Batches.of(1, "unseen"));
        assertThat(acquired(fetch(bob, 0, 0))).isEmpty();
        assertThat(acquired(fetch(ann, 0, 1))).containsExactly(records(0, 0, 1));

        assertThat(fetch(ann, FINAL_EPOCH, 0).errorCode()).isEqualTo(Errors.NONE.code());

        assertThat(acquired(fetch(bob, 1, 1))).containsExactly(records(0, 0, 1));
    }

    @Test
    void leavesToAMemberWhatItsNextSessionHoldsWhileTheOneBeforeEnds() {
        node.use("g", 0);
        node.use("g", 1);
        RecordingConnection again = new RecordingConnection(ann.id() + 100);
        fetch(bob, 0, 2);
        fetch(ann, 0, 2);
        node.append(1, Batches.of(1, "one"));
        List<AcquiredRecords> held = new ArrayList<>();
        // While the session of the connection that closes ends, the member has begun on another one.
        node.onNextLookup(() -> held.addAll(acquired(fetch(again, "member-" + ann.id(), 0, 2))));

        ann.close();

        assertThat(held).containsExactly(records(0, 0, 1));
        assertThat(acquired(fetch(bob, 1, 0))).isEmpty();
    }
}
