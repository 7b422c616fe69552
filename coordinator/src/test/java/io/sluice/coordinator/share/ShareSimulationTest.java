package io.sluice.coordinator.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SimulatedTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Members that take, settle, keep and forget records in every order and all go, over a store that loses its answers and a dead
 * letter queue that takes its time, and a process that dies. After every step: a record has one holder at most; none is delivered
 * after its acknowledgement was answered, nor more often than the group allows; each delivery has the count it should; without a
 * crash each record has one dead letter at most. At the end nothing is left that was not settled, nor given up without a letter.
 */
class ShareSimulationTest {
    private static final int LIMIT = 4;
    private static final long LOG_END = 600;
    private static final String ON_ITS_WAY = "on its way";
    private static final List<String> MEMBERS = List.of("a", "b", "c", "d");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void losesNothingAndRepeatsNothingThatWasSettled(long seed) {
        World world = new World(new Random(seed));
        for (int step = 0; step < 4000; step++) {
            world.step();
        }
        world.drain();
    }

    private static final class World {
        private final Random random;
        private final SimulatedTime time = new SimulatedTime(0);
        private final SimulatedStore store = new SimulatedStore();
        private final ShareGroupSettings settings =
                new ShareGroupSettings(LIMIT, 10_000, 60, true, false, true, "earliest");
        private final List<FetchedBatch> log = new ArrayList<>();
        private final Set<Long> deliverable = new HashSet<>();

        // ---- the oracle
        private final Map<Long, String> holders = new HashMap<>();
        private final Map<Long, Integer> counts = new HashMap<>();
        private final Set<Long> uncertain = new HashSet<>();
        private final Set<Long> delivered = new HashSet<>();
        private final Set<Long> settled = new HashSet<>();
        private final Map<Long, Integer> deadLetters = new HashMap<>();
        private final Set<Long> mayBeLetteredTwice = new HashSet<>();
        private final Set<Long> givenUp = new HashSet<>();
        private final Set<Long> maybeSettled = new HashSet<>();
        private final Map<Long, String> inDoubt = new HashMap<>();
        private final List<Sending> sendings = new ArrayList<>();
        private int life;
        private boolean lost;

        private record Sending(List<DeadLetter> letters, CompletableFuture<Void> sent) {}

        private SharePartition partition;

        World(Random random) {
            this.random = random;
            writeLog();
            partition = start();
        }

        private void writeLog() {
            long offset = 0;
            while (offset < LOG_END) {
                offset += random.nextInt(6) == 0 ? 1 + random.nextInt(3) : 0;
                long last = Math.min(LOG_END - 1, offset + random.nextInt(12));
                boolean records = random.nextInt(8) > 0;
                if (offset <= last) {
                    log.add(new FetchedBatch(offset, last, records));
                }
                for (long each = offset; each <= last && records; each++) {
                    deliverable.add(each);
                }
                offset = last + 1;
            }
        }

        private SharePartition start() {
            int current = ++life;
            lost = false;
            store.readError = Errors.NONE;
            SharePartition next = new SharePartition(
                    "g:t-0",
                    store,
                    () -> settings,
                    this::letters,
                    new SharePartitionListener() {
                        @Override
                        public void onAvailable() {}

                        @Override
                        public void onLost(Errors error) {
                            lost |= life == current;
                        }
                    },
                    new SharePartition.Time(time, time, task -> {
                        if (life == current) {
                            task.run();
                        }
                    }));
            CompletableFuture<Errors> loaded = next.load(() -> CompletableFuture.completedFuture(0L), LOG_END)
                    .toCompletableFuture();
            store.answerAll();
            assertThat(loaded).isCompletedWithValue(Errors.NONE);
            return next;
        }

        private CompletableFuture<Void> letters(List<DeadLetter> sent) {
            Sending sending = new Sending(sent, new CompletableFuture<>());
            sendings.add(sending);
            return sending.sent();
        }

        /** The oldest ones are in the queue now, and the share partition hears of it. */
        private void deliverLetters() {
            if (sendings.isEmpty()) {
                return;
            }
            Sending sending = sendings.remove(0);
            sending.letters().forEach(this::keepLetter);
            sending.sent().complete(null);
        }

        private void keepLetter(DeadLetter letter) {
            for (long offset = letter.firstOffset(); offset <= letter.lastOffset(); offset++) {
                int times = deadLetters.merge(offset, 1, Integer::sum);
                if (!mayBeLetteredTwice.contains(offset)) {
                    assertThat(times).as("dead letters of %s", offset).isEqualTo(1);
                }
                if (letter.cause() == DeadLetter.Cause.DELIVERED_TOO_OFTEN) {
                    assertThat((int) letter.deliveryCount()).isEqualTo(LIMIT);
                }
            }
        }

