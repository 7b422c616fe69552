package io.sluice.storage.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** Writes down what a waiter for durability hears. */
public final class RecordingDurability implements DurabilityListener {
    private final Executor executor;
    private final List<String> heard = new ArrayList<>();

    /** Hears on this executor. */
    public RecordingDurability(Executor executor) {
        this.executor = executor;
    }

    /** Hears on whatever thread calls. */
    public RecordingDurability() {
        this(Runnable::run);
    }

    /** "durable OFFSET" and "unknown OFFSET" in order. */
    public synchronized List<String> heard() {
        return List.copyOf(heard);
    }

    @Override
    public Executor executor() {
        return executor;
    }

    @Override
    public synchronized void onDurable(PartitionLog log, long offset) {
        heard.add("durable " + offset);
    }

    @Override
    public synchronized void onUnknown(PartitionLog log, long offset, IOException cause) {
        heard.add("unknown " + offset);
    }
}
