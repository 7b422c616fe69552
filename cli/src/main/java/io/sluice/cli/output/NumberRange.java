package io.sluice.cli.output;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What is allowed for an option that is a number; checked before the command runs, and named in messages. */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface NumberRange {
    /** The least. */
    long min() default Long.MIN_VALUE;

    /** The largest. */
    long max() default Long.MAX_VALUE;
}
