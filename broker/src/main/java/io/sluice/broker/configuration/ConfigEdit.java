package io.sluice.broker.configuration;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.jspecify.annotations.Nullable;

/** A change of what is set on one resource. May be applied more than once, to what is there at that time. */
interface ConfigEdit {
    /**
     * What will be set.
     *
     * @param now what is set
     * @param schema the resource's settings
     * @param inherited what a list not set on the resource holds
     * @throws ConfigException to refuse
     */
    Map<String, String> apply(
            Map<String, String> now, ConfigSchema schema, Function<String, @Nullable String> inherited);

    /** One step of an incremental change; the value is null for DELETE only. */
    record Step(
            AlterConfigOp.OpType type, String key, @Nullable String value) {}

    /** Sets exactly these, whatever there is; no value is null. */
    static ConfigEdit replace(List<Step> steps) {
        return (now, schema, inherited) -> steps.stream()
                .collect(Collectors.toMap(Step::key, step -> Objects.requireNonNull(step.value(), step.key())));
    }

    /** Applies steps (KIP-339). */
    static ConfigEdit incremental(List<Step> steps) {
        return (now, schema, inherited) -> {
            Map<String, String> texts = new HashMap<>(now);
            steps.forEach(step -> apply(step, texts, schema, inherited));
            return texts;
        };
    }

    private static void apply(
            Step step, Map<String, String> texts, ConfigSchema schema, Function<String, @Nullable String> inherited) {
        String value = step.value();
        if (step.type() == AlterConfigOp.OpType.DELETE || value == null) {
            texts.remove(step.key());
            return;
        }
        if (step.type() == AlterConfigOp.OpType.SET) {
            texts.put(step.key(), value);
            return;
        }
        ConfigKey<?> key = schema.find(step.key());
        if (key != null && key.type() != ConfigKey.Type.LIST) {
            throw new ConfigException(
                    "Can't " + step.type() + " to key " + step.key() + " because its type is not LIST.");
        }
        String now = texts.containsKey(step.key()) ? texts.get(step.key()) : inherited.apply(step.key());
        List<String> words = new ArrayList<>(ConfigKey.split(now == null ? "" : now));
        List<String> given = ConfigKey.split(value);
        words.removeAll(given);
        if (step.type() == AlterConfigOp.OpType.APPEND) {
            words = append(ConfigKey.split(now == null ? "" : now), given);
        }
        texts.put(step.key(), String.join(",", words));
    }

    private static List<String> append(List<String> words, List<String> given) {
        List<String> all = new ArrayList<>(words);
        given.stream().filter(word -> !all.contains(word)).forEach(all::add);
        return all;
    }
}
