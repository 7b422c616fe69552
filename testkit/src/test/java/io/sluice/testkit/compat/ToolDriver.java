package io.sluice.testkit.compat;

import io.sluice.testkit.process.NamedThreads;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.utils.internals.Exit;
import org.jspecify.annotations.Nullable;

/**
 * Runs Kafka's command line tools one after the other in one JVM, which is ten times as fast as a JVM for each. Commands come on
 * standard input (count, then the class and its arguments), what they print and their exit status goes to standard output; both
 * in {@link java.io.DataOutput}'s format.
 */
final class ToolDriver {
    /** Exit status of a tool that ended with an exception, as of a JVM's. */
    private static final int UNCAUGHT = 1;

    /** Exit status of one that did not end; the driver is not to be used any more, since that tool may go on printing. */
    static final int TIMED_OUT = 124;

    private static final int SECONDS = 60;

    private final DataInputStream commands;
    private final DataOutputStream answers;

    private ToolDriver(DataInputStream commands, DataOutputStream answers) {
        this.commands = commands;
        this.answers = answers;
    }

    /** Thrown where a tool would end the JVM. */
    private static final class Exited extends Error {
        private static final long serialVersionUID = 1L;

        Exited() {
            super("exit", null, false, false);
        }
    }

    /** One command: what it has printed, and the first exit status it asked for; later ones come from its own error handling. */
    private static final class Run {
        private final ByteArrayOutputStream output = new ByteArrayOutputStream();
        private @Nullable Integer exitStatus;
        private byte[] outputAtExit = new byte[0];

        void onExit(int status) {
            if (exitStatus == null) {
                exitStatus = status;
                outputAtExit = output.toByteArray();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        new ToolDriver(new DataInputStream(System.in), new DataOutputStream(out)).serve();
    }

    private void serve() throws Exception {
        System.setIn(InputStream.nullInputStream());
        for (int count = commands.read(); count > 0; count = commands.read()) {
            String[] command = new String[count];
            for (int i = 0; i < count; i++) {
                command[i] = commands.readUTF();
            }
            answer(run(command));
        }
    }

    private void answer(Run run) throws IOException {
        answers.writeInt(Objects.requireNonNull(run.exitStatus));
        answers.writeInt(run.outputAtExit.length);
        answers.write(run.outputAtExit);
        answers.flush();
    }

    private static Run run(String[] command) throws InterruptedException, ExecutionException {
        Run run = new Run();
        Exit.setExitProcedure((status, message) -> {
            run.onExit(status);
            throw new Exited();
        });
        PrintStream printer = new PrintStream(run.output, true, StandardCharsets.UTF_8);
        System.setOut(printer);
        System.setErr(printer);
        FutureTask<Integer> main = new FutureTask<>(() -> callMain(command, printer));
        NamedThreads.start("tool", main);
        try {
            run.onExit(main.get(SECONDS, TimeUnit.SECONDS));
        } catch (TimeoutException e) {
            printer.println("The tool had not ended after " + SECONDS + " s.");
            run.onExit(TIMED_OUT);
        }
        return run;
    }

    private static int callMain(String[] command, PrintStream printer) throws ReflectiveOperationException {
        String[] arguments = java.util.Arrays.copyOfRange(command, 1, command.length);
        try {
            Class.forName(command[0]).getMethod("main", String[].class).invoke(null, (Object) arguments);
            return 0;
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof Exited)) {
                printer.println("Exception in thread \"main\" " + e.getCause());
            }
            return UNCAUGHT;
        }
    }
}
