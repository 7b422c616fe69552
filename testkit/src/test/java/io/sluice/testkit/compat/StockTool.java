package io.sluice.testkit.compat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Kafka's command line tools, by the names of its shell scripts. */
enum StockTool {
    ACLS("AclCommand", Address.FIRST),
    BROKER_API_VERSIONS("BrokerApiVersionsCommand", Address.FIRST),
    CLIENT_METRICS("ClientMetricsCommand", Address.FIRST),
    CLUSTER("ClusterTool", Address.LAST),
    CONFIGS("ConfigCommand", Address.FIRST),
    CONSOLE_CONSUMER("consumer.ConsoleConsumer", Address.FIRST),
    CONSOLE_SHARE_CONSUMER("consumer.ConsoleShareConsumer", Address.FIRST),
    CONSUMER_GROUPS("consumer.group.ConsumerGroupCommand", Address.FIRST),
    DELEGATION_TOKENS("DelegationTokenCommand", Address.FIRST),
    DELETE_RECORDS("DeleteRecordsCommand", Address.FIRST),
    FEATURES("FeatureCommand", Address.FIRST),
    GET_OFFSETS("GetOffsetShell", Address.FIRST),
    GROUPS("GroupsCommand", Address.FIRST),
    LEADER_ELECTION("LeaderElectionCommand", Address.FIRST),
    LOG_DIRS("LogDirsCommand", Address.FIRST),
    METADATA_QUORUM("MetadataQuorumCommand", Address.FIRST),
    REASSIGN_PARTITIONS("reassign.ReassignPartitionsCommand", Address.FIRST),
    SHARE_GROUPS("consumer.group.ShareGroupCommand", Address.FIRST),
    STREAMS_GROUPS("streams.StreamsGroupCommand", Address.FIRST),
    TOPICS("TopicCommand", Address.FIRST),
    TRANSACTIONS("TransactionsCommand", Address.FIRST);

    /** Where a tool with subcommands takes the broker's address. */
    private enum Address {
        FIRST,
        LAST
    }

    private final String className;
    private final Address address;

    StockTool(String className, Address address) {
        this.className = "org.apache.kafka.tools." + className;
        this.address = address;
    }

    /** The tool that a command line begins with. */
    static StockTool of(String commandLine) {
        return valueOf(commandLine.split(" ", 2)[0].replace('-', '_').toUpperCase(Locale.ROOT));
    }

    String className() {
        return className;
    }

    /** Arguments of a command line, the broker's address among them; words are separated by one space, {@code ~} in a word is a space. */
    List<String> arguments(String commandLine, String bootstrap) {
        List<String> arguments = new ArrayList<>();
        Arrays.stream(commandLine.split(" ", -1))
                .skip(1)
                .map(word -> word.replace('~', ' '))
                .forEach(arguments::add);
        arguments.addAll(address == Address.FIRST ? 0 : arguments.size(), List.of("--bootstrap-server", bootstrap));
        return arguments;
    }
}
