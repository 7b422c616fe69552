package io.sluice.testkit.fuzz;

/** Ways to spoil a request. */
enum Spoiling {
    /** Not at all: so that what is spoiled finds something there. */
    NONE,
    /** Some bits. */
    BITS,
    /** The end is missing. */
    CUT,
    /** Something follows. */
    LONGER,
    /** An odd number somewhere, whatever is there. */
    NUMBER_ANYWHERE,
    /** An odd number in place of a number. */
    NUMBER_FIELD,
    /** Another length, count or tag. */
    LENGTH_FIELD,
    /** Other text or bytes of the same length. */
    BYTES_FIELD,
    /** Another version of the API, served or not: the body is read by another schema. */
    VERSION,
    /** The end of another request. */
    SPLICE,
    /** A right header, then anything. */
    BODY,
    /** Anything. */
    GARBAGE,
    /** A size field that lies. */
    SIZE,
    /** Record batches spoiled inside, their sums mostly made right again. */
    RECORDS
}
