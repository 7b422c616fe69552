package io.sluice.storage.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.metadata.MetadataStore;
import org.junit.jupiter.api.Test;

class InMemoryMetadataStoreTest extends MetadataStoreContract {
    @Override
    protected MetadataStore open() {
        return new InMemoryMetadataStore(Runnable::run);
    }

    @Test
    void watchersHearTheWholeAgainAfterALostSession() {
        try (InMemoryMetadataStore store = new InMemoryMetadataStore(Runnable::run)) {
            store.multi(java.util.List.of(create("/a", "1")));
            RecordingListener listener = new RecordingListener();
            store.watch("/", listener);
            store.restartSession();
            assertThat(listener.heard).containsExactly("/a=1@0", "current", "restart", "/a=1@0", "current");
        }
    }
}
