package io.sluice.broker.metadata;

import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.ownership.Ownership;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.directory.BrokerDirectory;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeClusterRequest;
import org.apache.kafka.common.requests.DescribeClusterResponse;

/** DescribeCluster: the cluster's id and its brokers. */
public final class DescribeClusterHandler implements ApiHandler<DescribeClusterRequest> {
    private static final byte BROKERS = 1;
    private static final byte CONTROLLERS = 2;

    private final ClusterImageSource images;
    private final Ownership ownership;
    private final BrokerDirectory brokers;

    /** Answers from the directory. */
    public DescribeClusterHandler(ClusterImageSource images, Ownership ownership, BrokerDirectory brokers) {
        this.images = images;
        this.ownership = ownership;
        this.brokers = brokers;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.DESCRIBE_CLUSTER;
    }

    @Override
    public void handle(Call<DescribeClusterRequest> call) {
        byte endpointType = call.request().data().endpointType();
        if (endpointType == BROKERS) {
            call.respond(new DescribeClusterResponse(describe(call)));
        } else if (endpointType == CONTROLLERS) {
            call.respond(
                    refuse(
                            Errors.MISMATCHED_ENDPOINT_TYPE,
                            "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type CONTROLLER"));
        } else {
            call.respond(refuse(Errors.UNSUPPORTED_ENDPOINT_TYPE, "Unsupported endpoint type " + endpointType));
        }
    }

    private DescribeClusterResponseData describe(Call<DescribeClusterRequest> call) {
        boolean operations = call.request().data().includeClusterAuthorizedOperations();
        DescribeClusterResponseData data = new DescribeClusterResponseData()
                .setClusterId(images.current().clusterId())
                .setControllerId(ownership.localNodeId())
                .setEndpointType(BROKERS)
                .setClusterAuthorizedOperations(
                        operations ? AuthorizedOperations.CLUSTER : AuthorizedOperations.OMITTED);
        String listenerName = call.connection().listenerName();
        for (BrokerDirectory.Broker broker : brokers.brokers()) {
            BrokerDirectory.Address address = broker.addresses().get(listenerName);
            if (address != null) {
                data.brokers()
                        .add(new DescribeClusterBroker()
                                .setBrokerId(broker.nodeId())
                                .setHost(address.host())
                                .setPort(address.port())
                                .setRack(broker.rack()));
            }
        }
        return data;
    }

    private static DescribeClusterResponse refuse(Errors error, String message) {
        return new DescribeClusterResponse(
                new DescribeClusterResponseData().setErrorCode(error.code()).setErrorMessage(message));
    }
}
