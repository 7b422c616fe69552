package io.sluice.cli.group;

import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.Deletion;
import io.sluice.cli.connect.Names;
import io.sluice.cli.connect.Subject;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.OutputOptions;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice group delete}. */
@Command(
        name = "delete",
        description = "Deletes groups that have no members, with the offsets they committed.",
        mixinStandardHelpOptions = true)
final class GroupDeleteCommand implements Runnable {
    private final Console console;

    @Parameters(paramLabel = "GROUP", arity = "1..*", description = "Groups.")
    private List<String> groups = new ArrayList<>();

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    GroupDeleteCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        Names.require("group", groups);
        new Deletion(Subject.Kind.GROUP, connect, output)
                .run(
                        console,
                        groups,
                        (admin, all) -> admin.deleteConsumerGroups(all).deletedGroups());
    }
}
