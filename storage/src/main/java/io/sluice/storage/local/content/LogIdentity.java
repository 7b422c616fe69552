package io.sluice.storage.local.content;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which log it is.
 *
 * @param logId number of the log, never used again
 * @param partition whose log it is
 * @param topicName for file names and messages
 */
public record LogIdentity(long logId, PartitionId partition, String topicName) {
    private static final int NAME_IN_PATH = 200;
    /** What the directory name of a deleted log ends with. */
    public static final String DELETED_SUFFIX = ".deleted";

    /** What the directory name of a log ends with that was set aside because only a lost journal knew it. */
    public static final String UNCLAIMED_SUFFIX = ".unclaimed";

    private static final Pattern DIRECTORY = Pattern.compile("(\\d{1,18})-.*-\\d+");

    /** Name of its directory: number of the log, topic (cut off where it is very long), partition. */
    public String directoryName() {
        String name = topicName.length() > NAME_IN_PATH ? topicName.substring(0, NAME_IN_PATH) : topicName;
        return logId + "-" + name + "-" + partition.partition();
    }

    /** Name of its directory once it is deleted. */
    public String deletedDirectoryName() {
        return directoryName() + DELETED_SUFFIX;
    }

    /** Whether a directory of this name is left of a deleted log. */
    public static boolean isDeletedDirectory(String name) {
        return name.endsWith(DELETED_SUFFIX)
                && logIdOf(name.substring(0, name.length() - DELETED_SUFFIX.length())) >= 0;
    }

    /** Whether a file or directory of this name was set aside. */
    public static boolean isSetAside(String name) {
        return name.endsWith(UNCLAIMED_SUFFIX);
    }

    /** Number of the log that a directory of this name belongs to, or -1 where it is none of a log. */
    public static long logIdOf(String directoryName) {
        Matcher matcher = DIRECTORY.matcher(directoryName);
        return matcher.matches() ? Long.parseLong(matcher.group(1)) : -1;
    }

    /** The name by which people know it. */
    public String displayName() {
        return topicName + "-" + partition.partition();
    }

    /** Writes all but the number. */
    public void writeTo(ByteBuf out) {
        out.writeLong(partition.topicId().mostSignificantBits())
                .writeLong(partition.topicId().leastSignificantBits())
                .writeInt(partition.partition())
                .writeShort(ByteBufUtil.utf8Bytes(topicName));
        ByteBufUtil.writeUtf8(out, topicName);
    }

    /** Reads what {@link #writeTo} wrote. */
    public static LogIdentity readFrom(long logId, ByteBuf in) {
        TopicId topicId = new TopicId(in.readLong(), in.readLong());
        int partition = in.readInt();
        int length = in.readUnsignedShort();
        String name = in.readCharSequence(length, StandardCharsets.UTF_8).toString();
        return new LogIdentity(logId, new PartitionId(topicId, partition), name);
    }
}
