package io.sluice.testkit.history;

import io.sluice.testkit.history.HistoryChecker.Anomaly;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/** Histories as a broker with a defect would have left them, made of one that is right. */
enum Planted {
    /** One record that was acknowledged is gone for everybody. */
    DROPPED(Anomaly.LOST) {
        @Override
        History in(History right, Random random) {
            Set<Long> kept = right.written().stream()
                    .filter(each -> each.outcome() == Written.Outcome.KEPT)
                    .map(Written::value)
                    .collect(Collectors.toSet());
            Seen gone = any(
                    right.end().stream()
                            .filter(seen -> kept.contains(seen.value()))
                            .toList(),
                    random);
            return new History(
                    right.written(),
                    right.readers().stream()
                            .map(reader -> without(reader, gone))
                            .toList(),
                    without(right.end(), gone));
        }
    },
    /** One record of an aborted transaction is given to a reader. */
    ABORTED_SERVED(Anomaly.ABORTED_READ) {
        @Override
        History in(History right, Random random) {
            Written aborted = any(
                    right.written().stream()
                            .filter(each -> each.outcome() == Written.Outcome.ABORTED)
                            .toList(),
                    random);
            List<Seen> reader = new ArrayList<>(right.readers().get(0));
            long behind = right.end().stream()
                    .filter(seen -> seen.partition() == aborted.partition())
                    .mapToLong(Seen::offset)
                    .max()
                    .orElse(0);
            reader.add(new Seen(aborted.partition(), behind + 1, aborted.value()));
            return withReader(right, reader);
        }
    },
    /** Two records of a producer in one partition have changed places. */
    REORDERED(Anomaly.REORDERED) {
        @Override
        History in(History right, Random random) {
            List<Seen> end = right.end();
            int from = random.nextInt(end.size());
            for (int i = 0; i < end.size(); i++) {
                int first = (from + i) % end.size();
                int second = nextOfItsProducer(end, first);
                if (second > 0) {
                    return swapped(right, end.get(first), end.get(second));
                }
            }
            throw new AssertionError("no producer wrote twice to one partition");
        }
    },
    /** One record is there twice. */
    DOUBLED(Anomaly.DUPLICATE) {
        @Override
        History in(History right, Random random) {
            Seen one = any(right.end(), random);
            long last = right.end().stream()
                    .filter(seen -> seen.partition() == one.partition())
                    .mapToLong(Seen::offset)
                    .max()
                    .orElse(0);
            List<Seen> end = new ArrayList<>(right.end());
            end.add(new Seen(one.partition(), last + 1, one.value()));
            return new History(right.written(), right.readers(), end);
        }
    },
    /** A reader is given something again. */
    REPEATED(Anomaly.BACKWARDS) {
        @Override
        History in(History right, Random random) {
            List<Seen> reader = new ArrayList<>(right.readers().get(0));
            reader.add(any(reader, random));
            return withReader(right, reader);
        }
    },
    /** A reader is not given a record that others get. */
    PASSED_OVER(Anomaly.SKIPPED) {
        @Override
        History in(History right, Random random) {
            List<Seen> reader = right.readers().get(0);
            int at = random.nextInt(reader.size());
            Seen left = reader.get(at);
            boolean goesOn = reader.stream()
                    .anyMatch(seen -> seen.partition() == left.partition() && seen.offset() > left.offset());
            return goesOn ? withReader(right, without(reader, left)) : in(right, random);
        }
    };

    private final Anomaly anomaly;

    Planted(Anomaly anomaly) {
        this.anomaly = anomaly;
    }

    /** What the checker has to find. */
    Anomaly anomaly() {
        return anomaly;
    }

    /** The history with the defect. */
    abstract History in(History right, Random random);

    private static <T> T any(List<T> from, Random random) {
        return from.get(random.nextInt(from.size()));
    }

    private static List<Seen> without(List<Seen> all, Seen one) {
        return all.stream().filter(seen -> !seen.equals(one)).toList();
    }

    private static History withReader(History right, List<Seen> reader) {
        List<List<Seen>> readers = new ArrayList<>(right.readers());
        readers.set(0, reader);
        return new History(right.written(), readers, right.end());
    }

    private static int nextOfItsProducer(List<Seen> end, int first) {
        int producer = Written.producerOf(end.get(first).value());
        for (int i = first + 1; i < end.size(); i++) {
            if (end.get(i).partition() == end.get(first).partition()
                    && Written.producerOf(end.get(i).value()) == producer) {
                return i;
            }
        }
        return -1;
    }

    private static History swapped(History right, Seen one, Seen two) {
        return new History(
                right.written(),
                right.readers().stream()
                        .map(reader -> swapped(reader, one, two))
                        .toList(),
                swapped(right.end(), one, two));
    }

    private static List<Seen> swapped(List<Seen> all, Seen one, Seen two) {
        return all.stream()
                .map(seen -> {
                    if (seen.equals(one)) {
                        return new Seen(one.partition(), one.offset(), two.value());
                    }
                    return seen.equals(two) ? new Seen(two.partition(), two.offset(), one.value()) : seen;
                })
                .toList();
    }
}
