package io.sluice.coordinator.share;

import io.sluice.coordinator.share.Span.State;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The records of a partition that a share group has begun and not finished: everything from the start offset, below which all
 * is settled, to the end offset, beyond which nothing was delivered yet. Kept as runs of offsets with one fate ({@link Span})
 * that cover the window without gaps, so that what it takes grows with the variety of fates, not with records; the window is
 * bounded by the group's limit of records in flight and one batch.
 *
 * <p>For one thread, or under a lock.
 */
final class InFlight {
    private final NavigableMap<Long, Span> spans = new TreeMap<>();
    private long startOffset;
    private long endOffset;
    private int freeSpans;

    /** Nothing in flight. */
    InFlight(long startOffset) {
        this.startOffset = startOffset;
        this.endOffset = startOffset;
    }

    /** What was kept; offsets that nothing is said of were out at members, or hold no record. */
    static InFlight load(KeptState kept) {
        InFlight loaded = new InFlight(kept.startOffset());
        kept.ranges().forEach(loaded::append);
        loaded.advance();
        return loaded;
    }

    private void append(SavedRange range) {
        if (range.lastOffset() < endOffset) {
            return;
        }
        if (range.firstOffset() > endOffset) {
            add(new Span(endOffset, range.firstOffset() - 1, State.AVAILABLE, (short) 0));
        }
        long first = Math.max(range.firstOffset(), endOffset);
        State state = switch (range.state()) {
            case SavedRange.ACKNOWLEDGED -> State.ACKNOWLEDGED;
            case SavedRange.ARCHIVING -> State.ARCHIVING;
            case SavedRange.ARCHIVED -> State.ARCHIVED;
            default -> State.AVAILABLE;
        };
        add(new Span(first, range.lastOffset(), state, range.deliveryCount()));
    }

    long startOffset() {
        return startOffset;
    }

    long endOffset() {
        return endOffset;
    }

    /** The first offset that can be delivered, again or for the first time. */
    long nextOffset() {
        if (freeSpans > 0) {
            for (Span span : spans.values()) {
                if (span.isFree()) {
                    return span.first;
                }
            }
        }
        return endOffset;
    }

    /** Whether something was given back and waits for the next one, below an offset. */
    boolean hasFree(long below) {
        return freeSpans > 0 && nextOffset() < below;
    }

    /** Whether nothing may be delivered for the first time until more is settled. */
    boolean isFull(int maxRecordLocks) {
        return endOffset - startOffset >= maxRecordLocks;
    }

    boolean covers(long offset) {
        return offset >= startOffset && offset < endOffset;
    }

    Collection<Span> all() {
        return spans.values();
    }

    // ---- Acquiring

    /** Who takes records, until when, and how many. */
    record Claim(String member, long deadlineNanos, AcquireLimits limits, int maxRecordLocks) {}

    /**
     * Gives a member what is free among the batches read from an offset on. Where no record turns out to be, or none that may
     * be delivered, offsets are archived on the way.
     */
    List<AcquiredRange> acquire(long from, List<FetchedBatch> batches, Claim claim) {
        Taking taking = new Taking(claim);
        long cursor = Math.max(from, startOffset);
        for (FetchedBatch batch : batches) {
            long first = Math.max(batch.firstOffset(), cursor);
            if (batch.lastOffset() < first) {
                continue;
            }
            if (taking.isOver() || (first >= endOffset && isFull(claim.maxRecordLocks()))) {
                break;
            }
            archiveFree(cursor, first - 1);
            if (batch.deliverable()) {
                taking.take(first, batch.lastOffset());
            } else {
                archiveFree(first, batch.lastOffset());
            }
            cursor = batch.lastOffset() + 1;
        }
        advance();
        return taking.acquired;
    }

    private final class Taking {
        private final Claim claim;
        private final List<AcquiredRange> acquired = new ArrayList<>();
        private long count;
        private boolean cutShort;

        Taking(Claim claim) {
            this.claim = claim;
        }

        boolean isOver() {
            return cutShort || count >= claim.limits().maxRecords();
        }

        void take(long first, long last) {
            for (Span span : within(first, Math.min(last, endOffset - 1), Span::isFree)) {
                if (isOver()) {
                    return;
                }
                long end = limited(span.first, span.last);
                if (end < span.last) {
                    split(end + 1);
                }
                setFree(span, false);
                span.acquire(claim.member(), claim.deadlineNanos());
                note(span);
            }
            if (last >= endOffset && !isOver()) {
                takeNew(last);
            }
        }

        private void takeNew(long last) {
            if (isFull(claim.maxRecordLocks())) {
                cutShort = true;
                return;
            }
            long end = limited(endOffset, last);
            if (claim.limits().strict()) {
                end = Math.min(end, startOffset + claim.maxRecordLocks() - 1);
            }
            cutShort = end < last;
            Span span = new Span(endOffset, end, State.AVAILABLE, (short) 0);
            span.acquire(claim.member(), claim.deadlineNanos());
            add(span);
            note(span);
        }

        private long limited(long first, long last) {
            long room = claim.limits().maxRecords() - count;
            return claim.limits().strict() ? Math.min(last, first + room - 1) : last;
        }

