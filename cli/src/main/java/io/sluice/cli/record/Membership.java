package io.sluice.cli.record;

import io.sluice.base.error.UserException;
import org.jspecify.annotations.Nullable;

/** A consumer's place in its group, as it is ended where the consumer itself cannot. For one thread. */
interface Membership {
    /** No group, so nothing to leave. */
    Membership NONE = new Membership() {
        @Override
        public @Nullable UserException refusal() {
            return null;
        }

        @Override
        public @Nullable String end() {
            return null;
        }
    };

    /** Why the group's state cannot be read; null where it can, and where nobody says. Blocks, within a time. */
    @Nullable UserException refusal();

    /**
     * Makes the group forget the member, if it knows it. Blocks, within a time.
     *
     * @return why it could not be done; null where it was, or there was nothing to do
     */
    @Nullable String end();
}
