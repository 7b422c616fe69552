package io.sluice.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.NamedThreads;
import io.sluice.testkit.process.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * kill -9 while topics are created, deleted and changed: each change is wholly there or not at all, what was acknowledged
 * is there, and no deleted topic returns.
 */
@Tag("crash")
class MetadataCrashTest {
    private static final int OWNERS = 4;
    private static final int CHANGES_PER_KILL = 40;

    @Test
    void changesOfTopicsAreWholeOrNotAtAll() throws Exception {
        int changes = Settings.amount("sluice.testkit.crash.changes", 120, 1_000);
        Random random = new Random(Settings.seed("sluice.testkit.crash.seed"));
        ExecutorService threads = NamedThreads.pool("owner", OWNERS);
        List<TopicOwner> owners = new ArrayList<>();
        for (int i = 0; i < OWNERS; i++) {
            owners.add(new TopicOwner("owner" + i, random.nextLong()));
        }
        try (BrokerUnderTest broker = BrokerKind.candidate().start(Map.of())) {
            while (made(owners) < changes) {
                killOnce(broker, owners, threads, random);
                System.out.println("crash: " + made(owners) + " of " + changes + " changes of topics");
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void killOnce(
            BrokerUnderTest broker, List<TopicOwner> owners, ExecutorService threads, Random random) throws Exception {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        int goal = made(owners) + CHANGES_PER_KILL;
        for (TopicOwner owner : owners) {
            running.add(CompletableFuture.runAsync(() -> owner.changeUntilCutOff(broker.bootstrapServers()), threads));
        }
        Await.until("changes of topics", java.time.Duration.ofMinutes(2), () -> made(owners), made -> made >= goal);
        Await.pause(random.nextInt(50));
        broker.kill9();
        CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).get(2, TimeUnit.MINUTES);
        broker.start();
        for (TopicOwner owner : owners) {
            assertThat(owner.findings(broker.bootstrapServers())).isEmpty();
        }
    }

    private static int made(List<TopicOwner> owners) {
        return owners.stream().mapToInt(TopicOwner::changesMade).sum();
    }
}
