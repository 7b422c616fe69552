/**
 * {@code sluice produce} and {@code sluice consume}: records in and out. Start with {@link
 * io.sluice.cli.record.ProduceCommand}.
 */
@NullMarked
package io.sluice.cli.record;

import org.jspecify.annotations.NullMarked;
