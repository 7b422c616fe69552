package io.sluice.storage.metadata;

import io.sluice.base.metadata.MetadataStore.Entry;
import io.sluice.base.metadata.MetadataStore.WatchListener;
import io.sluice.storage.metadata.MetadataState.Change;
import java.util.ArrayList;
import java.util.List;

/** Who watches which prefix. For the metadata thread. */
final class WatchList {
    private final List<Watch> watches = new ArrayList<>();

    private record Watch(String prefix, WatchListener listener) {}

    /** Tells the listener everything there is, and every change from now on. */
    void add(String prefix, WatchListener listener, MetadataState state) {
        Watch watch = new Watch(prefix, listener);
        watches.add(watch);
        shielded(() -> tellAll(watch, state));
    }

    /** Tells everybody everything again, after a session that was lost. */
    void restart(MetadataState state) {
        for (Watch watch : List.copyOf(watches)) {
            shielded(() -> {
                watch.listener().onRestart();
                tellAll(watch, state);
            });
        }
    }

    /** Tells changes that became durable together. */
    void tell(List<List<Change>> changes) {
        for (Watch watch : List.copyOf(watches)) {
            shielded(() -> tell(watch, changes));
        }
    }

    void clear() {
        watches.clear();
    }

    private static void tellAll(Watch watch, MetadataState state) {
        state.list(watch.prefix()).forEach(watch.listener()::onPut);
        watch.listener().onCurrent();
    }

    private static void tell(Watch watch, List<List<Change>> changes) {
        boolean any = false;
        for (List<Change> change : changes) {
            for (Change step : change) {
                if (step.key().startsWith(watch.prefix())) {
                    tell(watch.listener(), step);
                    any = true;
                }
            }
        }
        if (any) {
            watch.listener().onCurrent();
        }
    }

    private static void tell(WatchListener listener, Change step) {
        Entry entry = step.entry();
        if (entry == null) {
            listener.onDelete(step.key());
        } else {
            listener.onPut(entry);
        }
    }

    /** What a listener throws is a defect of its own and must not end the metadata thread. */
    @SuppressWarnings("checkstyle:IllegalCatch") // whatever a listener throws belongs to that listener alone
    static void shielded(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        }
    }
}
