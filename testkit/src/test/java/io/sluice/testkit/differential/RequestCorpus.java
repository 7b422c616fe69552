package io.sluice.testkit.differential;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.ApiKeys;

/** Real requests of every kind, for tests that change them: what the cases send to a broker. */
public final class RequestCorpus {
    private static final int MAX_FRAME_BYTES = 8 << 10;
    private static final int CASES_OF_AN_API = 12;

    private RequestCorpus() {}

    /**
     * Runs some cases of the newest version of every API and collects the frames, without their sizes. What the broker
     * answers does not count here.
     */
    public static List<byte[]> record(BrokerUnderTest broker) throws IOException {
        List<byte[]> frames = new ArrayList<>();
        Map<ApiKeys, Integer> counts = new EnumMap<>(ApiKeys.class);
        Side side = Side.of(broker, SystemClock.INSTANCE.epochMillis());
        for (Case each : AllCases.list()) {
            boolean newest = each.version() == each.api().latestVersion(false);
            boolean quick = !each.name().matches(".*(wait|frame:|bytes:|record set|null records).*");
            if (newest && quick && counts.merge(each.api(), 1, Integer::sum) <= CASES_OF_AN_API) {
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
