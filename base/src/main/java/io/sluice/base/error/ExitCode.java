package io.sluice.base.error;

/** What a command ends with. Documented in docs/cli.md; numbers follow BSD's sysexits where it has one. */
public enum ExitCode {
    /** Everything asked for was done. */
    OK(0),
    /** The command ran and found something wrong, or part of the work failed. */
    FAILED(1),
    /** Unknown option, missing argument, wrong value on the command line, whoever finds it. */
    USAGE(64),
    /** Input data is wrong: a damaged file, a directory of another cluster or of a newer format. */
    BAD_DATA(65),
    /** No node answers at the address given. */
    UNAVAILABLE(69),
    /** A defect of Sluice. */
    INTERNAL(70),
    /** The machine does not allow it: port in use, directory not writable or held by another process. */
    CANNOT_CREATE(73),
    /** Reading or writing failed. */
    IO_ERROR(74),
    /** The configuration file holds an unknown key or a value that is not allowed. */
    CONFIG(78);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    /** The number the process ends with. */
    public int code() {
        return code;
    }
}
