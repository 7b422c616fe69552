package io.sluice.benchmarks.compare;

import io.sluice.benchmarks.floor.FloorBroker;
import java.nio.file.Path;
import java.util.List;

/**
 * The broker that answers and stores nothing.
 *
 * @param heap maximum heap, as the others'
 */
record FloorContender(String heap) implements Contender {
    @Override
    public String title() {
        return "floor";
    }

    @Override
    public boolean stores() {
        return false;
    }

    @Override
    public void prepare(Path directory, int port) {
        // Nothing: it keeps nothing.
    }

    @Override
    public List<String> command(Path directory, int port) {
        return Launch.java(
                heap,
                List.of("-XX:+UseG1GC", "-Dlogback.configurationFile=benchmarks-logback.xml"),
                FloorBroker.class.getName(),
                List.of(Integer.toString(port)));
    }
}
