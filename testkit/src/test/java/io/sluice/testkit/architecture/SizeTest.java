package io.sluice.testkit.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.process.Settings;
import io.sluice.testkit.size.SizeReport;
import org.junit.jupiter.api.Test;

class SizeTest {
    @Test
    void methodsAndFilesAreSmallAndSuppressionsHaveReasons() throws Exception {
        SizeReport report = SizeReport.of(Settings.root());
        System.out.print(report.text().lines().limit(3).reduce("", (a, b) -> a + b + "\n"));
        assertThat(report.findings()).isEmpty();
    }
}
