package io.sluice.testkit.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseDataJsonConverter;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.jspecify.annotations.Nullable;

/** Answers as JSON, every field by its name in Kafka's schema; record sets as their batches and records. */
final class AnswerJson {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private AnswerJson() {}

    static JsonNode of(ApiMessage answer, short version) {
        return answer instanceof FetchResponseData fetch ? ofFetch(fetch, version) : converted(answer, version);
    }

    private static JsonNode converted(ApiMessage answer, short version) {
        try {
            Class<?> converter = Class.forName(answer.getClass().getName() + "JsonConverter");
            return (JsonNode)
                    converter.getMethod("write", answer.getClass(), short.class).invoke(null, answer, version);
        } catch (ClassNotFoundException | NoSuchMethodException | IllegalAccessException e) {
            throw new IllegalStateException("kafka-clients has no JSON converter for " + answer.getClass(), e);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("Not to be written as JSON at version " + version + ": " + answer, e);
        }
    }

    private static JsonNode ofFetch(FetchResponseData fetch, short version) {
        JsonNode json = FetchResponseDataJsonConverter.write(fetch, version, false);
        for (int t = 0; t < fetch.responses().size(); t++) {
            var partitions = fetch.responses().get(t).partitions();
            JsonNode partitionsJson = json.get("responses").get(t).get("partitions");
            for (int p = 0; p < partitions.size(); p++) {
                ObjectNode partitionJson = (ObjectNode) partitionsJson.get(p);
                partitionJson.remove("recordsSizeInBytes");
                partitionJson.set("records", batches(partitions.get(p).records()));
            }
        }
        return json;
    }

    private static JsonNode batches(@Nullable BaseRecords records) {
        if (records == null) {
            return JSON.nullNode();
        }
        ArrayNode all = JSON.arrayNode();
        int whole = 0;
        for (MutableRecordBatch batch : ((MemoryRecords) records).batches()) {
            all.add(batch(batch));
            whole += batch.sizeInBytes();
        }
        if (whole != records.sizeInBytes()) {
            all.add(JSON.textNode("a partial batch of " + (records.sizeInBytes() - whole) + " bytes"));
        }
        return all;
    }

    private static ObjectNode batch(MutableRecordBatch batch) {
        boolean appendTime = batch.timestampType() == TimestampType.LOG_APPEND_TIME;
        ObjectNode json = JSON.objectNode()
                .put("baseOffset", batch.baseOffset())
                .put("lastOffset", batch.lastOffset())
                .put("magic", batch.magic())
                .put("valid", batch.isValid())
                .put("compression", batch.compressionType().name)
                .put("timestampType", batch.timestampType().name)
                .put("batchLeaderEpoch", batch.partitionLeaderEpoch())
                .put("producerId", batch.producerId())
                .put("producerEpoch", batch.producerEpoch())
                .put("baseSequence", batch.baseSequence())
                .put("transactional", batch.isTransactional())
                .put("control", batch.isControlBatch());
        putTime(json, "maxTimestamp", batch.maxTimestamp(), appendTime);
        try {
            ArrayNode records = json.putArray("records");
            for (Record each : batch) {
                records.add(record(each, appendTime));
            }
            return json;
        } catch (KafkaException e) {
            return json.put("records", "not to be decoded");
        }
    }

    private static ObjectNode record(Record each, boolean appendTime) {
        ObjectNode json = JSON.objectNode().put("offset", each.offset());
        putTime(json, "timestamp", each.timestamp(), appendTime);
        json.put("key", text(each.key())).put("value", text(each.value()));
        ArrayNode headers = json.putArray("headers");
        for (Header header : each.headers()) {
            headers.add(header.key() + "="
                    + (header.value() == null ? null : new String(header.value(), StandardCharsets.UTF_8)));
        }
        return json;
    }

    private static void putTime(ObjectNode json, String field, long millis, boolean appendTime) {
        if (appendTime) {
            json.put(field, millis < 0 ? "none" : "append time");
        } else {
            json.put(field, millis);
        }
    }

    private static @Nullable String text(@Nullable ByteBuffer bytes) {
        if (bytes == null) {
            return null;
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        for (byte b : copy) {
            if (b < ' ') {
                return "0x" + HexFormat.of().formatHex(copy);
            }
        }
        return new String(copy, StandardCharsets.UTF_8);
    }
}
