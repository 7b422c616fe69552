package io.sluice.cli.record;

/** How a record is printed; the names are the option's values. */
enum RecordFormat {
    /** The value as it is, after the key if a key separator is given. */
    text,
    /** One JSON object a line, with everything the record has. */
    json,
    /** As text, but in hexadecimal. */
    hex
}
