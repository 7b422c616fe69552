package io.sluice.testkit.differential;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Which versions of which APIs the cases have seen answer, without an error and with one. Everything that the candidate
 * advertises must have been seen both ways.
 */
final class Coverage {
    private static final int NEVER = Integer.MAX_VALUE;

    /** From which version on an answer can have an error that neither an authorizer nor a fault of the node has made. */
    private static final Map<ApiKeys, Integer> FIRST_THAT_CAN_FAIL = Map.ofEntries(
            Map.entry(ApiKeys.API_VERSIONS, 3),
            Map.entry(ApiKeys.DESCRIBE_CLUSTER, 1),
            Map.entry(ApiKeys.DESCRIBE_GROUPS, 6),
            Map.entry(ApiKeys.DESCRIBE_LOG_DIRS, NEVER),
            Map.entry(ApiKeys.DESCRIBE_SHARE_GROUP_OFFSETS, NEVER),
            Map.entry(ApiKeys.FIND_COORDINATOR, 1),
            Map.entry(ApiKeys.LIST_CONFIG_RESOURCES, 1),
            Map.entry(ApiKeys.LIST_GROUPS, NEVER),
            Map.entry(ApiKeys.LIST_PARTITION_REASSIGNMENTS, NEVER),
            Map.entry(ApiKeys.LIST_TRANSACTIONS, 2),
            Map.entry(ApiKeys.OFFSET_FETCH, 9));

    /** What cannot succeed without authentication, or without a plug-in that Kafka does not have by itself. */
    private static final Set<ApiKeys> NEVER_RIGHT = Set.of(
            ApiKeys.SASL_HANDSHAKE,
            ApiKeys.SASL_AUTHENTICATE,
            ApiKeys.DESCRIBE_ACLS,
            ApiKeys.CREATE_ACLS,
            ApiKeys.DELETE_ACLS,
            ApiKeys.CREATE_DELEGATION_TOKEN,
            ApiKeys.RENEW_DELEGATION_TOKEN,
            ApiKeys.EXPIRE_DELEGATION_TOKEN,
            ApiKeys.DESCRIBE_DELEGATION_TOKEN,
            ApiKeys.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE);

    private final Set<ApiVersion> succeeded = new HashSet<>();
    private final Set<ApiVersion> failed = new HashSet<>();

    private record ApiVersion(ApiKeys api, short version) {
        @Override
        public String toString() {
            return api.name + " v" + version;
        }

        boolean canFail() {
            return version >= FIRST_THAT_CAN_FAIL.getOrDefault(api, 0);
        }

        boolean canSucceed() {
            return !NEVER_RIGHT.contains(api);
        }
    }

    /** Takes what the candidate said in one case. */
    void onTranscript(Case testCase, JsonNode transcript) {
        ApiVersion of = new ApiVersion(testCase.api(), testCase.version());
        for (JsonNode answer : transcript) {
            if (hasError(answer)) {
                failed.add(of);
            } else if (answer.isObject()) {
                succeeded.add(of);
            }
        }
    }

    private static boolean hasError(JsonNode node) {
        if (node.isTextual()) {
            return node.asText().equals("closed");
        }
        for (String field : List.of("errorCode", "partitionErrorCode")) {
            JsonNode code = node.path(field);
            if (code.isNumber() && code.asInt() != 0) {
                return true;
            }
        }
        for (JsonNode child : node) {
            if (child.isContainerNode() && hasError(child)) {
                return true;
            }
        }
        return false;
    }

    /**
     * What is advertised and has not been seen.
     *
     * @param cases that there are in all
     * @param ran whether a case was chosen to run
     */
    List<String> gaps(Side candidate, List<Case> cases, Predicate<Case> ran) throws IOException {
        Set<ApiVersion> run = new HashSet<>();
        Set<ApiVersion> known = new HashSet<>();
        for (Case each : cases) {
            known.add(new ApiVersion(each.api(), each.version()));
            if (ran.test(each)) {
                run.add(new ApiVersion(each.api(), each.version()));
            }
        }
        List<String> gaps = new ArrayList<>();
        for (ApiVersion each : advertised(candidate)) {
            if (!known.contains(each)) {
                gaps.add(each + " has no case");
            } else if (run.contains(each) && !succeeded.contains(each) && each.canSucceed()) {
                gaps.add(each + " has no case without an error");
            } else if (run.contains(each) && !failed.contains(each) && each.canFail()) {
                gaps.add(each + " has no case with an error");
            }
        }
        return gaps;
    }

    /** Versions that no request can be made in, which are advertised for librdkafka's sake, are left out. */
    private static List<ApiVersion> advertised(Side candidate) throws IOException {
        List<ApiVersion> advertised = new ArrayList<>();
        try (RawConnection connection = RawConnection.open(candidate.broker().address(), Side.READ_TIMEOUT)) {
            ApiVersionsResponseData answer =
                    connection.call(ApiVersionsResponseData.class, 0, new ApiVersionsRequestData());
            for (ApiVersionsResponseData.ApiVersion range : answer.apiKeys()) {
                ApiKeys api = ApiKeys.forId(range.apiKey());
                for (int version = Math.max(range.minVersion(), api.oldestVersion());
                        version <= range.maxVersion();
                        version++) {
                    advertised.add(new ApiVersion(api, (short) version));
                }
            }
        }
        return advertised;
    }
}
