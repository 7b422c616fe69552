package io.sluice.broker.group;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupPort;
import io.sluice.coordinator.runtime.CoordinatorLocation;
import io.sluice.coordinator.share.ShareStatePort;
import io.sluice.coordinator.transaction.TransactionPort;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;
import org.apache.kafka.common.requests.FindCoordinatorResponse;

/**
 * FindCoordinator: one key up to version 3, several since (KIP-699). Groups and transactions are
 * located, and their topics are created with the first; so are share partitions, by keys of group, topic id and partition.
 */
final class FindCoordinatorHandler implements ApiHandler<FindCoordinatorRequest> {
    private static final short FIRST_VERSION_WITH_SHARE_KEYS = 6;

    private final GroupPort groups;
    private final TransactionPort transactions;
    private final ShareStatePort shares;
    private final NodeEndpoints endpoints;

    FindCoordinatorHandler(
            GroupPort groups, TransactionPort transactions, ShareStatePort shares, NodeEndpoints endpoints) {
        this.groups = groups;
        this.transactions = transactions;
        this.shares = shares;
        this.endpoints = endpoints;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.FIND_COORDINATOR;
    }

    @Override
    public void handle(Call<FindCoordinatorRequest> call) {
        if (!isKnown(call.request().data().keyType())) {
            call.respond(call.request().getErrorResponse(0, Errors.INVALID_REQUEST.exception()));
        } else if (call.header().apiVersion() < FindCoordinatorRequest.MIN_BATCHED_VERSION) {
            GroupCalls.answer(call, find(call, call.request().data().key()), FindCoordinatorHandler::singleAnswer);
        } else {
            handleSeveral(call);
        }
    }

    private static boolean isKnown(byte keyType) {
        return Arrays.stream(CoordinatorType.values()).anyMatch(type -> type.id() == keyType);
    }

    private void handleSeveral(Call<FindCoordinatorRequest> call) {
        List<CompletableFuture<Coordinator>> found = call.request().data().coordinatorKeys().stream()
                .map(key -> find(call, key).toCompletableFuture())
                .toList();
        CompletableFuture<Void> all = CompletableFuture.allOf(found.toArray(CompletableFuture[]::new));
        GroupCalls.answer(
                call,
                all,
                done -> new FindCoordinatorResponse(new FindCoordinatorResponseData()
                        .setCoordinators(
                                found.stream().map(CompletableFuture::join).toList())));
    }

    private static FindCoordinatorResponse singleAnswer(Coordinator found) {
        return FindCoordinatorResponse.prepareOldResponse(
                Errors.forCode(found.errorCode()), new Node(found.nodeId(), found.host(), found.port()));
    }

    private CompletionStage<Coordinator> find(Call<FindCoordinatorRequest> call, String key) {
        byte keyType = call.request().data().keyType();
        if (Arrays.stream(CoordinatorType.values()).noneMatch(type -> type.id() == keyType)) {
            return CompletableFuture.completedFuture(none(key, Errors.INVALID_REQUEST));
        }
        return switch (CoordinatorType.forId(keyType)) {
            case GROUP -> coordinator(call, key, groups.locate(key));
            case TRANSACTION -> coordinator(call, key, transactions.locate(key));
            case SHARE ->
                call.header().apiVersion() < FIRST_VERSION_WITH_SHARE_KEYS || !ShareStatePort.isKey(key)
                        ? CompletableFuture.completedFuture(none(key, Errors.INVALID_REQUEST))
                        : coordinator(call, key, shares.locate(key));
        };
    }

    private CompletionStage<Coordinator> coordinator(
            Call<?> call, String key, CompletionStage<CoordinatorLocation> located) {
        String listenerName = call.connection().listenerName();
        return located.thenApply(location -> coordinator(key, location, listenerName));
    }

    private Coordinator coordinator(String key, CoordinatorLocation location, String listenerName) {
        Node node = location instanceof CoordinatorLocation.At at ? endpoints.find(at.nodeId(), listenerName) : null;
        return node == null
                ? none(key, Errors.COORDINATOR_NOT_AVAILABLE)
                : new Coordinator()
                        .setKey(key)
                        .setNodeId(node.id())
                        .setHost(node.host())
                        .setPort(node.port());
    }

    private static Coordinator none(String key, Errors error) {
        return new Coordinator()
                .setKey(key)
                .setErrorCode(error.code())
                .setNodeId(Node.noNode().id())
                .setHost(Node.noNode().host())
                .setPort(Node.noNode().port());
    }
}
