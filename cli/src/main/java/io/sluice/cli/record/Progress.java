package io.sluice.cli.record;

import io.sluice.cli.output.Console;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** A progress bar on a terminal's standard error, nothing elsewhere. */
final class Progress implements AutoCloseable {
    private static final int WIDTH = 80;
    private static final int UPDATE_MILLIS = 200;

    private final @Nullable ProgressBar bar;

    private Progress(@Nullable ProgressBar bar) {
        this.bar = bar;
    }

    /** Shows nothing. */
    static Progress none() {
        return new Progress(null);
    }

    /**
     * Starts to show.
     *
     * @param total what {@link #to} will end at, or -1 if nobody knows
     */
    static Progress start(Console console, boolean wanted, String task, String unit, long total) {
        if (!wanted || !console.errIsTerminal()) {
            return new Progress(null);
        }
        return new Progress(new ProgressBarBuilder()
                .setTaskName(task)
                .setInitialMax(total)
                .setUnit(unit, 1)
                .setUpdateIntervalMillis(UPDATE_MILLIS)
                .setStyle(ProgressBarStyle.ASCII)
                .setConsumer(new ConsoleProgressBarConsumer(console.err(), WIDTH))
                .clearDisplayOnFinish()
                .showSpeed()
                .build());
    }

    /** Shows how far it has got. */
    void to(long value) {
        if (bar != null) {
            bar.stepTo(value);
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
