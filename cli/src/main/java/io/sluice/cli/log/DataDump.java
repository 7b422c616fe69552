package io.sluice.cli.log;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.journal.JournalInspection;
import io.sluice.storage.local.DataDirectory;
import io.sluice.storage.local.SegmentInspection;
import io.sluice.storage.local.content.Catalogue;
import io.sluice.storage.local.content.LogIdentity;
import io.sluice.storage.local.segment.SegmentName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Walks over a data directory and tells what is there. For one thread. */
final class DataDump {
    private static final Pattern LOG_NAME = Pattern.compile("(\\d+)-(.+)-(\\d+)");

    private final FileSystem files;
    private final ZoneId zone;
    private final boolean summary;
    private final Consumer<DumpLine> lines;
    private boolean foundDamage;
    private boolean foundTopic;

    /**
     * A dump that has not begun.
     *
     * @param summary whether batches, blocks and entries are checked but not told
     * @param lines takes what is found, in order
     */
    DataDump(FileSystem files, ZoneId zone, boolean summary, Consumer<DumpLine> lines) {
        this.files = files;
        this.zone = zone;
        this.summary = summary;
        this.lines = lines;
    }

    /** Whether something was found that is not as it was written. */
    boolean foundDamage() {
        return foundDamage;
    }

    /**
     * Tells everything, or one topic's logs.
     *
     * @param topic only this one, without the journal; null for all
     */
    void dump(Path directory, Path journal, @Nullable String topic) throws IOException {
        dumpMeta(directory);
        if (holdsLogs(directory)) {
            // Written before the first log; a start refuses logs without them.
            require(directory.resolve(Catalogue.FILE_NAME), "restore it from the copy that the logs are from");
            require(directory.resolve(DataDirectory.METADATA), "restore it from the copy that the logs are from");
        }
        if (files.isDirectory(directory.resolve(DataDirectory.LOGS))) {
            for (String name : files.list(directory.resolve(DataDirectory.LOGS))) {
                dumpLog(directory.resolve(DataDirectory.LOGS).resolve(name), name, topic);
            }
        }
        dumpMissing(directory, journal, topic);
        if (topic == null) {
            dumpJournal(journal);
        } else if (!foundTopic) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    "There is no log of a topic '" + topic + "' in " + directory + ". Without --topic all are shown.");
        }
    }

    /** Files that the catalogue lists and that are gone or too short; of a directory that holds no log, all of them. */
    private void dumpMissing(Path directory, Path journal, @Nullable String topic) throws IOException {
        try {
            for (SegmentInspection.Missing missing : SegmentInspection.inspect(files, directory, journal)) {
                if (topic == null || topic.equals(missing.log().topicName())) {
                    foundDamage = true;
                    foundTopic = true;
                    tell(
                            "missing",
                            1,
                            "path",
                            missing.file(),
                            "topic",
                            missing.log().topicName(),
                            "partition",
                            missing.log().partition().partition(),
                            "firstOffset",
                            missing.firstOffset(),
                            "lastOffset",
                            missing.lastOffset(),
                            "advice",
                            missing.fileMissing()
                                    ? "restore it from a copy"
                                    : "it has become shorter: restore it from a copy");
                }
            }
        } catch (UserException e) { // of the catalogue itself
            foundDamage = true;
            tell("damage", 1, "file", directory.resolve(Catalogue.FILE_NAME), "what", e.line());
        }
    }

    /** A node makes its first file before anything else; without any, what was not checkpointed is lost. */
    private void dumpJournal(Path journal) throws IOException {
        JournalDump dump = new JournalDump();
        if (files.exists(journal)) {
            JournalInspection.inspect(files, journal, dump);
        }
        if (dump.dumped == 0) {
            tellMissing(journal, "where sluice.journal.dir is set, name it with --journal");
        }
    }

    private void dumpMeta(Path directory) throws IOException {
        DataDirectory.Meta meta = DataDirectory.readMeta(files, directory);
        if (meta != null) {
            tell(
                    "directory",
                    0,
                    "path",
                    directory,
                    "format",
                    meta.format(),
                    "clusterId",
                    meta.clusterId(),
                    "nodeId",
                    meta.nodeId());
            return;
        }
        if (!holdsLogs(directory)) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    directory + " is no data directory: there is no " + DataDirectory.META_FILE
                            + " and no log of Sluice's in it.");
        }
        tell("directory", 0, "path", directory);
        require(directory.resolve(DataDirectory.META_FILE), "restore it from a copy");
    }

    private boolean holdsLogs(Path directory) throws IOException {
        Path logs = directory.resolve(DataDirectory.LOGS);
        if (files.isDirectory(logs)) {
            for (String name : files.list(logs)) {
                if (LOG_NAME.matcher(name).matches() && !isForeign(logs.resolve(name))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Another program may have such names: there are files, and none of a segment. */
    private boolean isForeign(Path path) throws IOException {
        if (!files.isDirectory(path)) {
            return true;
        }
        List<String> names = files.list(path);
        return !names.isEmpty()
                && names.stream().noneMatch(name -> SegmentName.parseAny(name) != null || LogIdentity.isSetAside(name));
    }

    /** Tells what is missing: the directory does not hold everything that was acknowledged. */
    private void require(Path path, String advice) throws IOException {
        if (!files.exists(path)) {
            tellMissing(path, advice);
        }
    }

    private void tellMissing(Path path, String advice) {
        foundDamage = true;
        tell("missing", 1, "path", path, "advice", advice);
    }

    private void dumpLog(Path path, String name, @Nullable String topic) throws IOException {
        Matcher matcher = LOG_NAME.matcher(name);
        boolean isLog = matcher.matches() && !isForeign(path);
        if (topic != null && !(isLog && matcher.group(2).equals(topic))) {
            return;
        }
        if (name.equals(DataDirectory.JOURNAL_NOTE)) {
            return;
        }
        if (!isLog) {
            tell("other", 1, "path", path, "advice", "not Sluice's: move it elsewhere");
            return;
        }
        foundTopic = true;
        tell(
                "log",
                1,
                "logId",
                Long.parseLong(matcher.group(1)),
                "topic",
                matcher.group(2),
                "partition",
                Integer.parseInt(matcher.group(3)));
        for (String file : files.list(path)) {
            SegmentName segment = SegmentName.parse(file);
            if (segment != null) {
                foundDamage |= new SegmentDump(files, zone, summary, lines).dump(path.resolve(file), segment);
            }
        }
    }

    private void tell(String kind, int depth, Object... values) {
        lines.accept(line(kind, depth, values));
    }

    /** A line of names and values in turn. */
    static DumpLine line(String kind, int depth, Object... values) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < values.length; i += 2) {
            Object value = values[i + 1];
            map.put((String) values[i], value instanceof Path path ? path.toString() : value);
        }
        return new DumpLine(kind, depth, map);
    }

    /** Tells what the journal holds. */
    private final class JournalDump implements JournalInspection.Visitor {
        private int dumped;
        private long blocks;
        private long entries;

        @Override
        public void onFile(JournalInspection.FileDescription file) {
            dumped++;
            blocks = 0;
            entries = 0;
            tell(
                    "journal",
                    1,
                    "file",
                    file.file(),
                    "bytes",
                    file.bytes(),
                    "generation",
                    file.generation(),
                    "previousGeneration",
                    file.previousGeneration(),
                    "position",
                    file.position(),
                    "releasedPosition",
                    file.releasedPosition());
        }

        @Override
        public void onBlock(JournalInspection.BlockDescription block) {
            blocks++;
            if (!summary) {
                tell(
                        "block",
                        2,
                        "filePosition",
                        block.filePosition(),
                        "bytes",
                        block.bytes(),
                        "sequence",
                        block.sequence(),
                        "position",
                        block.position(),
                        "releasedPosition",
                        block.releasedPosition(),
                        "cleanStop",
                        block.cleanStop());
            }
        }

        @Override
        public void onEntry(JournalInspection.EntryDescription entry) {
            entries++;
            if (!summary) {
                tell(
                        "entry",
                        3,
                        "entryKind",
                        String.valueOf(entry.kind()),
                        "part",
                        entry.part(),
                        "logId",
                        entry.logId(),
                        "argument",
                        entry.argument(),
                        "bytes",
                        entry.bytes(),
                        "payloadBytes",
                        entry.payloadBytes());
            }
        }

        @Override
        public void onEnd(Path file, long position, boolean laterBlocks) {
            tell("journal end", 2, "filePosition", position, "blocks", blocks, "entries", entries);
            if (laterBlocks) {
                foundDamage = true;
                tell("damage", 2, "file", file, "position", position, "what", "whole blocks follow behind a hole");
            }
        }
    }
}
