package io.sluice.testkit.history;

/**
 * One record that a producer sent, and what became of it as far as the producer was told.
 *
 * @param producer its number
 * @param number of the record among the producer's, from 0
 */
record Written(int producer, int number, int partition, Outcome outcome) {
    /** What the producer knows in the end. */
    enum Outcome {
        /** Acknowledged, and its transaction, where it has one, committed. */
        KEPT,
        /** Its transaction was aborted, or never ended by a commit. */
        ABORTED,
        /** Nobody said. */
        UNKNOWN
    }

    /** The record's value: which record it is. */
    long value() {
        return value(producer, number);
    }

    static long value(int producer, int number) {
        return ((long) producer << Integer.SIZE) | number;
    }

    /** Whose record a value is. */
    static int producerOf(long value) {
        return (int) (value >>> Integer.SIZE);
    }
}
