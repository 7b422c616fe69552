package io.sluice.storage.local;

import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.VisibilityListener;
import java.util.Arrays;

/** The visibility listeners of one log. Safe on every thread; most logs have none or one. */
final class LogListeners {
    private static final VisibilityListener[] NONE = {};

    private volatile VisibilityListener[] listeners = NONE;

    synchronized void add(VisibilityListener listener) {
        VisibilityListener[] more = Arrays.copyOf(listeners, listeners.length + 1);
        more[more.length - 1] = listener;
        listeners = more;
    }

    synchronized void remove(VisibilityListener listener) {
        VisibilityListener[] current = listeners;
        for (int i = 0; i < current.length; i++) {
            if (current[i] == listener) {
                VisibilityListener[] fewer = Arrays.copyOf(current, current.length - 1);
                System.arraycopy(current, i + 1, fewer, i, fewer.length - i);
                listeners = fewer.length == 0 ? NONE : fewer;
                return;
            }
        }
    }

    void onVisible(PartitionLog log) {
        for (VisibilityListener listener : listeners) {
            listener.onVisible(log);
        }
    }

    void onStateChange(PartitionLog log) {
        for (VisibilityListener listener : listeners) {
            listener.onStateChange(log);
        }
    }
}
