package io.sluice.storage.local;

import io.sluice.storage.local.segment.Segment;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forces many segments at a time: devices and file systems serve several forces together in little more than the time of
 * one. The caller's thread works as well, so it ends whether or not the helpers ever get a turn.
 */
final class SegmentForces {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentForces.class);
    private static final int HELPERS = 3;
    private static final int SEGMENTS_FOR_ONE = 4;
    private static final long INDEX_SAVE_BYTES = 16 << 20;

    private final Executor helpers;

    /** Runs helpers here; they may block on the disk. */
    SegmentForces(Executor helpers) {
        this.helpers = helpers;
    }

    /**
     * Forces all of them.
     *
     * @throws IOException if one could not be forced; the others may have been or not
     */
    void force(List<Segment> segments) throws IOException {
        Round round = new Round(segments);
        int wanted = Math.min(HELPERS, segments.size() / SEGMENTS_FOR_ONE);
        int helping = 0;
        while (helping < wanted && isHelped(round)) {
            helping++;
        }
        round.work();
        round.end();
    }

    private boolean isHelped(Round round) {
        try {
            helpers.execute(round::help);
            return true;
        } catch (RejectedExecutionException e) {
            return false; // the node is stopping: the caller's thread does what is left
        }
    }

    /** One list of segments and those at work on it. */
    private static final class Round {
        private final List<Segment> segments;
        private final AtomicInteger next = new AtomicInteger();
        private volatile @Nullable IOException failure;
        private int helping;
        private boolean ended;

        Round(List<Segment> segments) {
            this.segments = segments;
        }

        /** On a helper's thread, perhaps when all is over. */
        void help() {
            synchronized (this) {
                if (ended) {
                    return;
                }
                helping++;
            }
            try {
                work();
            } finally {
                synchronized (this) {
                    helping--;
                    notifyAll();
                }
            }
        }

        @SuppressWarnings("checkstyle:IllegalCatch") // a defect must be told as a failure: the segment is not forced
        void work() {
            int at = next.getAndIncrement();
            while (at < segments.size() && failure == null) {
                try {
                    force(segments.get(at));
                } catch (IOException e) {
                    failure = e;
                } catch (RuntimeException | Error e) {
                    failure = new IOException("a segment could not be forced: " + e, e);
                }
                at = next.getAndIncrement();
            }
        }

        private static void force(Segment segment) throws IOException {
            int before = segment.forcedBytes();
            int after = segment.force();
            segment.onForced(after);
            if (after / INDEX_SAVE_BYTES > before / INDEX_SAVE_BYTES) {
                saveIndex(segment);
            }
        }

        /** The bytes are forced: an index that cannot be saved, for want of room or a damaged batch, is made again. */
        private static void saveIndex(Segment segment) {
            try {
                segment.saveIndex();
            } catch (IOException e) {
                LOG.warn("the index of a segment was not saved, it will be made again segment={}", segment, e);
            }
        }

        /** Waits for helpers at work, for as long as the device takes for a force each. */
        void end() throws IOException {
            boolean interrupted = false;
            synchronized (this) {
                ended = true;
                while (helping > 0) {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        interrupted = true; // what a helper forces must not be believed before it is over
                    }
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            IOException cause = failure;
            if (cause != null) {
                throw cause;
            }
        }
    }
}