        void step() {
            switch (random.nextInt(20)) {
                case 0, 1, 2, 3, 4, 5 -> acquire(member(), random.nextBoolean());
                case 6, 7, 8, 9, 10, 11 -> acknowledge(member());
                case 12, 13, 14, 15 -> answerWrite();
                case 16 -> pass(random.nextInt(3000));
                case 17 -> deliverLetters();
                case 18 -> leave(member());
                default -> {
                    switch (random.nextInt(24)) {
                        case 0, 1 -> crash();
                        case 2, 3 -> retire();
                        default -> deliverLetters();
                    }
                }
            }
            resolveDoubts();
            assertThat(lost).as("lost").isFalse();
        }

        /** Once it is known what came of a write, its records are held again, or they are not. */
        private void resolveDoubts() {
            inDoubt.entrySet().removeIf(entry -> {
                long offset = entry.getKey();
                if (partition.isUnderWay(offset)) {
                    return false;
                }
                if (partition.isHeld(offset)) {
                    holders.put(offset, entry.getValue());
                } else {
                    holders.remove(offset);
                }
                return true;
            });
        }

        /** Everybody goes; with or without somebody who comes back before all is kept. Nothing may be forgotten by that. */
        private void retire() {
            MEMBERS.forEach(this::leave);
            partition.retire();
            if (random.nextBoolean() && !lost) {
                assertThat(partition.reuse()).isTrue();
                return;
            }
            for (int i = 0; i < 1000 && !lost; i++) {
                store.readError = Errors.NONE;
                store.answerAll();
                deliverLetters();
                pass(1000);
            }
            assertThat(lost).as("it comes to an end").isTrue();
            resolveDoubts();
            assertThat(holders).isEmpty();
            partition = start();
        }

        private String member() {
            return MEMBERS.get(random.nextInt(MEMBERS.size()));
        }

        private void acquire(String member, boolean strict) {
            if (!partition.canAcquire(LOG_END)) {
                return;
            }
            long from = partition.nextOffset();
            List<FetchedBatch> read = log.stream()
                    .filter(batch -> batch.lastOffset() >= from)
                    .limit(1 + random.nextInt(5))
                    .toList();
            partition
                    .acquire(member, from, read, new AcquireLimits(1 + random.nextInt(25), strict))
                    .forEach(range -> check(member, range));
        }

        private void check(String member, AcquiredRange range) {
            for (long offset = range.firstOffset(); offset <= range.lastOffset(); offset++) {
                assertThat(deliverable).contains(offset);
                assertThat(settled).as("settled before it was delivered").doesNotContain(offset);
                String holder = holders.put(offset, member);
                assertThat(holder).as("holder of %s", offset).isNull();
                int expected = counts.getOrDefault(offset, 0) + 1;
                int count = range.deliveryCount();
                maybeSettled.remove(offset);
                if (uncertain.remove(offset)) {
                    assertThat(count).isBetween(1, expected);
                } else {
                    assertThat(count).as("deliveries of %s", offset).isEqualTo(expected);
                }
                assertThat(count).isLessThanOrEqualTo(LIMIT);
                counts.put(offset, count);
                delivered.add(offset);
            }
        }

        private void acknowledge(String member) {
            List<Long> held = holders.entrySet().stream()
                    .filter(entry -> entry.getValue().equals(member))
                    .map(Map.Entry::getKey)
                    .sorted()
                    .toList();
            if (held.isEmpty()) {
                return;
            }
            long first = held.get(random.nextInt(held.size()));
            long last = first;
            while (holders.containsKey(last + 1) && member.equals(holders.get(last + 1)) && random.nextInt(10) > 0) {
                last++;
            }
            byte[] types = new byte[(int) (last - first + 1)];
            for (int i = 0; i < types.length; i++) {
                types[i] = (byte) (1 + random.nextInt(4));
            }
            Acknowledgement said = new Acknowledgement(first, last, types);
            int current = life;
            List<Long> offsets = new ArrayList<>();
            for (long offset = first; offset <= last; offset++) {
                offsets.add(offset);
                if (said.type(offset) != Acknowledgement.RENEW) {
                    // On its way: nobody holds it for the oracle, and nobody may get it until the answer.
                    holders.put(offset, ON_ITS_WAY);
                }
            }
            CompletableFuture<Errors> answer =
                    partition.acknowledge(member, List.of(said)).toCompletableFuture();
            CompletableFuture<?> unused = answer.thenAccept(error -> {
                if (life == current) {
                    offsets.forEach(offset -> onAnswer(member, offset, said.type(offset), error));
                }
            });
        }

