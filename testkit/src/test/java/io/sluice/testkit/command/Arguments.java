package io.sluice.testkit.command;

import io.sluice.testkit.broker.BrokerUnderTest;
import java.util.ArrayList;
import java.util.List;

/** Command lines. */
final class Arguments {
    private Arguments() {}

    /** A command with its options and the address of a broker. */
    static String[] of(BrokerUnderTest broker, List<String> command, String... options) {
        List<String> arguments = new ArrayList<>(command);
        arguments.addAll(List.of(options));
        arguments.add("--bootstrap-server");
        arguments.add(broker.bootstrapServers());
        return arguments.toArray(String[]::new);
    }
}
