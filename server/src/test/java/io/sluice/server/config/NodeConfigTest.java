package io.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.base.config.ConfigException;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.storage.config.ListenerKeys;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeConfigTest {
    @TempDir
    private Path directory;

    private static NodeConfig read(Map<String, String> texts) {
        return NodeConfig.read(texts, List::of);
    }

    @Test
    void hasDefaults() {
        NodeConfig config = read(Map.of());

        assertThat(config.dataDirectory()).isEqualTo(Path.of("data").toAbsolutePath());
        assertThat(config.listeners().endpoints().get(0).bind()).hasToString("PLAINTEXT://127.0.0.1:9092");
        assertThat(config.values().get(ListenerKeys.ADMIN_PORT)).isEqualTo(9644);
    }

    @Test
    void namesTheNearestKey() {
        assertThatThrownBy(() -> read(Map.of("log.retention.houres", "1")))
                .isInstanceOf(ConfigException.class)
                .hasMessage("Unknown configuration key 'log.retention.houres'; did you mean 'log.retention.hours'?");
    }

    @Test
    void saysWhatIsAllowed() {
        assertThatThrownBy(() -> read(Map.of("sluice.admin.port", "70000")))
                .isInstanceOf(ConfigException.class)
                .hasMessage("Invalid value '70000' for sluice.admin.port: allowed is 0 to 65535.");
    }

    @Test
    void takesOneDataDirectory() {
        assertThatThrownBy(() -> read(Map.of("log.dirs", "a,b"))).hasMessageContaining("one directory");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/srv/data", "/srv/data/", "/srv/data/logs", "/srv/data/x/../logs/mine", "/srv/data/metadata"})
    void keepsTheJournalOutOfWhatElseTheDataDirectoryHolds(String journal) {
        assertThatThrownBy(() -> read(Map.of("log.dirs", "/srv/data", "sluice.journal.dir", journal)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("Invalid value '" + journal + "' for sluice.journal.dir")
                .hasMessageContaining("Give one of its own");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/srv", "/srv/data/journal", "/srv/data/mine", "/srv/data2", "/srv/logs"})
    void takesAJournalDirectoryOfItsOwn(String journal) {
        assertThat(read(Map.of("log.dirs", "/srv/data", "sluice.journal.dir", journal))
                        .dataDirectory())
                .isEqualTo(Path.of("/srv/data"));
    }

    @Test
    void remembersTheAdminPortThatTheSystemChose() {
        NodeConfig config = read(Map.of("sluice.admin.port", "0")).withAdminPort(40_123);

        assertThat(config.values().get(ListenerKeys.ADMIN_PORT)).isEqualTo(40_123);
    }

    @Test
    void readsAFileUnderTheCommandLine() throws Exception {
        Path file = directory.resolve("node.properties");
        Files.writeString(file, "# comment\nnode.id=7\nnum.partitions = 3 \n");

        assertThat(ConfigSources.merge(file, Map.of("node.id", "8")).texts())
                .containsEntry("node.id", "8")
                .containsEntry("num.partitions", "3");
    }

    @Test
    void saysThatThereIsNoSuchFile() {
        Path file = directory.resolve("none");

        assertThatThrownBy(() -> ConfigSources.merge(file, Map.of()))
                .isInstanceOf(UserException.class)
                .hasMessage("Cannot read the configuration file " + file + ": there is no such file or directory.");
    }

    @Test
    void refusesAMalformedFile() throws Exception {
        Path file = directory.resolve("malformed");
        Files.writeString(file, "a=\\u12");

        assertThatThrownBy(() -> ConfigSources.merge(file, Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("four hexadecimal digits");
    }

    @Test
    void readsAFileWithAByteOrderMark() throws Exception {
        Path file = Files.writeString(directory.resolve("marked"), "\uFEFFnode.id=7\n");

        assertThat(ConfigSources.merge(file, Map.of()).texts()).containsExactly(Map.entry("node.id", "7"));
    }

    @Test
    void saysThatAFileIsInAnotherEncoding() throws Exception {
        Path file = Files.write(directory.resolve("latin"), new byte[] {'a', '=', (byte) 0xe4, '\n'});

        assertThatThrownBy(() -> ConfigSources.merge(file, Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(file + " is not in UTF-8");
    }

    @Test
    void refusesAKeyThatAFileGivesTwice() throws Exception {
        Path file = Files.writeString(directory.resolve("twice"), "node.id=1\nnum.partitions=2\nnode.id=2\n");

        assertThatThrownBy(() -> ConfigSources.merge(file, Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessage("The configuration file " + file
                        + " gives 'node.id' twice, in line 1 and line 3. Give it once.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"broken line", "broken", "bro\\=ken", "\\\n  broken\\\nline"})
    void refusesALineWithoutAValue(String line) throws Exception {
        Path file = Files.writeString(directory.resolve("broken"), "# one\nnode.id=1\n" + line + "\n");

        assertThatThrownBy(() -> ConfigSources.merge(file, Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(file + ", line 3: there is no '=' behind 'bro")
                .hasMessageContaining("KEY=VALUE");
    }

    private UserException refusal(
            @Nullable Path file, Map<String, String> set, String option, String key, String value) {
        ConfigSources sources = ConfigSources.merge(file, set);
        if (!option.isEmpty()) {
            sources.override(option, key, value);
        }
        ConfigException wrong = catchThrowableOfType(ConfigException.class, () -> read(sources.texts()));
        return sources.toUserException(wrong, file != null);
    }

    @Test
    void blamesTheLineOfTheFile() throws Exception {
        Path file = Files.writeString(directory.resolve("f"), "# a\n\nnode.id=1\nnum.partitions=\\\n  many\n");
        Path unknown = Files.writeString(directory.resolve("u"), "\nlog.retention.houres=1\n");

        UserException value = refusal(file, Map.of("node.id", "2"), "", "", "");
        UserException key = refusal(unknown, Map.of(), "--port", "listeners", "PLAINTEXT://127.0.0.1:1");

        assertThat(value.exitCode()).isEqualTo(ExitCode.CONFIG);
        assertThat(value.line())
                .isEqualTo(file + ", line 4: Invalid value 'many' for num.partitions: allowed is 1 or more.");
        assertThat(key.exitCode()).isEqualTo(ExitCode.CONFIG);
        assertThat(key.line())
                .isEqualTo(unknown + ", line 2: Unknown configuration key 'log.retention.houres'; did you mean"
                        + " 'log.retention.hours'? docs/config.md lists all keys.");
    }

    @Test
    void blamesTheCommandLineByTheOptionThatWasTyped() throws Exception {
        Path file = Files.writeString(directory.resolve("f"), "num.partitions=many\n");

        UserException set = refusal(file, Map.of("num.partitions", "99999999999"), "", "", "");
        UserException data = refusal(file, Map.of("num.partitions", "1"), "--data", "log.dirs", "a,b");
        UserException told = refusal(null, Map.of(), "--advertise", "advertised.listeners", "PLAINTEXT://0.0.0.0:1");

        assertThat(set.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(set.line())
                .isEqualTo("--set: Invalid value '99999999999' for num.partitions: allowed is 1 or more, up to"
                        + " 2147483647.");
        assertThat(data.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(data.line()).startsWith("Invalid value 'a,b' for --data: allowed is one directory");
        assertThat(told.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(told.line()).startsWith("Invalid value '0.0.0.0:1' for --advertise: ");
    }

    @Test
    void refusesAKeyThatIsGivenTwiceInOtherWords() throws Exception {
        Path file = Files.writeString(directory.resolve("twice"), "node.id=1\n n\\u006fde.id : \\\n  2");

        assertThatThrownBy(() -> ConfigSources.merge(file, Map.of()))
                .hasMessageContaining("gives 'node.id' twice, in line 1 and line 2.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a=1\r\nb=2\rc=3\n\n\nd=4",
                "a=1\\\n    2\\\r\n\t3\nb=4",
                "a=one\\\\\nb=two\\\\\\\n#three\nc=",
                "# no comment goes on \\\na=1\n \f! nor this\\\nb=2",
                "a=1\\\n\nb=2",
                "a\\=b = c\\:d\n\\ e=\\tf\n=no key\n",
                "a=ends in \\",
                "   \\\n  a : 1"
            })
    void readsAFileAsJavaDoes(String text) throws Exception {
        Path file = Files.writeString(directory.resolve("file"), text);
        Properties expected = new Properties();
        expected.load(new StringReader(text));
        Map<String, String> texts = new HashMap<>();
        expected.stringPropertyNames()
                .forEach(key -> texts.put(key, expected.getProperty(key).strip()));

        assertThat(ConfigSources.merge(file, Map.of()).texts()).isEqualTo(texts);
    }

    @Test
    void refusesTheSamePortForClientsAndPages() {
        assertThatThrownBy(() -> read(Map.of("sluice.admin.port", "9092")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("PLAINTEXT://127.0.0.1:9092");
        assertThat(read(Map.of("sluice.admin.port", "9092", "sluice.admin.host", "127.0.0.2"))
                        .isAdminOpenToOthers())
                .isFalse();
        assertThat(read(Map.of("sluice.admin.host", "0.0.0.0")).isAdminOpenToOthers())
                .isTrue();
    }

    @Test
    void refusesBudgetsThatThisProcessCannotHave() {
        MachineLimits limits = new MachineLimits(512 << 20, 376 << 20, -1);

        limits.require(read(Map.of()).values());
        limits.require(read(Map.of("queued.max.request.bytes", "394264576")).values());
        assertThatThrownBy(() -> limits.require(
                        read(Map.of("queued.max.request.bytes", "394264577")).values()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("queued.max.request.bytes")
                .hasMessageContaining("at most 394264576");
        assertThatThrownBy(() -> limits.require(read(Map.of("log.cleaner.dedupe.buffer.size", "98566145"))
                        .values()))
                .hasMessageContaining("at most 98566144, a quarter of the direct memory");
        limits.require(read(Map.of("sluice.request.heap.bytes", "268435456")).values());
        assertThatThrownBy(() -> limits.require(
                        read(Map.of("sluice.request.heap.bytes", "268435457")).values()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("sluice.request.heap.bytes")
                .hasMessageContaining("at most 268435456, half of the heap (-Xmx");
        assertThatThrownBy(() -> limits.require(
                        read(Map.of("sluice.max.producers", "524289")).values()))
                .hasMessageContaining("at most 524288, as many as a quarter of the heap")
                .hasMessageContaining("256 bytes each");
    }

    @Test
    void refusesAMarkThatTheDiskCannotBeAbove() {
        var marked = read(Map.of("sluice.low.space.bytes", "1000000")).values();

        RoomLimit.require(marked, 1_000_001);
        RoomLimit.require(read(Map.of()).values(), 1);
        assertThatThrownBy(() -> RoomLimit.require(marked, 1_000_000))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("sluice.low.space.bytes")
                .hasMessageContaining("1000000 bytes");
    }

    @Test
    void takesAnyMarkWhereTheFileSystemDoesNotTellItsSize() {
        for (String mark : List.of("0", "268435456")) {
            RoomLimit.require(read(Map.of("sluice.low.space.bytes", mark)).values(), 0);
        }
    }

    @Test
    void takesTheMemoryOfTheCleanerAndOfProducersFromWhatThereIsUnlessTheyAreSet() {
        MachineLimits limits = new MachineLimits(512 << 20, 376 << 20, -1);
        var unset = read(Map.of()).values();
        assertThat(limits.keyMapBytes(unset)).isEqualTo((376 << 20) / 12).isGreaterThan(32 * 1_000_000);
        assertThat(limits.maxProducers(unset)).isEqualTo(131_072);
        assertThat(new MachineLimits(1, 64L << 30, -1).keyMapBytes(unset)).isEqualTo(1 << 30);
        assertThat(new MachineLimits(1 << 20, 1 << 20, -1).keyMapBytes(unset)).isEqualTo(1 << 20);
        assertThat(new MachineLimits(1 << 20, 1, -1).maxProducers(unset)).isEqualTo(1_000);

        var set = read(Map.of("log.cleaner.dedupe.buffer.size", "2097152", "sluice.max.producers", "5000"))
                .values();
        assertThat(limits.keyMapBytes(set)).isEqualTo(2 << 20);
        assertThat(limits.maxProducers(set)).isEqualTo(5_000);

        assertThatThrownBy(() -> read(Map.of("log.cleaner.dedupe.buffer.size", "1073741825")))
                .hasMessageContaining("1048576 to 1073741824");
        assertThatThrownBy(() -> limits.require(
                        read(Map.of("sluice.max.producers", "524289")).values()))
                .hasMessageContaining("-Xmx");
    }

    @Test
    void segmentsLeaveHalfOfTheDescriptorsToOthers() {
        var unset = read(Map.of()).values();
        var many = read(Map.of("sluice.max.open.files", "100000")).values();

        assertThat(new MachineLimits(1 << 20, 1, 592).openFiles(unset)).isEqualTo(200);
        assertThat(new MachineLimits(1 << 20, 1, 20_192).openFiles(unset)).isEqualTo(4096);
        assertThat(new MachineLimits(1 << 20, 1, 20_192).openFiles(many)).isEqualTo(10_000);
        assertThat(new MachineLimits(1 << 20, 1, 300).openFiles(many)).isEqualTo(64);
        assertThat(new MachineLimits(1 << 20, 1, -1).openFiles(many)).isEqualTo(100_000);
    }

    @Test
    void connectionsAreNoMoreThanThereAreDescriptorsFor() {
        var unset = read(Map.of()).values();
        var few = read(Map.of("max.connections", "10", "sluice.max.open.files", "64"))
                .values();

        assertThat(new MachineLimits(1 << 20, 1, 300).connections(unset)).isEqualTo(300 - 192 - 64);
        assertThat(new MachineLimits(1 << 20, 1, 20_192).connections(unset)).isEqualTo(20_000 - 4096);
        assertThat(new MachineLimits(1 << 20, 1, 300).connections(few)).isEqualTo(10);
        assertThat(new MachineLimits(1 << 20, 1, Long.MAX_VALUE).connections(unset))
                .isEqualTo(Integer.MAX_VALUE);
        assertThat(new MachineLimits(1 << 20, 1, -1).connections(unset)).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void refusesFewerDescriptorsThanANodeCanDoWith() {
        new MachineLimits(1 << 20, 1, 288).requireDescriptors();
        new MachineLimits(1 << 20, 1, -1).requireDescriptors();

        assertThatThrownBy(() -> new MachineLimits(1 << 20, 1, 287).requireDescriptors())
                .isInstanceOf(UserException.class)
                .hasMessageContainingAll("only 287 files and connections open", "needs 288", "65536", "LimitNOFILE");
    }
}
