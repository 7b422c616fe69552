package io.sluice.cli.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryBudgetTest {
    /** 100, 200, 400 and 800 ms, then a second each. */
    @ParameterizedTest
    @CsvSource({"1,3", "2,4", "10,11", "3600,3062"})
    void triesForMostOfTheTimeout(long seconds, int retries) {
        assertThat(RetryBudget.retries(Duration.ofSeconds(seconds))).isEqualTo(retries);
    }
}
