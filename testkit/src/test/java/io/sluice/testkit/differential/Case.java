package io.sluice.testkit.differential;

import java.util.Locale;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * One thing to try at one version of one API.
 *
 * @param name words that say what is tried
 */
record Case(ApiKeys api, short version, String name, Script script) {
    /** "Produce/v7/unknown topic": what docs/compatibility.md and reports call it. */
    String id() {
        return api.name + "/v" + version + "/" + name;
    }

    /** Unique among all cases and legal as a topic or group name. */
    String slug() {
        return (api.name + "-v" + version + "-" + name).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.-]+", "-");
    }
}
