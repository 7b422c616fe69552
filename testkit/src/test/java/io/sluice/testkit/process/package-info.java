/**
 * Child processes: started with their output kept, watched for a ready line, killed, stopped. Start reading at {@link io.sluice.testkit.process.ChildProcess}. Output is read by one daemon thread a process; everything else runs on the caller's thread.
 */
@NullMarked
package io.sluice.testkit.process;

import org.jspecify.annotations.NullMarked;
