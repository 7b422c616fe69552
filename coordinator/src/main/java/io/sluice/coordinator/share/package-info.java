/**
 * Share groups (KIP-932) below the protocol: where their state is kept ({@link io.sluice.coordinator.share.ShareStatePort},
 * by Kafka's share coordinator library on our runtime adaptors), and what happens to the records of one partition that a
 * group shares.
 *
 * <p>Threads: safe on every thread unless a class says otherwise; nothing blocks. Start reading at {@link
 * io.sluice.coordinator.share.ShareStatePort}.
 */
@NullMarked
package io.sluice.coordinator.share;

import org.jspecify.annotations.NullMarked;
