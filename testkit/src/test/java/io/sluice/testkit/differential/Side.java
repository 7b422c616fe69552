package io.sluice.testkit.differential;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.time.Duration;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;

/**
 * One of the two brokers compared.
 *
 * @param nodeId its own id, to be masked
 * @param baseMillis a wall-clock time near now, the same for both sides, for the timestamps of records
 */
record Side(BrokerUnderTest broker, int nodeId, long baseMillis) {
    static final Duration READ_TIMEOUT = Duration.ofSeconds(20);

    /** Asks the broker for its id. */
    static Side of(BrokerUnderTest broker, long baseMillis) throws IOException {
        try (RawConnection connection = RawConnection.open(broker.address(), READ_TIMEOUT)) {
            DescribeClusterResponseData cluster =
                    connection.call(DescribeClusterResponseData.class, 0, new DescribeClusterRequestData());
            return new Side(broker, cluster.brokers().iterator().next().brokerId(), baseMillis);
        }
    }
}
