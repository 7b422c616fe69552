package io.sluice.coordinator.share;

import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many times somebody came back to a share partition that was to retire, and how many times its state could not be read for the
 * last of them. Under its owner's lock.
 */
final class ReturnAttempts {
    private static final Logger LOG = LoggerFactory.getLogger(ReturnAttempts.class);

    private final String name;
    private final int most;
    private int returns;
    private int failures;

    /**
     * Nobody came back yet.
     *
     * @param name for the log
     * @param most failed attempts to read for one return
     */
    ReturnAttempts(String name, int most) {
        this.name = name;
        this.most = most;
    }

    /** Somebody came back; returns the number of that return. */
    int begin() {
        failures = 0;
        return ++returns;
    }

    boolean isLast(int number) {
        return number == returns;
    }

    /** The state could not be read; returns whether it was tried often enough. */
    boolean onFailure(Errors error) {
        failures++;
        if (failures == 1) {
            LOG.warn("{}: somebody reads again, but its state cannot be read: {}", name, error);
        }
        return failures > most;
    }
}
