package io.sluice.broker.net;

/** Why a connection starts no calls and is not read. */
enum Hold {
    /** A handler asked for it. */
    SUSPENDED,
    /** The client is being throttled. */
    MUTED,
    /** Its next frame waits for request memory. */
    MEMORY,
    /** Its next frame waits for heap. */
    HEAP
}
