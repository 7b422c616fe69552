package io.sluice.coordinator.transaction;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.coordinator.transaction.TransactionState;
import org.jspecify.annotations.Nullable;

/** States of ids as administrators want to see them. */
final class TransactionDescriptions {
    private TransactionDescriptions() {}

    static DescribeTransactionsResponseData.TransactionState describe(String id, @Nullable IdState state) {
        if (state == null) {
            return error(id, Errors.TRANSACTIONAL_ID_NOT_FOUND);
        }
        DescribeTransactionsResponseData.TransactionState described =
                new DescribeTransactionsResponseData.TransactionState()
                        .setTransactionalId(id)
                        .setProducerId(state.producer().id())
                        .setProducerEpoch(state.producer().epoch())
                        .setTransactionState(state.status().stateName())
                        .setTransactionTimeoutMs(state.timeoutMillis())
                        .setTransactionStartTimeMs(state.startMillis());
        for (TopicPartition partition : state.partitions()) {
            DescribeTransactionsResponseData.TopicData topic =
                    described.topics().find(partition.topic());
            if (topic == null) {
                topic = new DescribeTransactionsResponseData.TopicData().setTopic(partition.topic());
                described.topics().add(topic);
            }
            topic.partitions().add(partition.partition());
        }
        return described;
    }

    static DescribeTransactionsResponseData.TransactionState error(String id, Errors error) {
        return new DescribeTransactionsResponseData.TransactionState()
                .setTransactionalId(id)
                .setErrorCode(error.code());
    }

    /** What ListTransactions asks for. Patterns are RE2's, matched in linear time. */
    static final class Filter {
        private final Set<Long> producerIds;
        private final boolean anyState;
        private final Set<TransactionState> states = new HashSet<>();
        private final List<String> unknownStates = new ArrayList<>();
        private final long longerThanMillis;
        private final @Nullable Pattern pattern;

        /**
         * Of a request.
         *
         * @throws PatternSyntaxException for a pattern that is none
         */
        Filter(ListTransactionsRequestData request) {
            this.producerIds = Set.copyOf(request.producerIdFilters());
            this.anyState = request.stateFilters().isEmpty();
            for (String name : request.stateFilters()) {
                TransactionState.fromName(name).ifPresentOrElse(states::add, () -> unknownStates.add(name));
            }
            this.longerThanMillis = request.durationFilter();
            String text = request.transactionalIdPattern();
            this.pattern = text == null || text.isEmpty() ? null : Pattern.compile(text);
        }

        List<String> unknownStates() {
            return unknownStates;
        }

        /** Those that it lets through. */
        List<ListTransactionsResponseData.TransactionState> apply(
                Set<Map.Entry<String, IdState>> entries, long nowMillis) {
            List<ListTransactionsResponseData.TransactionState> listed = new ArrayList<>();
            for (Map.Entry<String, IdState> entry : entries) {
                IdState state = entry.getValue();
                if (includes(state, nowMillis)
                        && (pattern == null || pattern.matcher(entry.getKey()).matches())) {
                    listed.add(new ListTransactionsResponseData.TransactionState()
                            .setTransactionalId(entry.getKey())
                            .setProducerId(state.producer().id())
                            .setTransactionState(state.status().stateName()));
                }
            }
            return listed;
        }

        private boolean includes(IdState state, long nowMillis) {
            return (producerIds.isEmpty()
                            || producerIds.contains(state.producer().id()))
                    && (anyState || states.contains(state.status()))
                    && (longerThanMillis < 0 || nowMillis - state.startMillis() > longerThanMillis);
        }
    }
}
