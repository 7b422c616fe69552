package io.sluice.cli.connect;

import java.util.Locale;

/**
 * What a request was about, so that its failure can be told of by name.
 *
 * @param kind of what kind it is
 * @param name what it is called
 */
public record Subject(Kind kind, String name) {
    /** What there is to ask about, with the command that lists them. */
    public enum Kind {
        /** A topic. */
        TOPIC("sluice topic list"),
        /** A group. */
        GROUP("sluice group list");

        private final String listing;

        Kind(String listing) {
            this.listing = listing;
        }
    }

    /** A topic. */
    public static Subject topic(String name) {
        return new Subject(Kind.TOPIC, name);
    }

    /** A group. */
    public static Subject group(String name) {
        return new Subject(Kind.GROUP, name);
    }

    /** A sentence for one that does not exist. */
    public String missing() {
        return "There is no " + noun() + " '" + name + "'. '" + kind.listing + "' shows those there are.";
    }

    /** A sentence about it, which is named unless the sentence does so itself. */
    public String says(String sentence) {
        if (sentence.contains("'" + name + "'")) {
            return sentence;
        }
        String noun = noun();
        return Character.toUpperCase(noun.charAt(0)) + noun.substring(1) + " '" + name + "': " + sentence;
    }

    /** Its kind in a word. */
    String noun() {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
