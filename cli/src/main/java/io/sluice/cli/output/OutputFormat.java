package io.sluice.cli.output;

/** For whom a result is printed; the names are the option's values. */
public enum OutputFormat {
    /** For people, and for line-by-line tools. */
    text,
    /** For programs. */
    json
}
