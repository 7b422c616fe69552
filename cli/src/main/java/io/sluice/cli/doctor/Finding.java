package io.sluice.cli.doctor;

/**
 * What one check found.
 *
 * @param check what was looked at
 * @param status how bad it is
 * @param found what there is
 * @param advice what to do, empty when all is well
 */
record Finding(String check, Status status, String found, String advice) {
    /** How bad it is. */
    enum Status {
        /** As it should be. */
        OK,
        /** Works, but not as well or as safely as it could. */
        WARNING,
        /** A node would not start here, or would not keep its promises. */
        PROBLEM
    }

    static Finding ok(String check, String found) {
        return new Finding(check, Status.OK, found, "");
    }

    static Finding warning(String check, String found, String advice) {
        return new Finding(check, Status.WARNING, found, advice);
    }

    static Finding problem(String check, String found, String advice) {
        return new Finding(check, Status.PROBLEM, found, advice);
    }
}
