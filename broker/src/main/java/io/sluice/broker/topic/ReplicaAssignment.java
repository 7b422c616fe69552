package io.sluice.broker.topic;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.jspecify.annotations.Nullable;

/** Kafka's rules for assignments of replicas given by hand. */
final class ReplicaAssignment {
    private ReplicaAssignment() {}

    /**
     * What is wrong with the replicas of one partition, or null.
     *
     * @param expected number of replicas that it must have, or -1 for any
     */
    static @Nullable ApiError fault(List<Integer> replicas, Set<Integer> brokers, int expected) {
        if (replicas.isEmpty()) {
            return refuse("The manual partition assignment includes an empty replica list.");
        }
        Set<Integer> seen = new HashSet<>();
        for (int replica : replicas) {
            if (!brokers.contains(replica)) {
                return refuse("The manual partition assignment includes broker " + replica
                        + ", but no such broker is registered.");
            }
            if (!seen.add(replica)) {
                return refuse("The manual partition assignment includes the broker " + replica + " more than once.");
            }
        }
        if (expected >= 0 && replicas.size() != expected) {
            return refuse("The manual partition assignment includes a partition with " + replicas.size()
                    + " replica(s), but this is not consistent with previous partitions, which have " + expected
                    + " replica(s).");
        }
        return null;
    }

    /** What is wrong with the assignment of a whole topic, or null. */
    static @Nullable ApiError fault(Map<Integer, List<Integer>> byPartition, Set<Integer> brokers) {
        int expected = -1;
        for (List<Integer> replicas : byPartition.values()) {
            ApiError fault = fault(replicas, brokers, expected);
            if (fault != null) {
                return fault;
            }
            expected = replicas.size();
        }
        for (int i = 0; i < byPartition.size(); i++) {
            if (!byPartition.containsKey(i)) {
                return refuse("partitions should be a consecutive 0-based integer sequence");
            }
        }
        return null;
    }

    static ApiError refuse(String message) {
        return new ApiError(Errors.INVALID_REPLICA_ASSIGNMENT, message);
    }
}
