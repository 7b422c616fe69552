package io.sluice.base.metadata;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Kafka's rules for names of topics. */
public final class TopicNames {
    /** Longest name. */
    public static final int MAX_LENGTH = 249;

    /** Committed offsets and group state. */
    public static final String CONSUMER_OFFSETS = "__consumer_offsets";

    /** State of transactions. */
    public static final String TRANSACTION_STATE = "__transaction_state";

    /** State of share groups. */
    public static final String SHARE_GROUP_STATE = "__share_group_state";

    private static final Set<String> INTERNAL = Set.of(CONSUMER_OFFSETS, TRANSACTION_STATE, SHARE_GROUP_STATE);

    private TopicNames() {}

    /** Whether the topic belongs to the broker itself. */
    public static boolean isInternal(String name) {
        return INTERNAL.contains(name);
    }

    /** Why the name is not allowed, in one line; null when it is. */
    public static @Nullable String fault(String name) {
        if (name.isEmpty()) {
            return "The topic name is empty; allowed are 1 to " + MAX_LENGTH
                    + " letters, digits, dots, underscores and dashes.";
        }
        if (name.equals(".") || name.equals("..")) {
            return "The topic name '" + name + "' is not allowed: it means a directory.";
        }
        if (name.length() > MAX_LENGTH) {
            return "The topic name '" + name + "' has " + name.length() + " characters; allowed are " + MAX_LENGTH
                    + ".";
        }
        for (int i = 0; i < name.length(); i++) {
            if (!isAllowed(name.charAt(i))) {
                return "The topic name '" + name
                        + "' is not allowed: only letters, digits, dots, underscores and dashes may be in it.";
            }
        }
        return null;
    }

    /** The form in which names that differ only in dots and underscores are the same (Kafka refuses a second one). */
    public static String collisionKey(String name) {
        return name.replace('.', '_');
    }

    private static boolean isAllowed(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '.'
                || c == '_'
                || c == '-';
    }
}
