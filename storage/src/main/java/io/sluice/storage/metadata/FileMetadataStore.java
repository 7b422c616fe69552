package io.sluice.storage.metadata;

import io.sluice.base.metadata.MetadataStore;
import io.sluice.storage.file.CannotOpenException;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.OutOfSpaceException;
import io.sluice.storage.metadata.MetadataState.Change;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metadata store of one node, in files. Whatever waits when the metadata thread comes round becomes one group with one
 * flush, so thousands of changes a second need few flushes. A change is applied in memory, told to watchers and answered
 * only once it is durable.
 *
 * <p>After a write of unknown outcome the session is LOST and every call fails; a restart finds out what is there. With no
 * room on the disk a change fails with {@link OutOfSpaceException}, without a descriptor that it needs with {@link
 * CannotOpenException}; nothing is changed, and the store goes on.
 *
 * <p>Requests that wait are bounded in bytes; beyond it a multi fails at once and changes nothing.
 */
public final class FileMetadataStore implements MetadataStore {
    private static final Logger LOG = LoggerFactory.getLogger(FileMetadataStore.class);

    /** Bytes of requests that may wait. */
    static final long MAX_PENDING_BYTES = 64 << 20;

    private static final long GROUP_BYTES = 4 << 20;
    private static final long ROLL_BYTES = 8 << 20;
    private static final long CLOSE_SECONDS = 30;

    private final MetadataJournal journal;
    private final Executor metadataThread;
    private final Queue<Request> pending = new ArrayDeque<>();
    private final WatchList watches = new WatchList();
    private long pendingBytes;
    private boolean scheduled;
    private volatile SessionState sessionState = SessionState.CONNECTED;
    private volatile @Nullable IOException lossCause;
    private volatile @Nullable IOException failure;

    private FileMetadataStore(MetadataJournal journal, Executor metadataThread) {
        this.journal = journal;
        this.metadataThread = metadataThread;
    }

    /** Whether there is a file of a store in a directory. */
    public static boolean isIn(FileSystem files, Path directory) throws IOException {
        return MetadataJournal.isAnyIn(files.list(directory));
    }

    /**
     * Opens the store, creating it where there is none; reads it whole.
     *
     * @param directory of its own, inside a data directory that this process has locked
     * @param metadataThread one thread; waits for the disk
     * @throws io.sluice.base.error.UserException when a part that had been flushed is damaged, or is of a newer format
     */
    public static FileMetadataStore open(FileSystem files, Path directory, Executor metadataThread) throws IOException {
        return open(files, directory, metadataThread, ROLL_BYTES);
    }

    static FileMetadataStore open(FileSystem files, Path directory, Executor metadataThread, long rollBytes)
            throws IOException {
        return new FileMetadataStore(MetadataJournal.open(files, directory, rollBytes), metadataThread);
    }

    private sealed interface Request {
        /** Changes, all or none. */
        record Multi(List<Operation> operations, long bytes, CompletableFuture<MultiResult> result)
                implements Request {}

        /** Anything that runs on the metadata thread behind the changes asked for before it. */
        record Task(Runnable task) implements Request {}
    }

    @Override
    public CompletionStage<Optional<Entry>> get(String key) {
        return read(() -> Optional.ofNullable(journal.state().get(key)));
    }

    @Override
    public CompletionStage<List<Entry>> list(String prefix) {
        return read(() -> journal.state().list(prefix));
    }

    @Override
    public CompletionStage<MultiResult> multi(List<Operation> operations) {
        List<Operation> copy = List.copyOf(operations);
        long bytes = copy.stream().mapToLong(MetadataState::sizeOf).sum();
        CompletableFuture<MultiResult> result = new CompletableFuture<>();
        if (!enqueue(new Request.Multi(copy, bytes, result), bytes)) {
            result.completeExceptionally(new IOException("too many changes of metadata wait for the disk (more than "
                    + MAX_PENDING_BYTES + " bytes); nothing was changed, try again"));
        }
        return result;
    }

    @Override
    public void watch(String prefix, WatchListener listener) {
        enqueue(new Request.Task(() -> watches.add(prefix, listener, journal.state())), 0);
    }

    @Override
    public SessionState sessionState() {
        return sessionState;
    }

    /** The write that failed, where {@link #sessionState} is LOST for that and not because the store was closed; else null. */
    public @Nullable IOException lossCause() {
        return lossCause;
    }

    /** The file to which changes are written now; one before it may be gone once it is another. */
    public Path file() {
        return journal.file();
    }

    /**
     * Ends the session as a write that failed does: what is written is not kept. Whoever calls says so in the log; does
     * nothing where it has ended.
     */
    public void lose(IOException cause) {
        enqueue(new Request.Task(() -> end(cause)), 0);
    }

