package io.sluice.cli.record;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.connect.KafkaFailures;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Sends and counts acknowledgements; remembers the first failure. Acknowledgements come on the producer's thread,
 * {@link #stop} on that of an interrupt, everything else on the command's.
 */
final class SendTally implements AutoCloseable {
    /** For what is under way when there is nothing more to wait for. */
    private static final Duration LAST_MOMENTS = Duration.ofSeconds(1);

    private final Producer<byte[], byte[]> producer;
    private final String address;
    private final Duration patience;
    private final SendProbe probe;
    /** One for each record that was heard of, until it is counted by who waits for it. */
    private final Semaphore answers = new Semaphore(0);

    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong acknowledgedBytes = new AtomicLong();
    private final AtomicReference<@Nullable Failure> firstFailure = new AtomicReference<>();
    private long handedOver;
    private long heardOf;
    private int partitions;
    private boolean stopped;
    private @Nullable CountDownLatch rest;

    /**
     * Counts from nothing.
     *
     * @param producer closed with this
     * @param address of the node, for messages
     * @param patience for the next answer, when all have been sent
     * @param probe asked why, where none comes
     */
    SendTally(Producer<byte[], byte[]> producer, String address, Duration patience, SendProbe probe) {
        this.producer = producer;
        this.address = address;
        this.patience = patience;
        this.probe = probe;
    }

    /** Refuses a partition that the topic does not have: the producer would wait for it to appear. */
    void requirePartition(String topic, int partition) {
        int count = producer.partitionsFor(topic).size();
        if (partition >= count) {
            throw new UserException(
                    ExitCode.USAGE,
                    "Topic '" + topic + "' has no partition " + partition + ": allowed is 0 to " + (count - 1) + ".");
        }
    }

    /** Hands a record over; blocks while the producer's buffer is full. */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback hears the same
    void send(ProducerRecord<byte[], byte[]> sent, long lineNumber) {
        if (!handOver()) {
            return;
        }
        int bytes = (sent.key() == null ? 0 : sent.key().length) + sent.value().length;
        try {
            producer.send(sent, (metadata, exception) -> {
                if (exception == null) {
                    acknowledged.incrementAndGet();
                    acknowledgedBytes.addAndGet(bytes);
                } else {
                    firstFailure.compareAndSet(null, new Failure(lineNumber, exception));
                }
                onHeardOf();
            });
        } catch (KafkaException e) {
            firstFailure.compareAndSet(null, new Failure(lineNumber, e));
            onHeardOf();
        }
        maybeCountPartitions(sent.topic());
    }

    /** Waits for nothing: the producer has just chosen one of them. */
    private void maybeCountPartitions(String topic) {
        if (partitions > 0 || firstFailure.get() != null) {
            return;
        }
        try {
            partitions = producer.partitionsFor(topic).size();
        } catch (KafkaException e) {
            partitions = 0; // gone in between: what became of the record tells
        }
    }

    private synchronized boolean handOver() {
        if (!stopped) {
            handedOver++;
        }
        return !stopped;
    }

    private void onHeardOf() {
        synchronized (this) {
            heardOf++;
            if (rest != null) {
                rest.countDown();
            }
        }
        answers.release();
    }

    /**
     * Takes no more records, and waits for those that it has; on another thread than the one that sends.
     *
     * @return whether all of them were heard of in time
     */
    boolean stop(Duration patience) {
        CountDownLatch awaited;
        synchronized (this) {
            stopped = true;
            awaited = new CountDownLatch(Math.toIntExact(handedOver - heardOf));
            rest = awaited;
        }
        try {
            return awaited.await(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** How far it had got when it was stopped. */
    synchronized UserException interruption() {
        String line = acknowledged() == handedOver
                ? "Interrupted. All lines up to line " + handedOver + " were sent and acknowledged."
                : "Interrupted. Of the lines up to line " + handedOver + " " + acknowledged()
                        + " were acknowledged; the others may or may not be in the topic.";
        return new UserException(ExitCode.FAILED, line);
    }

    /**
     * Waits for all acknowledgements: for as long as there is an answer within the patience. Once a record has been given up
     * after its tries the others have only moments left: what refused it refuses them too, each after its own tries.
     *
     * @throws UserException the first failure
     */
    void flush() {
        boolean answered = awaitAnswers();
        if (isGivenUp()) {
            producer.close(LAST_MOMENTS);
        }
        Failure failure = firstFailure.get();
        if (failure != null) {
            UserException cause = explained(failure.cause());
            throw new UserException(
                    cause.exitCode(),
                    "The record of line " + failure.lineNumber() + " was not acknowledged (" + acknowledged()
                            + " others were): " + cause.line(),
                    failure.cause());
        }
        if (!answered) {
            UserException silence = explained(new TimeoutException("no answer"));
            throw new UserException(
                    silence.exitCode(),
                    unanswered() + " were not acknowledged (" + acknowledged() + " others were): " + silence.line(),
                    silence);
        }
    }

    /** The producer may say no more than that time ran out. */
    private UserException explained(Exception failure) {
        UserException known = KafkaFailures.toUserException(address, failure);
        boolean vague = known.exitCode() == ExitCode.UNAVAILABLE || failure instanceof UnknownTopicOrPartitionException;
        return vague ? probe.ask(partitions).orElse(known) : known;
    }

    /** Whether every record was heard of, or one was given up, and no answer took too long to come. */
    private boolean awaitAnswers() {
        long missing = handedOver();
        try {
            while (missing > 0 && !isGivenUp()) {
                missing -= answers.drainPermits();
                if (missing > 0) {
                    if (!answers.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                        return false;
                    }
                    missing--;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return true;
    }

    /** Another failure is the record's own, as that it is too large. */
    private boolean isGivenUp() {
        Failure failure = firstFailure.get();
        return failure != null && failure.cause() instanceof RetriableException;
    }

    private synchronized long handedOver() {
        return handedOver;
    }

    private synchronized String unanswered() {
        long count = handedOver - heardOf;
        return count == 1 ? "1 record" : count + " records";
    }

    /** Whether nothing more is to be sent: a record has failed, or it was stopped. */
    synchronized boolean isOver() {
        return stopped || firstFailure.get() != null;
    }

    long acknowledged() {
        return acknowledged.get();
    }

    /** Bytes of the keys and values of what was acknowledged. */
    long acknowledgedBytes() {
        return acknowledgedBytes.get();
    }

    @Override
    public void close() {
        producer.close(LAST_MOMENTS);
    }

    private record Failure(long lineNumber, Exception cause) {}
}
