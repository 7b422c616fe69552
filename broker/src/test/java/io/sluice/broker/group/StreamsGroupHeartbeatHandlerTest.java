package io.sluice.broker.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.CopartitionGroup;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.KeyValue;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Subtopology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TaskOffset;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TopicInfo;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Topology;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.junit.jupiter.api.Test;

/** What is refused before the coordinator sees it. */
class StreamsGroupHeartbeatHandlerTest {
    private static StreamsGroupHeartbeatRequestData request(Subtopology... subtopologies) {
        return new StreamsGroupHeartbeatRequestData()
                .setTopology(new Topology().setSubtopologies(List.of(subtopologies)));
    }

    private static Subtopology reading(String id, String... topics) {
        return new Subtopology().setSubtopologyId(id).setSourceTopics(List.of(topics));
    }

    private static void isRefused(StreamsGroupHeartbeatRequestData request, Errors error, String... words) {
        ApiError fault = StreamsGroupHeartbeatHandler.fault(request);
        assertThat(fault).isNotNull().satisfies(it -> {
            assertThat(it.error()).isEqualTo(error);
            assertThat(it.message()).contains(words);
        });
    }

    @Test
    void acceptsWhatApplicationsSend() {
        Subtopology counts = reading("1", "a", "b");
        counts.repartitionSourceTopics().add(new TopicInfo().setName("words"));
        counts.stateChangelogTopics().add(new TopicInfo().setName("totals"));
        counts.copartitionGroups()
                .add(new CopartitionGroup()
                        .setSourceTopics(List.of((short) 0, (short) 1))
                        .setRepartitionSourceTopics(List.of((short) 0)));

        assertThat(StreamsGroupHeartbeatHandler.fault(request(reading("0", "a"), counts)))
                .isNull();
        assertThat(StreamsGroupHeartbeatHandler.fault(new StreamsGroupHeartbeatRequestData()))
                .isNull();
    }

    @Test
    void refusesTheBrokersOwnTopicsAndImpossibleNames() {
        Subtopology sink = reading("0", "a");
        sink.repartitionSinkTopics().add("__transaction_state");

        isRefused(request(sink), Errors.STREAMS_INVALID_TOPOLOGY, "__transaction_state");
        isRefused(request(reading("0", "a b")), Errors.STREAMS_INVALID_TOPOLOGY, "'a b'");
    }

    @Test
    void refusesWhatIsThereTwiceOrPointsNowhere() {
        Subtopology twice = reading("0", "a");
        twice.stateChangelogTopics().add(new TopicInfo().setName("c"));
        twice.stateChangelogTopics().add(new TopicInfo().setName("c"));
        Subtopology nowhere = reading("7", "a");
        nowhere.copartitionGroups().add(new CopartitionGroup().setSourceTopics(List.of((short) 1)));

        isRefused(request(reading("0", "a"), reading("0", "b")), Errors.STREAMS_INVALID_TOPOLOGY, "'0' twice");
        isRefused(request(twice), Errors.STREAMS_INVALID_TOPOLOGY, "subtopology '0'", "topic c is there twice");
        isRefused(request(nowhere), Errors.STREAMS_INVALID_TOPOLOGY, "subtopology '7'", "that no topic has");
        isRefused(
                new StreamsGroupHeartbeatRequestData()
                        .setClientTags(List.of(new KeyValue().setKey("zone"), new KeyValue().setKey("zone"))),
                Errors.INVALID_REQUEST,
                "zone");
    }

    @Test
    void refusesANegativeEpochOfATopology() {
        StreamsGroupHeartbeatRequestData request = request(reading("0", "a"));
        request.topology().setEpoch(-2);

        isRefused(request, Errors.STREAMS_INVALID_TOPOLOGY_EPOCH, "-2");
    }

    @Test
    void refusesTheOffsetsOfMoreThanTenThousandTasks() {
        List<TaskOffset> offsets = new ArrayList<>(IntStream.range(0, 10_000)
                .mapToObj(partition -> new TaskOffset().setPartition(partition))
                .toList());
        StreamsGroupHeartbeatRequestData request = new StreamsGroupHeartbeatRequestData().setTaskEndOffsets(offsets);
        assertThat(StreamsGroupHeartbeatHandler.fault(request)).isNull();

        offsets.add(new TaskOffset().setPartition(10_000));

        isRefused(request, Errors.INVALID_REQUEST, "10001", "10000");
    }
}
