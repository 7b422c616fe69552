package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.storage.journal.InMemoryJournal;
import io.sluice.storage.journal.JournalEntryKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JournalWaitTest {
    private static final int WAITERS = 1_000;

    private final InMemoryJournal journal = InMemoryJournal.empty();
    private final JournalWait wait = new JournalWait();
    private final List<String> heard = new ArrayList<>();
    private int comparisons;

    private long append() {
        journal.tryReserve(0);
        return journal.append(JournalEntryKind.DELETE, 1, 0, Unpooled.EMPTY_BUFFER);
    }

    /** Counts how often it is compared: many deletions end in one flush, and nobody has to look for each among all. */
    private final class Waiter implements Consumer<@Nullable IOException> {
        @Override
        public void accept(@Nullable IOException failure) {
            heard.add(failure == null ? "durable" : "lost");
        }

        @Override
        public boolean equals(Object other) {
            comparisons++;
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    @Test
    void tellsThoseWhoseTurnItIsAndComparesNobody() {
        long first = append();
        long second = append();
        wait.await(journal, second, failure -> heard.add("second"));
        for (int i = 0; i < WAITERS; i++) {
            wait.await(journal, first, new Waiter());
        }

        wait.onDurable(first);
        assertThat(heard).hasSize(WAITERS).containsOnly("durable");
        assertThat(comparisons).isZero();

        wait.onDurable(second);
        assertThat(heard).hasSize(WAITERS + 1).endsWith("second");
        wait.onFailure(new IOException("flush failed"));
        assertThat(heard).hasSize(WAITERS + 1);
    }

    @Test
    void tellsEverybodyThatTheirPositionIsLost() {
        wait.await(journal, append(), new Waiter());
        wait.onFailure(new IOException("flush failed"));
        wait.await(journal, append(), new Waiter());

        assertThat(heard).containsExactly("lost", "lost");
    }
}
