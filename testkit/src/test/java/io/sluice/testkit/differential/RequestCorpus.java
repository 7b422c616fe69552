package io.sluice.testkit.differential;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Real requests of every kind, for tests that change them: what the cases send to a broker. */
public final class RequestCorpus {
    private RequestCorpus() {}

    /**
     * Runs some cases of the newest version of every API and shows each request before it is sent: the script may change it
     * afterwards. What the broker answers does not count here.
     *
     * @param casesOfAnApi how many at most
     */
    public static void record(BrokerUnderTest broker, int casesOfAnApi, Consumer<ApiMessage> requests)
            throws IOException {
        Map<ApiKeys, Integer> counts = new EnumMap<>(ApiKeys.class);
        Side side = Side.of(broker, SystemClock.INSTANCE.epochMillis());
        RawConnection.onRequestSent(requests);
        try {
            for (Case each : AllCases.list()) {
                boolean newest = each.version() == each.api().latestVersion(false);
                boolean quick = !each.name().matches(".*(wait|frame:|bytes:|record set|null records).*");
                if (newest && quick && counts.merge(each.api(), 1, Integer::sum) <= casesOfAnApi) {
                    Runner.transcript(side, each, 0);
                }
            }
        } finally {
            RawConnection.onRequestSent(request -> {});
        }
    }
}
