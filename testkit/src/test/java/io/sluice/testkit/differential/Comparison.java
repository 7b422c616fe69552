package io.sluice.testkit.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Compares two masked transcripts field by field. */
final class Comparison {
    private static final int MAX_TEXT = 300;

    private final String caseId;
    private final List<Difference> differences = new ArrayList<>();

    private Comparison(String caseId) {
        this.caseId = caseId;
    }

    static List<Difference> of(String caseId, JsonNode reference, JsonNode candidate) {
        Comparison comparison = new Comparison(caseId);
        comparison.compare("", reference, candidate);
        return comparison.differences;
    }

    private void compare(String path, JsonNode reference, JsonNode candidate) {
        if (reference.isObject() && candidate.isObject()) {
            Set<String> names = new LinkedHashSet<>();
            reference.fieldNames().forEachRemaining(names::add);
            candidate.fieldNames().forEachRemaining(names::add);
            for (String name : names) {
                compare(path.isEmpty() ? name : path + "/" + name, field(reference, name), field(candidate, name));
            }
        } else if (reference.isArray() && candidate.isArray() && reference.size() == candidate.size()) {
            for (int i = 0; i < reference.size(); i++) {
                compare(path + "/" + i, reference.get(i), candidate.get(i));
            }
        } else if (!reference.equals(candidate)) {
            differences.add(new Difference(caseId, path, text(reference), text(candidate)));
        }
    }

    private static JsonNode field(JsonNode node, String name) {
        JsonNode field = node.get(name);
        return field == null ? MissingNode.getInstance() : field;
    }

    private static String text(JsonNode node) {
        String text = node.isMissingNode() ? "(absent)" : node.toString();
        return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) + "…" : text;
    }
}
