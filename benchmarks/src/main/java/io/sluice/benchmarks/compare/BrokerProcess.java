package io.sluice.benchmarks.compare;

import io.sluice.benchmarks.load.ProcessSample;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** A broker that runs: its process and where it listens. */
record BrokerProcess(Process process, String bootstrap) {
    private static final long STOP_SECONDS = 120;

    long pid() {
        return process.pid();
    }

    ProcessSample sample() {
        return ProcessSample.of(pid());
    }

    /** SIGTERM; the seconds until the process had ended. */
    double stop() throws InterruptedException, IOException {
        long start = System.nanoTime();
        process.destroy();
        requireEnd();
        return (System.nanoTime() - start) / 1e9;
    }

    /** SIGKILL. */
    void kill() throws InterruptedException, IOException {
        process.destroyForcibly();
        requireEnd();
    }

    private void requireEnd() throws InterruptedException, IOException {
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("process " + pid() + " did not end within " + STOP_SECONDS + " s");
        }
    }
}
