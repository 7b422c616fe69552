package io.sluice.cli.group;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.GroupRefusal;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.OutputOptions;
import io.sluice.cli.output.TextTable;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice group list}. */
@Command(name = "list", description = "Lists the groups.", mixinStandardHelpOptions = true)
final class GroupListCommand implements Runnable {
    private final Console console;

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    GroupListCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        try (AdminSession session = AdminSession.open(connect)) {
            List<Listed> groups =
                    session
                            .awaitGroups(session.admin()
                                    .listGroups(new ListGroupsOptions())
                                    .all())
                            .stream()
                            .map(Listed::of)
                            .sorted(Comparator.comparing(Listed::group))
                            .toList();
            TextTable table = new TextTable("GROUP", "TYPE", "PROTOCOL", "STATE");
            groups.forEach(group -> table.row(group.group(), group.type(), group.protocol(), group.state()));
            output.print(console, groups, table);
            requireAll(session.groupsLeftOut());
        }
    }

    /** A node leaves out what it could not load, and so does Kafka's protocol. */
    private static void requireAll(List<GroupRefusal> leftOut) {
        if (!leftOut.isEmpty()) {
            String partitions =
                    leftOut.stream().map(GroupRefusal::partitionName).collect(Collectors.joining(", "));
            throw new UserException(
                    ExitCode.FAILED,
                    "Not all groups are listed: those kept in " + partitions + " are missing. "
                            + leftOut.get(0).ofAll().line());
        }
    }

    private record Listed(
            String group,
            @Nullable String type,
            String protocol,
            @Nullable String state) {
        static Listed of(GroupListing group) {
            return new Listed(
                    group.groupId(),
                    group.type().map(GroupType::toString).orElse(null),
                    group.protocol(),
                    group.groupState().map(GroupState::toString).orElse(null));
        }
    }
}
