package io.sluice.cli.group;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;

/**
 * A topic, or some of its partitions, as {@code --topic} names them.
 *
 * @param topic its name
 * @param partitions in the order given; empty for all
 */
record TopicChoice(String topic, Set<Integer> partitions) {
    /** Reads {@code TOPIC} or {@code TOPIC:0,1,2}. */
    static TopicChoice parse(String text) {
        int colon = text.indexOf(':');
        String topic = colon < 0 ? text : text.substring(0, colon);
        if (topic.isEmpty()) {
            throw invalid(text);
        }
        Set<Integer> partitions = new LinkedHashSet<>();
        if (colon >= 0) {
            for (String number : text.substring(colon + 1).split(",", -1)) {
                partitions.add(parsePartition(text, number.strip()));
            }
        }
        return new TopicChoice(topic, partitions);
    }

    private static int parsePartition(String text, String number) {
        try {
            if (number.matches("\\d+")) {
                return Integer.parseInt(number);
            }
        } catch (NumberFormatException e) {
            throw invalid(text);
        }
        throw invalid(text);
    }

    private static UserException invalid(String text) {
        return new UserException(
                ExitCode.USAGE, "Invalid value '" + text + "' for --topic: allowed is TOPIC or TOPIC:0,1,2.");
    }

    /**
     * The partitions chosen.
     *
     * @param count how many the topic has
     */
    Set<TopicPartition> among(int count) {
        Set<TopicPartition> chosen = new LinkedHashSet<>();
        if (partitions.isEmpty()) {
            IntStream.range(0, count).forEach(number -> chosen.add(new TopicPartition(topic, number)));
            return chosen;
        }
        for (int number : partitions) {
            if (number >= count) {
                throw new UserException(
                        ExitCode.USAGE,
                        "Topic '" + topic + "' has no partition " + number + ": allowed is 0 to " + (count - 1) + ".");
            }
            chosen.add(new TopicPartition(topic, number));
        }
        return chosen;
    }
}
