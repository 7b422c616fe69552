package io.sluice.testkit.fuzz;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.command.AdminPage;
import java.io.IOException;

/** What a node says itself about the requests that it has read. */
final class NodeCounters {
    private final AdminPage page;

    private NodeCounters(AdminPage page) {
        this.page = page;
    }

    static NodeCounters of(BrokerUnderTest broker) throws IOException {
        return new NodeCounters(AdminPage.get(broker.adminAddress(), "/metrics"));
    }

    /** Requests of an API that could be read. */
    long requests(String api) {
        return value("sluice_net_requests_total{api=\"" + api + "\"}");
    }

    /** Connections that the node closed for what came in on them. */
    long closes() {
        long sum = 0;
        for (String reason : new String[] {"bad_frame", "unknown_api", "unsupported_version", "malformed", "handler"}) {
            sum += value("sluice_net_connections_closed_total{reason=\"" + reason + "\"}");
        }
        return sum;
    }

    private long value(String series) {
        double value = page.series(series);
        return Double.isNaN(value) ? 0 : (long) value;
    }
}
