package io.sluice.storage.metadata;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.metadata.MetadataStore;
import io.sluice.base.metadata.MetadataStore.Entry;
import io.sluice.base.metadata.MetadataStore.MultiResult;
import io.sluice.base.metadata.MetadataStore.Operation;
import io.sluice.base.metadata.MetadataStore.Reason;
import io.sluice.base.metadata.MetadataStore.SessionState;
import io.sluice.base.metadata.MetadataStore.WatchListener;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every metadata store does. A subclass names the store. */
public abstract class MetadataStoreContract {
    private MetadataStore store;

    /** An empty store; closed by the contract. */
    protected abstract MetadataStore open() throws IOException;

    /** Lets a store that works on demand do all it has to do; one with a thread of its own needs nothing. */
    protected void run() {}

    @BeforeEach
    void openStore() throws IOException {
        store = open();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    void aCreatedKeyHasVersionZeroAndEachSetAddsOne() throws Exception {
        assertThat(multi(create("/a", "1"))).isEqualTo(new MultiResult.Applied(List.of(0L)));
        assertThat(multi(set("/a", "2", 0))).isEqualTo(new MultiResult.Applied(List.of(1L)));
        assertThat(describe(get("/a"))).containsExactly("/a=2@1");
    }

    @Test
    void aKeyThatIsNotThereReadsAsNothing() throws Exception {
        assertThat(get("/a")).isEmpty();
    }

    @Test
    void conditionsThatDoNotHoldAreNamedWithTheirOperation() throws Exception {
        multi(create("/a", "1"));
        assertThat(multi(create("/a", "2"))).isEqualTo(new MultiResult.Refused(0, Reason.EXISTS));
        assertThat(multi(create("/b", "1"), set("/a", "2", 7))).isEqualTo(new MultiResult.Refused(1, Reason.VERSION));
        assertThat(multi(new Operation.Delete("/c", 0))).isEqualTo(new MultiResult.Refused(0, Reason.MISSING));
        assertThat(multi(new Operation.Delete("/a", 1))).isEqualTo(new MultiResult.Refused(0, Reason.VERSION));
        assertThat(multi(new Operation.Check("/a", 1))).isEqualTo(new MultiResult.Refused(0, Reason.VERSION));
        assertThat(describe(list("/"))).containsExactly("/a=1@0");
    }

    @Test
    void allOperationsApplyOrNone() throws Exception {
        multi(create("/a", "1"));
        assertThat(multi(
                        new Operation.Check("/a", 0),
                        create("/b", "1"),
                        set("/a", "2", 0),
                        new Operation.Delete("/b", 0)))
                .isEqualTo(new MultiResult.Applied(List.of(0L, 0L, 1L, -1L)));
        assertThat(multi(set("/a", "3", 1), create("/c", "1"), create("/c", "2")))
                .isEqualTo(new MultiResult.Refused(2, Reason.EXISTS));
        assertThat(describe(list("/"))).containsExactly("/a=2@1");
    }

    @Test
    void aKeyDeletedAndCreatedAgainStartsAtVersionZero() throws Exception {
        multi(create("/a", "1"));
        multi(set("/a", "2", 0));
        multi(new Operation.Delete("/a", 1));
        multi(create("/a", "3"));
        assertThat(describe(get("/a"))).containsExactly("/a=3@0");
    }

    @Test
    void listsByPrefixInKeyOrder() throws Exception {
        multi(create("/b/2", ""), create("/a", ""), create("/b/1", ""), create("/b", ""), create("/c", ""));
        assertThat(describe(list("/b/"))).containsExactly("/b/1=@0", "/b/2=@0");
        assertThat(describe(list("/b"))).containsExactly("/b=@0", "/b/1=@0", "/b/2=@0");
    }

    @Test
    void takesValuesOfOneMegabyteAndNoByteMore() throws Exception {
        byte[] largest = new byte[MetadataStore.MAX_VALUE_BYTES];
        Arrays.fill(largest, (byte) 7);
        assertThat(multi(new Operation.Create("/a", largest))).isInstanceOf(MultiResult.Applied.class);
        assertThat(get("/a").get(0).value()).isEqualTo(largest);
        assertThat(multi(new Operation.Create("/b", new byte[MetadataStore.MAX_VALUE_BYTES + 1])))
                .isEqualTo(new MultiResult.Refused(0, Reason.TOO_LARGE));
    }

    @Test
    void aWatchFirstTellsWhatIsThereThenEveryChangeInOrder() throws Exception {
        multi(create("/a/1", "x"), create("/b", "x"));
        RecordingListener listener = new RecordingListener();
        watch("/a/", listener);
        multi(create("/a/2", "y"), set("/a/1", "z", 0), set("/b", "z", 0));
        multi(set("/b", "y", 1));
        multi(new Operation.Delete("/a/1", 1));
        assertThat(listener.heard)
                .containsExactly("/a/1=x@0", "current", "/a/2=y@0", "/a/1=z@1", "current", "deleted /a/1", "current");
    }

    @Test
    void aWatcherHasHeardOfAChangeWhenItIsAnswered() throws Exception {
        RecordingListener listener = new RecordingListener();
        watch("/", listener);
        CompletionStage<Integer> heardAtAnswer =
                store.multi(List.of(create("/a", "1"))).thenApply(result -> listener.heard.size());
        assertThat(await(heardAtAnswer)).isEqualTo(3);
    }

    @Test
    void aListenerThatThrowsDisturbsNobodyElse() throws Exception {
        watch("/", new WatchListener() {
            @Override
            public void onPut(Entry entry) {
                throw new IllegalStateException("a defect of this listener");
            }

            @Override
            public void onDelete(String key) {}
        });
        RecordingListener listener = new RecordingListener();
        watch("/", listener);
        multi(create("/a", "1"));
        assertThat(listener.heard).containsExactly("current", "/a=1@0", "current");
    }

    @Test
    void changesAskedForTogetherAreAppliedInTheOrderAsked() throws Exception {
        List<CompletionStage<MultiResult>> results = new ArrayList<>();
        results.add(store.multi(List.of(create("/a", "0"))));
        for (int i = 0; i < 200; i++) {
            results.add(store.multi(List.of(set("/a", Integer.toString(i + 1), i))));
        }
        for (CompletionStage<MultiResult> result : results) {
            assertThat(await(result)).isInstanceOf(MultiResult.Applied.class);
        }
        assertThat(describe(get("/a"))).containsExactly("/a=200@200");
    }

    @Test
    void oneOfManyThatSetTheSameVersionWins() throws Exception {
        multi(create("/a", "0"));
        List<CompletionStage<MultiResult>> results = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            results.add(store.multi(List.of(set("/a", Integer.toString(i), 0))));
        }
        int applied = 0;
        for (CompletionStage<MultiResult> result : results) {
            applied += await(result) instanceof MultiResult.Applied ? 1 : 0;
        }
        assertThat(applied).isEqualTo(1);
    }

