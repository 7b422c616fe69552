package io.sluice.cli.log;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One line of a dump.
 *
 * @param kind what it is about: directory, log, segment, batch, journal, block, entry, damage, missing
 * @param depth how far it is indented in text
 * @param values what there is to say, in order
 */
record DumpLine(String kind, int depth, Map<String, Object> values) {
    private static final String INDENT = "  ";

    Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("kind", kind);
        document.putAll(values);
        return document;
    }

    String text() {
        StringBuilder text = new StringBuilder(INDENT.repeat(depth)).append(kind);
        values.forEach(
                (name, value) -> text.append(' ').append(name).append('=').append(value));
        return text.toString();
    }
}
