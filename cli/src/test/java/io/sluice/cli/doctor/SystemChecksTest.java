package io.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.doctor.Finding.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The checks on machines that are written down in a directory. */
class SystemChecksTest {
    private static final long IN_2026 = 1_780_000_000_000L;

    @TempDir
    private Path root;

    private void write(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static Finding find(List<Finding> findings, String check) {
        return findings.stream()
                .filter(finding -> finding.check().equals(check))
                .findFirst()
                .orElseThrow();
    }

    private Finding memory() {
        return find(new MemoryCheck(new SystemFiles(root)).run(), "memory");
    }

    private void limits(String hard) throws IOException {
        write(
                "proc/self/limits",
                "Limit  Soft  Hard  Units\nMax open files            1024     " + hard + "     files\n");
    }

    private Finding descriptors() {
        return new LimitCheck(new SystemFiles(root)).run().get(0);
    }

    @Test
    void judgesTheHardLimitOnDescriptors() throws Exception {
        limits("1024");
        assertThat(descriptors().status()).isEqualTo(Status.PROBLEM);
        limits("20000");
        assertThat(descriptors().status()).isEqualTo(Status.WARNING);
        limits("1048576");
        assertThat(descriptors().status()).isEqualTo(Status.OK);
        limits("unlimited");
        assertThat(descriptors().found()).startsWith("up to any number");
    }

    @Test
    void seesTheControlGroupsLimit() throws Exception {
        write("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable: 12000000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n");
        assertThat(memory().status()).isEqualTo(Status.OK);

        write("proc/self/cgroup", "0::/box\n");
        write("sys/fs/cgroup/box/memory.max", "max\n");
        assertThat(memory().status()).isEqualTo(Status.OK);

        write("sys/fs/cgroup/box/memory.max", "536870912\n");
        assertThat(memory().status()).isEqualTo(Status.PROBLEM);
        assertThat(memory().found()).contains("512 MiB", "control group");
    }

    @Test
    void seesTheLimitOfTheOlderControlGroups() throws Exception {
        write("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable: 12000000 kB\n");
        write("proc/self/cgroup", "5:cpu:/\n4:memory:/box\n");
        write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "536870912\n");

        assertThat(memory().status()).isEqualTo(Status.PROBLEM);
    }

    @Test
    void warnsOfSwapInUseAndHugePages() throws Exception {
        write(
                "proc/meminfo",
                "MemTotal: 16000000 kB\nMemAvailable: 12000000 kB\nSwapTotal: 1000 kB\nSwapFree: 10 kB\n");
        write("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");

        List<Finding> findings = new MemoryCheck(new SystemFiles(root)).run();

        assertThat(find(findings, "swap").status()).isEqualTo(Status.WARNING);
        assertThat(find(findings, "huge pages").status()).isEqualTo(Status.WARNING);
    }

    @Test
    void saysWhatItDoesNotKnow() {
        assertThat(memory().status()).isEqualTo(Status.WARNING);
        assertThat(descriptors().status()).isEqualTo(Status.WARNING);
    }

    private Finding clock(long epochMillis) {
        return new ClockCheck(new SystemFiles(root), new io.sluice.base.time.SimulatedTime(epochMillis), ZoneOffset.UTC)
                .run()
                .get(0);
    }

    @Test
    void judgesTheClock() throws Exception {
        assertThat(clock(0).status()).isEqualTo(Status.PROBLEM);
        assertThat(clock(IN_2026).status()).isEqualTo(Status.WARNING);

        write("run/systemd/timesync/synchronized", "");

        assertThat(clock(IN_2026).status()).isEqualTo(Status.OK);
    }
}
