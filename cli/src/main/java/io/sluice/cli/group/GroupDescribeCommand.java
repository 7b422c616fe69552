package io.sluice.cli.group;

import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.Names;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.OutputOptions;
import io.sluice.cli.output.TextTable;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice group describe}. */
@Command(
        name = "describe",
        description = "Shows the members of a group, of whatever type, and how far behind each partition is.",
        mixinStandardHelpOptions = true)
final class GroupDescribeCommand implements Runnable {
    private final Console console;

    @Parameters(paramLabel = "GROUP", description = "The group.")
    private String group = "";

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    GroupDescribeCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        Names.require("group", group);
        try (AdminSession session = AdminSession.open(connect)) {
            GroupDocument document = new GroupReader(session, group).read();
            if (output.isJson()) {
                output.print(console, document, List.of());
            } else {
                printText(document);
            }
        }
    }

    private void printText(GroupDocument document) {
        int members = document.members().size();
        console.out()
                .println("Group " + document.group() + ": " + document.type() + ", " + document.state() + ", " + members
                        + (members == 1 ? " member" : " members") + ", lag " + document.lag());
        TextTable table =
                new TextTable("GROUP", "TOPIC", "PARTITION", "COMMITTED", "END", "LAG", "MEMBER", "CLIENT", "HOST");
        for (GroupDocument.Position position : document.positions()) {
            table.row(
                    document.group(),
                    position.topic(),
                    position.partition(),
                    position.committedOffset(),
                    position.endOffset(),
                    position.lag(),
                    position.memberId(),
                    position.clientId(),
                    position.host());
        }
        table.print(console);
    }
}
