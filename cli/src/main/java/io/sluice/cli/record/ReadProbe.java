package io.sluice.cli.record;

import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/** Finds out why nothing comes. */
@FunctionalInterface
interface ReadProbe {
    /** What a node answers to a fetch from this offset; {@link Errors#NONE}, too, where it does not answer. */
    Errors ask(Node node, TopicPartition partition, long offset);
}
