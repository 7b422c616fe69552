package io.sluice.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.history.HistoryChecker.Finding;
import io.sluice.testkit.history.Written.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The checker accepts what a right broker does and finds every planted defect. */
class HistoryCheckerTest {
    private static final int PARTITIONS = 3;
    private static final int PRODUCERS = 4;
    private static final int RECORDS = 400;

    @RepeatedTest(20)
    void acceptsWhatARightBrokerDoes(RepetitionInfo repetition) {
        assertThat(HistoryChecker.check(right(new Random(repetition.getCurrentRepetition()))))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void findsEachPlantedDefect(Planted planted) {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            assertThat(HistoryChecker.check(planted.in(right(random), random)))
                    .as(planted + " with seed " + seed)
                    .extracting(Finding::anomaly)
                    .contains(planted.anomaly());
        }
    }

    /** Producers one after the other at random; some records have no place because nobody knows, or it was aborted. */
    private static History right(Random random) {
        List<Written> written = new ArrayList<>();
        List<Seen> end = new ArrayList<>();
        int[] numbers = new int[PRODUCERS];
        long[] offsets = new long[PARTITIONS];
        for (int i = 0; i < RECORDS; i++) {
            int producer = random.nextInt(PRODUCERS);
            int partition = random.nextInt(PARTITIONS);
            Outcome outcome = switch (random.nextInt(10)) {
                case 0 -> Outcome.ABORTED;
                case 1 -> Outcome.UNKNOWN;
                default -> Outcome.KEPT;
            };
            Written one = new Written(producer, numbers[producer]++, partition, outcome);
            written.add(one);
            boolean there = outcome == Outcome.KEPT || (outcome == Outcome.UNKNOWN && random.nextBoolean());
            offsets[partition] += 1 + random.nextInt(2);
            if (there) {
                end.add(new Seen(partition, offsets[partition], one.value()));
            }
        }
        return new History(written, List.of(end, end.subList(0, end.size() / 2)), end);
    }
}
