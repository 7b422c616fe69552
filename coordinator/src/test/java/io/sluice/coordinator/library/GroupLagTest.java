package io.sluice.coordinator.library;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.base.metadata.TopicImage;
import io.sluice.coordinator.group.GroupLag;
import io.sluice.storage.log.AppendOrigin;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GroupLagTest {
    private final GroupsHarness node = new GroupsHarness();

    @BeforeEach
    void register() {
        GroupLag.register(node.groups, node.cluster, node.cluster, node.time, node.metrics);
    }

    @AfterEach
    void close() {
        node.close();
    }

    private String scrape() throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        node.metrics.writeText(text);
        return text.toString(StandardCharsets.UTF_8);
    }

    /** Scrapes, as a collector does again and again, until the text says so. */
    private boolean eventuallyShows(boolean wanted, String series) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(GroupsHarness.TIMEOUT_SECONDS);
        while (System.nanoTime() < deadline) {
            if (scrape().contains(series) == wanted) {
                return true;
            }
            node.time.advanceMillis(5_000);
        }
        return false;
    }

    private void append(TopicImage topic, int records) {
        SimpleRecord[] batch = new SimpleRecord[records];
        for (int i = 0; i < records; i++) {
            batch[i] = new SimpleRecord(("r" + i).getBytes(StandardCharsets.UTF_8));
        }
        node.cluster
                .log(topic.name(), 0)
                .append(
                        Unpooled.wrappedBuffer(MemoryRecords.withRecords(Compression.NONE, batch)
                                .buffer()),
                        0,
                        AppendOrigin.CLIENT);
    }

    @Test
    void showsHowFarAGroupIsBehindAndFollowsTheLog() throws IOException {
        TopicImage topic = node.cluster.create("t", 1);
        append(topic, 10);
        node.locate("g");
        node.commit("g", topic, 4);

        assertThat(eventuallyShows(true, "sluice_group_lag_records{group=\"g\",partition=\"0\",topic=\"t\"} 6.0"))
                .isTrue();
        append(topic, 5);
        assertThat(scrape()).contains("sluice_group_lag_records{group=\"g\",partition=\"0\",topic=\"t\"} 11.0");
    }

    @Test
    void forgetsGroupsThatAreGone() throws IOException {
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        node.commit("g", topic, 0);
        assertThat(eventuallyShows(true, "sluice_group_lag_records{group=\"g\""))
                .isTrue();

        node.deleteGroup("g");

        assertThat(eventuallyShows(false, "sluice_group_lag_records{group=\"g\""))
                .isTrue();
    }

    @Test
    void asksNobodyWhereThereAreNoGroups() throws IOException {
        assertThat(scrape())
                .contains("sluice_group_lag_hidden_partitions 0.0")
                .doesNotContain("sluice_group_lag_records{");
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("group-coordinator"));
    }
}
