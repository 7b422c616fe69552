package io.sluice.testkit.fuzz;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Right requests of every API and version that a node advertises. Filled by one thread, then safe on every thread. */
final class Corpus {
    private static final int MAX_FRAME_BYTES = 8 << 10;
    private static final int SEEDS_OF_A_VERSION = 40;

    private final Map<ApiKeys, TreeMap<Short, List<Seed>>> seeds = new TreeMap<>();
    private final Map<ApiKeys, List<Short>> versions = new HashMap<>();
    private final List<ApiKeys> apis = new ArrayList<>();
    private final List<Seed> withRecords = new ArrayList<>();

    /** An empty one for what a node says that it serves. Versions that no request can be made in are left out. */
    Corpus(ApiVersionsResponseData served) {
        for (ApiVersionsResponseData.ApiVersion range : served.apiKeys()) {
            ApiKeys api = ApiKeys.forId(range.apiKey());
            TreeMap<Short, List<Seed>> ofApi = new TreeMap<>();
            int oldest = Math.max(range.minVersion(), api.oldestVersion());
            for (int version = oldest; version <= range.maxVersion(); version++) {
                ofApi.put((short) version, new ArrayList<>());
            }
            seeds.put(api, ofApi);
            versions.put(api, List.copyOf(ofApi.keySet()));
            apis.add(api);
        }
    }

    /** Adds a request in every version that can say it. */
    void add(ApiMessage body) {
        ApiKeys api = ApiKeys.forId(body.apiKey());
        seeds.getOrDefault(api, new TreeMap<>()).forEach((version, list) -> {
            if (list.size() < SEEDS_OF_A_VERSION) {
                addTo(list, api, version, body);
            }
        });
    }

    private static void addTo(List<Seed> list, ApiKeys api, short version, ApiMessage body) {
        try {
            Seed seed = Seed.of(api, version, body);
            if (seed.frame().length <= MAX_FRAME_BYTES) {
                list.add(seed);
            }
        } catch (UnsupportedVersionException | NullPointerException e) {
            // What this version has no field for, or no null in.
            return;
        } catch (ApiException e) {
            // A request that is wrong on purpose.
            return;
        }
    }

    /** As {@link #add}, for requests with record batches worth spoiling. */
    void addRecords(ApiMessage body) {
        ApiKeys api = ApiKeys.forId(body.apiKey());
        seeds.getOrDefault(api, new TreeMap<>()).forEach((version, list) -> addTo(withRecords, api, version, body));
    }

    /** Versions that are served and have no request. */
    List<String> gaps() {
        List<String> gaps = new ArrayList<>();
        seeds.forEach((api, ofApi) -> ofApi.forEach((version, list) -> {
            if (list.isEmpty()) {
                gaps.add(api.name + " v" + version);
            }
        }));
        return gaps;
    }

    /** The APIs served. */
    List<ApiKeys> apis() {
        return apis;
    }

    /** The versions served of one of them. */
    List<Short> versions(ApiKeys api) {
        return versions.getOrDefault(api, List.of());
    }

    /** Any: each API as often as the others, each version of it as often as the others. */
    Seed pick(Random random) {
        ApiKeys api = apis.get(random.nextInt(apis.size()));
        List<Short> ofApi = versions(api);
        List<Seed> list = seedsOf(api, ofApi.get(random.nextInt(ofApi.size())));
        return list.get(random.nextInt(list.size()));
    }

    private List<Seed> seedsOf(ApiKeys api, short version) {
        return Objects.requireNonNull(Objects.requireNonNull(seeds.get(api)).get(version));
    }

    /** One with record batches. */
    Seed pickRecords(Random random) {
        return withRecords.get(random.nextInt(withRecords.size()));
    }
}
