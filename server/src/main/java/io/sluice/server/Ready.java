package io.sluice.server;

import io.sluice.cli.output.Json;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is said when a node can serve.
 *
 * @param address host and port of the first listener, an IPv6 address in brackets
 * @param millis since the process started
 */
record Ready(String version, String address, long millis, Path data, int adminPort) {
    String line() {
        return "Sluice " + version + " ready on " + address + " in " + millis + " ms (data " + data + ")";
    }

    String json() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("status", "ready");
        document.put("version", version);
        document.put("address", address);
        document.put("adminPort", adminPort);
        document.put("millis", millis);
        document.put("data", data.toString());
        return Json.write(document);
    }
}
