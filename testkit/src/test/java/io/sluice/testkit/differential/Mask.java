package io.sluice.testkit.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Takes out of an answer what must differ between two brokers: ids, ports, times of the broker's clock, texts for people.
 * An id becomes its number of appearance, so that the same id in two places is still seen to be the same. One per side and
 * case. Lists whose elements have keys become objects, so that their order does not count.
 */
final class Mask {
    private static final Set<String> IDS = Set.of(
            "topicId",
            "memberId",
            "producerId",
            "sessionId",
            "leader",
            "topicIds",
            "clientInstanceId",
            "subscriptionId");
    private static final Set<String> NODES = Set.of(
            "leaderId",
            "nodeId",
            "brokerId",
            "controllerId",
            "replicaNodes",
            "isrNodes",
            "offlineReplicas",
            "eligibleLeaderReplicas",
            "lastKnownElr");
    private static final Set<String> TEXTS = Set.of("errorMessage", "batchIndexErrorMessage", "documentation");
    private static final Set<String> PRESENT_ONLY = Set.of(
            "port",
            "logAppendTimeMs",
            "logDir",
            "totalBytes",
            "usableBytes",
            "finalizedFeaturesEpoch",
            "clusterId",
            "memberEpoch",
            "groupEpoch",
            "assignmentEpoch",
            "coordinatorEpoch",
            "lastTimestamp",
            "transactionStartTimeMs");
    private static final List<String> KEYS = List.of(
            "name",
            "topicName",
            "topic",
            "topicId",
            "groupId",
            "resourceType",
            "resourceName",
            "configName",
            "partitionIndex",
            "partition",
            "index",
            "apiKey",
            "nodeId",
            "brokerId",
            "memberId");
    private static final Set<String> NO_IDS = Set.of("", "-1", "0", "null", "AAAAAAAAAAAAAAAAAAAAAA");

    private static final Pattern ADDRESS = Pattern.compile("127\\.0\\.0\\.1:\\d+");

    private final Side side;
    private final String slug;
    private final Map<String, String> symbols = new HashMap<>();

    /**
     * @param slug what the names of this run of the case start with; becomes {@code ~}
     */
    Mask(Side side, String slug) {
        this.side = side;
        this.slug = slug;
    }

    /** Gives an id its number before it appears in an answer, where its place could depend on the order of a list. */
    void know(String id) {
        symbol(id);
    }

    JsonNode of(JsonNode answer) {
        return masked("", answer);
    }

    private JsonNode masked(String field, JsonNode node) {
        if (node instanceof ObjectNode object) {
            ObjectNode result = JsonNodeFactory.instance.objectNode();
            for (Map.Entry<String, JsonNode> entry : object.properties()) {
                result.set(entry.getKey(), masked(entry.getKey(), entry.getValue()));
            }
            return result;
        }
        return node instanceof ArrayNode array ? list(field, array) : value(field, node);
    }

    private JsonNode list(String field, ArrayNode array) {
        List<JsonNode> elements = new ArrayList<>();
        array.forEach(element -> elements.add(masked(field, element)));
        if (field.equals("partitions") && elements.stream().allMatch(JsonNode::isInt)) {
            elements.sort(Comparator.comparingInt(JsonNode::asInt)); // numbers of a set, in no order
        }
        Set<String> keys = new HashSet<>();
        ObjectNode byKey = JsonNodeFactory.instance.objectNode();
        for (JsonNode element : elements) {
            String key = key(element);
            if (key.isEmpty() || !keys.add(key)) {
                return JsonNodeFactory.instance.arrayNode().addAll(elements);
            }
            byKey.set(key, element);
        }
        return elements.isEmpty() ? JsonNodeFactory.instance.arrayNode() : byKey;
    }

    /** Fields that identify an element; keys are taken from elements masked already. */
    private static String key(JsonNode element) {
        StringBuilder key = new StringBuilder();
        for (String name : KEYS) {
            if (element.has(name)) {
                key.append(key.isEmpty() ? "" : ",").append(element.get(name).asText());
            }
        }
        return key.toString();
    }

    private JsonNode value(String field, JsonNode node) {
        if (IDS.contains(field)) {
            String text = node.asText();
            return JsonNodeFactory.instance.textNode(
                    NO_IDS.contains(text) && !(field.equals("producerId") && text.equals("0")) ? text : symbol(text));
        }
        if (NODES.contains(field) && node.asInt() == side.nodeId()) {
            return JsonNodeFactory.instance.textNode("this node");
        }
        if (TEXTS.contains(field)) {
            return JsonNodeFactory.instance.textNode(node.isNull() ? "no text" : "a text");
        }
        if (PRESENT_ONLY.contains(field)) {
            return JsonNodeFactory.instance.textNode(NO_IDS.contains(node.asText()) ? node.asText() : "some");
        }
        return node.isTextual() ? JsonNodeFactory.instance.textNode(text(node.asText())) : node;
    }

    private String symbol(String id) {
        return symbols.computeIfAbsent(id, unused -> "id " + (symbols.size() + 1));
    }

    private String text(String text) {
        String masked =
                text.replace(slug, "~").replace(side.broker().dataDirectory().toString(), "the data directory");
        return ADDRESS.matcher(masked).replaceAll("127.0.0.1:port");
    }
}
