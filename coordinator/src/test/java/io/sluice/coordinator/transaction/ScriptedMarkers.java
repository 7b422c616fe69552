package io.sluice.coordinator.transaction;

import io.sluice.coordinator.runtime.TransactionEnd;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/** Partitions that accept markers at once, or only when told to, or refuse them. Outlives a node. Safe on every thread. */
final class ScriptedMarkers implements TransactionMarkers {
    private final Map<TopicPartition, Errors> refusals = new HashMap<>();
    private final Set<TopicPartition> held = new HashSet<>();
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<Written> written = new ArrayList<>();
    private int inFlight;
    private int refused;
    private int mostInFlight;
    private boolean holdsAll;

    /** A marker that a partition has. */
    record Written(TopicPartition partition, TransactionEnd end) {}

    /** One that it was asked to take and has not answered. */
    private record Attempt(Written what, CompletableFuture<Errors> answer) {}

    @Override
    public CompletionStage<Errors> write(TransactionEnd end, TopicPartition partition) {
        Attempt attempt = new Attempt(new Written(partition, end), new CompletableFuture<>());
        Errors answer;
        synchronized (this) {
            inFlight++;
            mostInFlight = Math.max(mostInFlight, inFlight);
            attempts.add(attempt);
            notifyAll();
            if (holdsAll || held.contains(partition)) {
                return attempt.answer;
            }
            answer = settle(attempt);
        }
        attempt.answer.complete(answer);
        return attempt.answer;
    }

    private Errors settle(Attempt attempt) {
        inFlight--;
        attempts.remove(attempt);
        Errors answer = refusals.getOrDefault(attempt.what.partition(), Errors.NONE);
        if (answer == Errors.NONE) {
            written.add(attempt.what);
        } else {
            refused++;
        }
        notifyAll();
        return answer;
    }

    synchronized void refuse(TopicPartition partition, Errors error) {
        refusals.put(partition, error);
    }

    synchronized void accept(TopicPartition partition) {
        refusals.remove(partition);
    }

    synchronized void hold(TopicPartition partition) {
        held.add(partition);
    }

    synchronized void holdAll() {
        holdsAll = true;
    }

    /** Answers what is held, and holds no more. */
    void release() {
        List<Attempt> waiting;
        synchronized (this) {
            holdsAll = false;
            held.clear();
            waiting = List.copyOf(attempts);
        }
        for (Attempt attempt : waiting) {
            Errors answer;
            synchronized (this) {
                if (!attempts.contains(attempt)) {
                    continue;
                }
                answer = settle(attempt);
            }
            attempt.answer.complete(answer);
        }
    }

    synchronized List<Written> written() {
        return List.copyOf(written);
    }

    /** How many attempts were refused. */
    synchronized int refused() {
        return refused;
    }

    synchronized int mostInFlight() {
        return mostInFlight;
    }

    /** Waits until so many markers wait for an answer. */
    synchronized void awaitAttempts(int count) throws InterruptedException {
        long deadline = System.nanoTime() + TransactionsHarness.TIMEOUT_NANOS;
        while (attempts.size() < count) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError("only " + attempts.size() + " of " + count + " markers were tried");
            }
            wait(left / 1_000_000 + 1);
        }
    }
}
