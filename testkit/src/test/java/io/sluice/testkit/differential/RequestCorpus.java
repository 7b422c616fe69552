package io.sluice.testkit.differential;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Real requests of every kind, for tests that change them: what the cases send to a broker. */
public final class RequestCorpus {
    private static final int MAX_FRAME_BYTES = 8 << 10;

    private RequestCorpus() {}

    /**
     * Runs the cases of the newest version of every API and of the oldest and collects the frames, without their sizes.
     * What the broker answers does not count here.
     */
    public static List<byte[]> record(BrokerUnderTest broker) throws IOException {
        List<byte[]> frames = new ArrayList<>();
        Side side = Side.of(broker, SystemClock.INSTANCE.epochMillis());
        for (Case each : AllCases.list()) {
            boolean atAnEnd = each.version() == each.api().latestVersion(false)
                    || each.version() == each.api().oldestVersion();
            if (atAnEnd && !each.name().contains("wait")) {
                RawConnection.onFrameSent(frame -> {
                    if (frame.length <= MAX_FRAME_BYTES) {
                        frames.add(frame);
                    }
                });
                Runner.transcript(side, each, 0);
            }
        }
        RawConnection.onFrameSent(frame -> {});
        return frames;
    }
}
