package io.sluice.base.error;

/** Texts of libraries as sentences for people. */
public final class Sentence {
    private Sentence() {}

    /** In one line, with a full stop unless it ends already. */
    public static String of(String text) {
        String line = text.replaceAll("\\s*\\R\\s*", " ").strip();
        return line.endsWith(".") || line.endsWith("?") || line.endsWith("!") ? line : line + ".";
    }
}