    @Override
    public void close() {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        enqueue(new Request.Task(() -> closeOnMetadataThread(closed)), 0);
        try {
            closed.get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            throw new IllegalStateException("the metadata store did not close within " + CLOSE_SECONDS + " s", e);
        } catch (java.util.concurrent.ExecutionException e) {
            throw new CompletionException(e.getCause());
        }
    }

    private void closeOnMetadataThread(CompletableFuture<Void> closed) {
        watches.clear();
        if (failure == null) {
            failure = new IOException("the metadata store is closed");
        }
        sessionState = SessionState.LOST;
        try {
            journal.close();
            closed.complete(null);
        } catch (IOException e) {
            closed.completeExceptionally(e);
        }
    }

    private <T> CompletionStage<T> read(java.util.function.Supplier<T> reader) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Runnable task = () -> {
            IOException failed = failure;
            if (failed != null) {
                result.completeExceptionally(failed);
            } else {
                result.complete(reader.get());
            }
        };
        enqueue(new Request.Task(task), 0);
        return result;
    }

    private boolean enqueue(Request request, long bytes) {
        synchronized (pending) {
            if (bytes > 0 && pendingBytes + bytes > MAX_PENDING_BYTES && pendingBytes > 0) {
                return false;
            }
            pendingBytes += bytes;
            pending.add(request);
            if (scheduled) {
                return true;
            }
            scheduled = true;
        }
        metadataThread.execute(this::runGroup);
        return true;
    }

    private List<Request> takeGroup() {
        synchronized (pending) {
            List<Request> group = new ArrayList<>();
            long bytes = 0;
            while (bytes < GROUP_BYTES) {
                Request request = pending.poll();
                if (request == null) {
                    break;
                }
                group.add(request);
                bytes += request instanceof Request.Multi multi ? multi.bytes() : 0;
            }
            pendingBytes -= bytes;
            scheduled = !group.isEmpty();
            return group;
        }
    }

    private void runGroup() {
        List<Request> requests = takeGroup();
        if (requests.isEmpty()) {
            return;
        }
        Group group = new Group(journal.state());
        IOException failed = failure;
        requests.forEach(request -> group.add(request, failed));
        group.settle(group.changes.isEmpty() ? null : write(group));
        metadataThread.execute(this::runGroup);
    }

    /** Whatever goes wrong, those who wait hear of it, and the next group runs. */
    @SuppressWarnings("checkstyle:IllegalCatch") // a defect here must not leave its waiters hanging
    private @Nullable IOException write(Group group) {
        try {
            journal.append(group.changes, group.next);
            watches.tell(group.changes);
            return null;
        } catch (OutOfSpaceException | CannotOpenException e) {
            return e;
        } catch (IOException e) {
            return lost(e);
        } catch (RuntimeException | Error e) {
            return lost(new IOException("a defect ended a change of the metadata: " + e, e));
        }
    }

    /** The outcome is unknown: nothing is changed any more until the next start. */
    private IOException lost(IOException cause) {
        end(cause);
        LOG.error("the metadata cannot be changed until the next start", cause);
        return cause;
    }

    private void end(IOException cause) {
        if (failure == null) {
            failure = cause;
            lossCause = cause;
            sessionState = SessionState.LOST;
        }
    }

    /** Requests that are served together: changes tried one after the other, and the answers to give once they are durable. */
    private static final class Group {
        private final List<List<Change>> changes = new ArrayList<>();
        private final List<Answer> answers = new ArrayList<>();
        private MetadataState next;

        Group(MetadataState state) {
            this.next = state;
        }

        private interface Answer {
            void give(@Nullable IOException unwritten);
        }

        void add(Request request, @Nullable IOException failed) {
            if (request instanceof Request.Task task) {
                answers.add(unwritten -> task.task().run());
            } else if (request instanceof Request.Multi multi) {
                add(multi, failed);
            }
        }

        private void add(Request.Multi multi, @Nullable IOException failed) {
            if (failed != null) {
                answers.add(unwritten -> multi.result().completeExceptionally(failed));
                return;
            }
            MetadataState.Outcome outcome = next.apply(multi.operations());
            if (outcome instanceof MetadataState.Outcome.Accepted accepted) {
                next = accepted.next();
                if (!accepted.changes().isEmpty()) {
                    changes.add(accepted.changes());
                }
            }
            answers.add(unwritten -> answer(multi, outcome.result(), unwritten));
        }

        private static void answer(Request.Multi multi, MultiResult result, @Nullable IOException unwritten) {
            if (unwritten == null) {
                multi.result().complete(result);
            } else {
                multi.result().completeExceptionally(unwritten);
            }
        }

        /** Gives all answers. A refusal fails too where the changes it rests on were not written. */
        void settle(@Nullable IOException unwritten) {
            for (Answer answer : answers) {
                WatchList.shielded(() -> answer.give(unwritten));
            }
        }
    }
}