        private void onAnswer(String member, long offset, byte type, Errors error) {
            if (type == Acknowledgement.RENEW) {
                return;
            }
            if (error == Errors.INVALID_RECORD_STATE) {
                throw new AssertionError(member + " holds " + offset);
            }
            boolean again = type == Acknowledgement.RELEASE && counts.getOrDefault(offset, 0) < LIMIT;
            if (error != Errors.NONE) {
                inDoubt.put(offset, member);
                if (!again) {
                    maybeSettled.add(offset);
                }
                return;
            }
            holders.remove(offset);
            if (!again) {
                settled.add(offset);
            }
            if (!again && type != Acknowledgement.ACCEPT) {
                givenUp.add(offset);
            }
        }

        private void answerWrite() {
            if (store.writes() > 0) {
                boolean fails = random.nextInt(10) == 0;
                store.readError = fails && random.nextBoolean() ? Errors.COORDINATOR_NOT_AVAILABLE : Errors.NONE;
                store.answer(!fails || random.nextBoolean(), fails ? Errors.COORDINATOR_NOT_AVAILABLE : Errors.NONE);
            }
        }

        /** Locks may expire: what the share partition gives to others then, the oracle takes from its holder. */
        private void pass(long millis) {
            SharePartition now = partition;
            Set<Long> held = new HashSet<>(holders.keySet());
            time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(millis));
            held.stream()
                    .filter(offset -> !ON_ITS_WAY.equals(holders.get(offset)))
                    .filter(offset -> !now.isHeld(offset))
                    .forEach(holders::remove);
        }

        private void leave(String member) {
            boolean seen = random.nextBoolean();
            List<Long> held = holders.entrySet().stream()
                    .filter(entry -> entry.getValue().equals(member))
                    .map(Map.Entry::getKey)
                    .toList();
            partition.release(member, seen);
            for (long offset : held) {
                holders.remove(offset);
                if (!seen) {
                    counts.merge(offset, -1, Integer::sum);
                }
            }
        }

        private void crash() {
            store.crash(random.nextBoolean());
            // Only what was on its way may have been settled; everything else that was held has to come again.
            holders.forEach((offset, holder) -> {
                if (holder.equals(ON_ITS_WAY)) {
                    maybeSettled.add(offset);
                }
            });
            inDoubt.clear();
            // Letters may be in the queue without anybody having heard of it.
            for (Sending sending : List.copyOf(sendings)) {
                if (random.nextBoolean()) {
                    sending.letters().forEach(this::keepLetter);
                }
            }
            sendings.clear();
            mayBeLetteredTwice.addAll(deadLetters.keySet());
            holders.clear();
            uncertain.addAll(delivered);
            partition = start();
        }

        /** Everybody comes to an end: then all that can be delivered was, and all is settled. */
        void drain() {
            for (int round = 0; round < 2000 && partition.startOffset() < LOG_END; round++) {
                store.readError = Errors.NONE;
                answerStore();
                deliverLetters();
                pass(5000);
                resolveDoubts();
                acquireAndAccept();
            }
            answerStore();
            assertThat(partition.startOffset()).isEqualTo(partition.endOffset());
            assertThat(partition.endOffset()).isEqualTo(log.get(log.size() - 1).lastOffset() + 1);
            Set<Long> missing = new HashSet<>(deliverable);
            missing.removeAll(delivered);
            assertThat(missing).as("never delivered").isEmpty();
            Set<Long> unsettled = new HashSet<>(deliverable);
            unsettled.removeAll(settled);
            unsettled.removeAll(deadLetters.keySet());
            unsettled.removeAll(maybeSettled);
            assertThat(unsettled).as("delivered, and gone unsettled").isEmpty();
            assertThat(deadLetters.keySet()).as("given up").containsAll(givenUp);
        }

        private void answerStore() {
            store.answerAll();
        }

        private void acquireAndAccept() {
            acquire("a", false);
            List<Acknowledgement> all = holders.entrySet().stream()
                    .filter(entry -> entry.getValue().equals("a"))
                    .map(entry ->
                            new Acknowledgement(entry.getKey(), entry.getKey(), new byte[] {Acknowledgement.ACCEPT}))
                    .toList();
            CompletableFuture<Errors> answer = partition.acknowledge("a", all).toCompletableFuture();
            answerStore();
            @Nullable Errors error = answer.getNow(null);
            assertThat(error).isEqualTo(Errors.NONE);
            all.forEach(one -> onAnswer("a", one.firstOffset(), Acknowledgement.ACCEPT, Errors.NONE));
        }
    }
}
