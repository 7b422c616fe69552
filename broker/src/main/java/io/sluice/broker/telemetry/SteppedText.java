package io.sluice.broker.telemetry;

/** A text that can be looked at so many times only, because a pattern may go over it again and again. For one thread. */
final class SteppedText implements CharSequence {
    private final String text;
    private int stepsLeft;

    SteppedText(String text, int steps) {
        this.text = text;
        this.stepsLeft = steps;
    }

    /** It was looked at too often. */
    static final class TooManyStepsException extends RuntimeException {
        TooManyStepsException() {
            super("a pattern takes too many steps", null, false, false);
        }
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public char charAt(int index) {
        if (--stepsLeft < 0) {
            throw new TooManyStepsException();
        }
        return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.subSequence(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
