package io.sluice.protocol.frame;

import java.util.Arrays;

/**
 * How many steps Kafka's hash tables take for the elements of one request, counted on their hashes alone, and a bound on
 * them. Such a table has an odd number of slots, an element's is its hash modulo that number or the next free one behind it,
 * and equal elements are kept beside each other. When an element comes that would fill half of it, a table of twice the size
 * is made, and the elements are taken out of the old one in their order; for each that goes, all behind it up to the next
 * free slot are put in anew. Elements that want the same few slots therefore take steps that go with the cube of their
 * number: ten thousand of one name take minutes. And a table made for so many elements as a list has grows when the last of
 * them comes. For one request.
 */
class HashSteps {
    /** A step takes Kafka's tables five to ten nanoseconds, and less here. */
    static final int MAX_STEPS = 10_000_000;

    static final int MAX_ELEMENTS = 200_000;
    /** For lists that are read as they are: four thousand consecutive numbers, or a hundred that are equal. */
    static final int MOST_PER_ELEMENT = 2_500;

    private static final int LEAST_LIMIT = 1_000;
    private static final int LEAST_SLOTS = 5;
    private static final int FREE = -1;
    private static final int[] NONE = {};

    private int stepsLeft = MAX_STEPS;
    private int listLeft;
    private int elementsLeft = MAX_ELEMENTS;

    private int[] hashes = NONE;
    private int[] slots = NONE;
    /** By element. */
    private int[] slotOf = NONE;

    /** Steps counted so far. */
    final int steps() {
        return MAX_STEPS - stepsLeft;
    }

    /** One more element that goes into a table. */
    final void onElement() {
        if (--elementsLeft < 0) {
            throw new FrameReadable.TooLargeException("it has too many elements");
        }
    }

    /**
     * Counts what the tables of one list take.
     *
     * @param elementHashes its elements', in their order, and perhaps more behind them
     * @return whether they fit, with so many steps for each element on average, into what is left for the request
     */
    final boolean fit(int[] elementHashes, int count, HashedLists.HashedList list, int stepsPerElement) {
        int limit = (int) Math.min(stepsLeft, LEAST_LIMIT + (long) stepsPerElement * count);
        listLeft = limit;
        boolean fit = (!list.decoded() || isFilled(elementHashes, count, slotsFor(count)))
                && (!list.grown() || isFilled(elementHashes, count, 0));
        stepsLeft -= limit - Math.max(0, listLeft);
        return fit;
    }

    /**
     * As {@link #fit}, of a list that Kafka's readers have to read as it is.
     *
     * @throws FrameReadable.TooLargeException if it does not fit
     */
    void onList(int[] elementHashes, int count, HashedLists.HashedList list) {
        if (!fit(elementHashes, count, list, MOST_PER_ELEMENT)) {
            throw new FrameReadable.TooLargeException("its names and numbers take too long to tell apart: many of them"
                    + " are the same, or are alike as hash tables see them; send it in several requests");
        }
    }

    private static int slotsFor(int elements) {
        return Math.max(LEAST_SLOTS, 2 * elements + 1);
    }

    private boolean isFilled(int[] elementHashes, int count, int firstSlots) {
        hashes = elementHashes;
        slots = freeSlots(firstSlots);
        slotOf = new int[count];
        for (int element = 0; element < count; element++) {
            if (element + 1 >= slots.length / 2) {
                grow(element);
            }
            insert(element);
            if (listLeft < 0) {
                return false;
            }
        }
        return true;
    }

    private static int[] freeSlots(int count) {
        int[] free = new int[count];
        Arrays.fill(free, FREE);
        return free;
    }

    private void grow(int elements) {
        int[] old = slots;
        int[] grown = freeSlots(slotsFor(old.length));
        for (int element = 0; element < elements && listLeft >= 0; element++) {
            slots = old;
            remove(element);
            slots = grown;
            insert(element);
        }
        slots = grown;
    }

    private void insert(int element) {
        int slot = (hashes[element] & Integer.MAX_VALUE) % slots.length;
        int steps = 1;
        while (slots[slot] != FREE) {
            slot = next(slot);
            steps++;
        }
        slots[slot] = element;
        slotOf[element] = slot;
        listLeft -= steps;
    }

    private void remove(int element) {
        int slot = slotOf[element];
        slots[slot] = FREE;
        for (slot = next(slot); slots[slot] != FREE && listLeft >= 0; slot = next(slot)) {
            int moved = slots[slot];
            slots[slot] = FREE;
            insert(moved);
        }
    }

    private int next(int slot) {
        return slot + 1 == slots.length ? 0 : slot + 1;
    }
}
