package io.sluice.testkit.differential;

import io.sluice.testkit.wire.RawConnection;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.protocol.ApiKeys;

/** ApiVersions: what is advertised, by version, and what comes before any of it is known. */
final class ApiVersionsCases {
    private static final int UNKNOWN_VERSION = 99;

    private ApiVersionsCases() {}

    static void addTo(Cases cases) {
        cases.everyVersion(
                ApiKeys.API_VERSIONS, "advertised", s -> s.record("answer", request("sluice-testkit", "1.0")));
        cases.from(
                ApiKeys.API_VERSIONS, 3, "invalid software name", s -> s.record("answer", request("no spaces!", "1")));
        cases.from(ApiKeys.API_VERSIONS, 3, "invalid software version", s -> s.record("answer", request("a", "-1-")));
        cases.from(ApiKeys.API_VERSIONS, 3, "empty software name", s -> s.record("answer", request("", "")));
        cases.newest(ApiKeys.API_VERSIONS, "unknown version", ApiVersionsCases::unknownVersion);
        cases.everyVersion(ApiKeys.API_VERSIONS, "null client id", s -> {
            s.connection().send(s.version(), null, request("a", "1"));
            s.recordAnswer("answer", s.connection().receive(ApiKeys.API_VERSIONS, s.version()));
        });
        cases.everyVersion(ApiKeys.API_VERSIONS, "asked twice", s -> {
            s.record("first", request("a", "1"));
            s.record("second", request("b", "2"));
            s.record("then", new MetadataRequestData().setTopics(new java.util.ArrayList<>()));
        });
    }

    private static ApiVersionsRequestData request(String name, String version) {
        return new ApiVersionsRequestData().setClientSoftwareName(name).setClientSoftwareVersion(version);
    }

    private static void unknownVersion(Session s) throws java.io.IOException {
        byte[] frame = RawConnection.encode(s.version(), "testkit", 7, request("a", "1"));
        frame[3] = UNKNOWN_VERSION;
        s.connection().sendFrame(frame);
        s.recordAnswer("as version 0", s.connection().receive(ApiKeys.API_VERSIONS, 0));
        s.record("then", request("a", "1"));
    }
}
