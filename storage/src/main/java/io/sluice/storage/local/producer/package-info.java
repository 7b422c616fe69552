/**
 * What a log knows of its producers: sequence numbers, epochs, open and aborted transactions. The same code runs when a
 * batch is appended and when it is replayed, so both end in the same state. Start reading at {@link
 * io.sluice.storage.local.producer.ProducerStates}, which is for the thread that holds the log's append lock; {@link
 * io.sluice.storage.local.producer.TransactionIndex} may be asked on every thread.
 */
@NullMarked
package io.sluice.storage.local.producer;

import org.jspecify.annotations.NullMarked;
