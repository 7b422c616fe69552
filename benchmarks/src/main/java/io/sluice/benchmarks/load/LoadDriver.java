package io.sluice.benchmarks.load;

import java.util.Arrays;
import java.util.List;

/**
 * Runs one load against any broker that speaks Kafka's protocol and prints one RESULT line. Words after the name are
 * key=value; {@code bootstrap} and {@code pid} (the broker's) are always needed.
 */
public final class LoadDriver {
    private LoadDriver() {}

    /** {@code LoadDriver produce|rate|end-to-end|consume|cleaning|touch|first bootstrap=… pid=… …}. */
    public static void main(String[] args) throws Exception {
        List<String> words = Arrays.asList(args);
        LoadOptions options = new LoadOptions(words.subList(1, words.size()));
        Measurement result = switch (args[0]) {
            case "produce" -> ProduceLoad.run(options);
            case "rate" -> RateLoad.run(options);
            case "end-to-end" -> EndToEndLoad.run(options);
            case "consume" -> ConsumeLoad.run(options);
            case "cleaning" -> CleaningLoad.run(options);
            case "touch" -> TouchLoad.run(options);
            case "first" -> FirstRecordLoad.run(options);
            default -> throw new IllegalArgumentException("unknown load '" + args[0] + "'");
        };
        System.out.println(result.toLine());
    }
}
