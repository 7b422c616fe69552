package io.sluice.cli.record;

import java.util.Map;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/** Finds out why nothing comes. For one thread, but for {@link #stop}. */
interface ReadProbe {
    /**
     * What the partitions' leaders answer to a fetch from these offsets. Blocks, within a time for all of them together.
     *
     * @param offsets by leader and partition
     * @return the partitions that cannot be read; without those whose leaders do not answer
     */
    Map<TopicPartition, Errors> ask(Map<Node, Map<TopicPartition, Long>> offsets);

    /** Ends what goes on in {@link #ask} and all that comes later. Safe on every thread. */
    void stop();
}
