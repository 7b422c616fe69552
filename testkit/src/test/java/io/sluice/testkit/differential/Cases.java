package io.sluice.testkit.differential;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;

/** Collects cases; a case is written once and tried at every version that has it. */
final class Cases {
    private final List<Case> all = new ArrayList<>();
    private final Set<String> slugs = new HashSet<>();

    /** At every stable version of the API. */
    void everyVersion(ApiKeys api, String name, Script script) {
        versions(api, api.oldestVersion(), api.latestVersion(false), name, script);
    }

    /** At every stable version from {@code oldest}. */
    void from(ApiKeys api, int oldest, String name, Script script) {
        versions(api, oldest, api.latestVersion(false), name, script);
    }

    /** From {@code oldest} to {@code newest}, both included. */
    void versions(ApiKeys api, int oldest, int newest, String name, Script script) {
        for (int version = oldest; version <= newest; version++) {
            Case added = new Case(api, (short) version, name, script);
            if (!slugs.add(added.slug())) {
                throw new IllegalArgumentException("There are two cases " + added.id());
            }
            all.add(added);
        }
    }

    /** At the newest stable version only. */
    void newest(ApiKeys api, String name, Script script) {
        from(api, api.latestVersion(false), name, script);
    }

    List<Case> all() {
        return List.copyOf(all);
    }
}