        private void note(Span span) {
            count += span.size();
            int lastIndex = acquired.size() - 1;
            AcquiredRange before = lastIndex < 0 ? null : acquired.get(lastIndex);
            if (before != null
                    && before.lastOffset() + 1 == span.first
                    && before.deliveryCount() == span.deliveryCount) {
                acquired.set(lastIndex, new AcquiredRange(before.firstOffset(), span.last, span.deliveryCount));
            } else {
                acquired.add(new AcquiredRange(span.first, span.last, span.deliveryCount));
            }
        }
    }

    /** Nothing is to be delivered there: what is free is archived, what nobody has come to yet is passed over. */
    private void archiveFree(long first, long last) {
        if (first > last) {
            return;
        }
        for (Span span : within(first, Math.min(last, endOffset - 1), Span::isFree)) {
            setFree(span, false);
            span.state = State.ARCHIVED;
            span.unsaved = true;
        }
        if (last >= endOffset) {
            Span passed = new Span(endOffset, last, State.ARCHIVED, (short) 0);
            passed.unsaved = true;
            add(passed);
        }
    }

    /** What lies below the log's start is gone. */
    void archiveBelow(long logStartOffset) {
        if (logStartOffset > startOffset) {
            archiveFree(startOffset, logStartOffset - 1);
            advance();
        }
    }

    // ---- Giving back

    /** Puts a record back: it is free again, with the count given. */
    void free(Span span, int deliveryCount) {
        span.state = State.AVAILABLE;
        span.holder = null;
        span.target = null;
        span.cause = null;
        span.deliveryCount = (short) Math.max(0, deliveryCount);
        setFree(span, true);
    }

    // ---- The window

    /** Moves the start over what is settled, and joins runs of one fate. */
    void advance() {
        while (!spans.isEmpty() && isDone(spans.firstEntry().getValue())) {
            startOffset = spans.pollFirstEntry().getValue().last + 1;
        }
        join();
    }

    private static boolean isDone(Span span) {
        return span.target == null && span.state.isSettled();
    }

    private void join() {
        List<Span> joined = new ArrayList<>();
        Span before = null;
        for (Span span : spans.values()) {
            if (before != null && before.isLike(span)) {
                before.last = span.last;
                joined.add(span);
            } else {
                before = span;
            }
        }
        for (Span span : joined) {
            spans.remove(span.first);
            if (span.isFree()) {
                freeSpans--;
            }
        }
    }

    /** Where the start will be once everything that is being written is durable. */
    long startOffsetToSave() {
        long start = startOffset;
        for (Span span : spans.values()) {
            if (!span.willBeSettled()) {
                return start;
            }
            start = span.last + 1;
        }
        return start;
    }

    /** Offsets from one on that are settled, or will be. */
    int settledFrom(long offset) {
        long settled = 0;
        for (Span span : spans.tailMap(offset, true).values()) {
            settled += span.willBeSettled() ? span.size() : 0;
        }
        return (int) Math.min(Integer.MAX_VALUE, settled);
    }

    /** What is to be kept of spans beyond a start: those on their way now, and those that changed by themselves. */
    List<SavedRange> takeUnsaved(long start, List<Span> underWay) {
        List<Span> written = new ArrayList<>(underWay);
        for (Span span : spans.values()) {
            if (span.unsaved && span.target == null) {
                span.unsaved = false;
                written.add(span);
            }
        }
        return written.stream()
                .filter(span -> span.last >= start)
                .map(Span::toSave)
                .toList();
    }

    /** What changed there was not kept. */
    void markUnsaved(long first, long last) {
        within(first, last, span -> span.target == null && span.state != State.ARCHIVING)
                .forEach(span -> span.unsaved = true);
    }

    /** The spans inside a range for which something holds, cut so that they do not reach beyond it. */
    List<Span> within(long first, long last, Predicate<Span> wanted) {
        List<Span> found = new ArrayList<>();
        if (first > last) {
            return found;
        }
        Long floor = spans.floorKey(first);
        long from = floor == null ? first : floor;
        for (Span span : List.copyOf(spans.subMap(from, true, last, true).values())) {
            if (span.last >= first && wanted.test(span)) {
                Span inside = span.first < first ? split(first) : span;
                if (inside.last > last) {
                    split(last + 1);
                }
                found.add(inside);
            }
        }
        return found;
    }

    /** Whether something holds for every span that a range touches. Cuts nothing. */
    boolean allWithin(long first, long last, Predicate<Span> wanted) {
        Long floor = spans.floorKey(first);
        return spans.subMap(floor == null ? first : floor, true, last, true).values().stream()
                .filter(span -> span.last >= first)
                .allMatch(wanted);
    }

    /** Cuts the span that an offset lies inside of; returns the part that begins with it. */
    private Span split(long offset) {
        Span rest = spans.floorEntry(offset).getValue().cut(offset);
        spans.put(offset, rest);
        if (rest.isFree()) {
            freeSpans++;
        }
        return rest;
    }

    private void add(Span span) {
        spans.put(span.first, span);
        endOffset = span.last + 1;
        if (span.isFree()) {
            freeSpans++;
        }
    }

    private void setFree(Span span, boolean free) {
        freeSpans += free ? 1 : -1;
        if (!free && span.state != State.AVAILABLE) {
            throw new IllegalStateException("offsets " + span.first + " to " + span.last + " are not free");
        }
    }
}
