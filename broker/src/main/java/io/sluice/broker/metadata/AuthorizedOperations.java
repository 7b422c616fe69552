package io.sluice.broker.metadata;

import java.util.Set;
import org.apache.kafka.common.acl.AclOperation;

/** The bit fields that say what a client may do (KIP-430). Without an authorizer everybody may do everything. */
final class AuthorizedOperations {
    /** Not asked for. */
    static final int OMITTED = Integer.MIN_VALUE;

    /** On the cluster. */
    static final int CLUSTER = bits(Set.of(
            AclOperation.CREATE,
            AclOperation.CLUSTER_ACTION,
            AclOperation.DESCRIBE_CONFIGS,
            AclOperation.ALTER_CONFIGS,
            AclOperation.IDEMPOTENT_WRITE,
            AclOperation.ALTER,
            AclOperation.DESCRIBE));

    /** On a topic. */
    static final int TOPIC = bits(Set.of(
            AclOperation.READ,
            AclOperation.WRITE,
            AclOperation.CREATE,
            AclOperation.DESCRIBE,
            AclOperation.DELETE,
            AclOperation.ALTER,
            AclOperation.DESCRIBE_CONFIGS,
            AclOperation.ALTER_CONFIGS));

    private AuthorizedOperations() {}

    private static int bits(Set<AclOperation> operations) {
        int bits = 0;
        for (AclOperation operation : operations) {
            bits |= 1 << operation.code();
        }
        return bits;
    }
}
