package io.sluice.cli.record;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.ResponseHeader;

/**
 * Asks a node once what it answers to a fetch. Kafka's consumer tries again for ever, and says nothing, where the answer is
 * one of the errors that may go away, as KAFKA_STORAGE_ERROR.
 */
final class FetchProbe implements ReadProbe {
    /** The last version that names topics instead of giving their ids. */
    private static final short VERSION = 12;

    private static final int MAX_ANSWER_BYTES = 64 << 20;

    private final Duration timeout;

    FetchProbe(Duration timeout) {
        this.timeout = timeout;
    }

    @Override
    public Errors ask(Node node, TopicPartition partition, long offset) {
        int millis = Math.toIntExact(timeout.toMillis());
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(node.host(), node.port()), millis);
            socket.setSoTimeout(millis);
            send(socket, partition, offset);
            return receive(new DataInputStream(socket.getInputStream()));
        } catch (IOException e) {
            return Errors.NONE; // nothing was heard, which is what is said without a probe as well
        }
    }

    private static void send(Socket socket, TopicPartition partition, long offset) throws IOException {
        FetchRequest request = FetchRequest.Builder.forConsumer(
                        VERSION,
                        0,
                        0,
                        Map.of(
                                partition,
                                new FetchRequest.PartitionData(Uuid.ZERO_UUID, offset, -1, 1, Optional.empty())))
                .build(VERSION);
        ByteBuffer body = request.serializeWithHeader(new RequestHeader(ApiKeys.FETCH, VERSION, "sluice-cli", 0));
        ByteBuffer framed = ByteBuffer.allocate(Integer.BYTES + body.remaining());
        framed.putInt(body.remaining()).put(body);
        socket.getOutputStream().write(framed.array());
    }

    private static Errors receive(DataInputStream in) throws IOException {
        int size = in.readInt();
        if (size < 0 || size > MAX_ANSWER_BYTES) {
            throw new IOException("an answer of " + size + " bytes");
        }
        byte[] bytes = new byte[size];
        in.readFully(bytes);
        ByteBuffer answer = ByteBuffer.wrap(bytes);
        ResponseHeader.parse(answer, ApiKeys.FETCH.responseHeaderVersion(VERSION));
        FetchResponse response = FetchResponse.parse(new ByteBufferAccessor(answer), VERSION);
        for (FetchResponseData.FetchableTopicResponse topic : response.data().responses()) {
            for (FetchResponseData.PartitionData partition : topic.partitions()) {
                return Errors.forCode(partition.errorCode());
            }
        }
        return response.error();
    }
}
