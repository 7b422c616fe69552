package io.sluice.cli.record;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.base.time.Clock;
import io.sluice.cli.connect.HostAndPort;
import io.sluice.cli.connect.Subject;
import io.sluice.cli.connect.WireConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;

/**
 * Asks a node once about a topic, and for a producer id. Kafka's producer waits for a topic that is gone and for an id that it
 * is refused, and says in the end that nobody answers.
 *
 * @param addresses of nodes, of which the first that answers is asked
 * @param timeout for all that is asked
 * @param withId whether the producer needs an id
 */
record TopicProbe(List<HostAndPort> addresses, Duration timeout, Clock clock, String topic, boolean withId)
        implements SendProbe {
    /** The last version that answers in a form that all nodes since 2018 know. */
    private static final short METADATA_VERSION = 8;

    private static final short INIT_PRODUCER_ID_VERSION = 1;

    @Override
    public Optional<UserException> ask(int partitionsBefore) {
        long deadlineNanos = clock.nanoTime() + timeout.toNanos();
        for (HostAndPort address : addresses) {
            try (WireConnection connection = new WireConnection(clock, deadlineNanos)) {
                connection.connect(address.host(), address.port());
                Optional<UserException> found = ofTopic(metadata(connection), partitionsBefore);
                return found.isPresent() || !withId ? found : ofId(connection);
            } catch (IOException e) {
                // Nothing was heard: the next one is asked. Of none it is said as without a probe.
            }
        }
        return Optional.empty();
    }

    private List<MetadataResponseTopic> metadata(WireConnection connection) throws IOException {
        MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(false);
        request.topics().add(new MetadataRequestData.MetadataRequestTopic().setName(topic));
        return List.copyOf(new MetadataResponseData(
                        new ByteBufferAccessor(connection.ask(ApiKeys.METADATA, METADATA_VERSION, request)),
                        METADATA_VERSION)
                .topics());
    }

    private Optional<UserException> ofTopic(List<MetadataResponseTopic> answered, int partitionsBefore) {
        for (MetadataResponseTopic answer : answered) {
            Errors error = Errors.forCode(answer.errorCode());
            int count = answer.partitions().size();
            if (error == Errors.UNKNOWN_TOPIC_OR_PARTITION) {
                return failed(
                        partitionsBefore == 0
                                ? Subject.topic(topic).missing()
                                : "Topic '" + topic
                                        + "' does not exist any more: it was deleted while records were sent."
                                        + " 'sluice topic list' shows those there are.");
            }
            if (error != Errors.NONE) {
                return failed("The node answers " + error.name() + " for topic '" + topic + "': " + error.message());
            }
            if (count < partitionsBefore) {
                return failed("Topic '" + topic + "' has no partition "
                        + (count + 1 == partitionsBefore ? "" : count + " to ")
                        + (partitionsBefore - 1)
                        + " any more: it was deleted while records were sent, and made again with "
                        + count + (count == 1 ? " partition." : " partitions."));
            }
            for (MetadataResponsePartition partition : answer.partitions()) {
                Errors ofPartition = Errors.forCode(partition.errorCode());
                if (ofPartition != Errors.NONE) {
                    return failed("The node answers " + ofPartition.name() + " for partition "
                            + partition.partitionIndex() + " of topic '" + topic + "': " + ofPartition.message());
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<UserException> ofId(WireConnection connection) throws IOException {
        InitProducerIdRequestData request = new InitProducerIdRequestData().setTransactionalId(null);
        Errors error = Errors.forCode(new InitProducerIdResponseData(
                        new ByteBufferAccessor(
                                connection.ask(ApiKeys.INIT_PRODUCER_ID, INIT_PRODUCER_ID_VERSION, request)),
                        INIT_PRODUCER_ID_VERSION)
                .errorCode());
        return error == Errors.NONE
                ? Optional.empty()
                : failed("The node gives out no producer ids: it answers " + error.name()
                        + ", as when it cannot write its metadata, because its disk is full or its data directory was moved"
                        + " away. Its log says why, and so does 'sluice doctor' on its machine.");
    }

    private static Optional<UserException> failed(String line) {
        return Optional.of(new UserException(ExitCode.FAILED, line));
    }
}
