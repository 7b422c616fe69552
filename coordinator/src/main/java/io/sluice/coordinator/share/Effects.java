package io.sluice.coordinator.share;

import java.util.ArrayList;
import java.util.List;

/** Calls that are decided under a lock, and made when it is free again. For one thread. */
final class Effects {
    private final List<Runnable> calls = new ArrayList<>();

    void add(Runnable call) {
        calls.add(call);
    }

    void run() {
        calls.forEach(Runnable::run);
    }
}