    @Test
    void aClosedStoreHasNoSessionAndAnswersNothing() {
        assertThat(store.sessionState()).isEqualTo(SessionState.CONNECTED);
        store.close();
        run();
        assertThat(store.sessionState()).isEqualTo(SessionState.LOST);
        assertThatThrownBy(() -> get("/a")).hasCauseInstanceOf(IOException.class);
    }

    /** Applies and waits for the answer. */
    protected MultiResult multi(Operation... operations) throws Exception {
        return await(store.multi(List.of(operations)));
    }

    /** Watches, and waits until the listener has been told what is there. */
    private void watch(String prefix, WatchListener listener) throws Exception {
        store.watch(prefix, listener);
        await(store.get("/"));
    }

    private List<Entry> get(String key) throws Exception {
        return await(store.get(key)).stream().toList();
    }

    private List<Entry> list(String prefix) throws Exception {
        return await(store.list(prefix));
    }

    private <T> T await(CompletionStage<T> stage) throws Exception {
        run();
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    static Operation create(String key, String value) {
        return new Operation.Create(key, value.getBytes(UTF_8));
    }

    static Operation set(String key, String value, long version) {
        return new Operation.Set(key, value.getBytes(UTF_8), version);
    }

    static List<String> describe(List<Entry> entries) {
        return entries.stream().map(MetadataStoreContract::describe).toList();
    }

    static String describe(Entry entry) {
        return entry.key() + "=" + new String(entry.value(), UTF_8) + "@" + entry.version();
    }

    /** Writes down what it hears. */
    static final class RecordingListener implements WatchListener {
        final List<String> heard = new ArrayList<>();

        @Override
        public void onRestart() {
            heard.add("restart");
        }

        @Override
        public void onPut(Entry entry) {
            heard.add(describe(entry));
        }

        @Override
        public void onDelete(String key) {
            heard.add("deleted " + key);
        }

        @Override
        public void onCurrent() {
            heard.add("current");
        }
    }
}
