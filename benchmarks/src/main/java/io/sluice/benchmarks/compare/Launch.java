package io.sluice.benchmarks.compare;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Processes, ports and directories. */
final class Launch {
    private static final long READY_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int CONNECT_MILLIS = 200;

    private static final Queue<Process> STARTED = new ConcurrentLinkedQueue<>();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> STARTED.forEach(Process::destroyForcibly), "end-brokers"));
    }

    private Launch() {}

    /** Ends what a cell that failed has left running; the others have ended by themselves. */
    static void endAll() throws InterruptedException {
        for (Process process = STARTED.poll(); process != null; process = STARTED.poll()) {
            process.destroyForcibly().waitFor();
        }
    }

    /** Starts a contender on a directory and waits until its port answers. */
    static BrokerProcess start(Contender contender, Path directory, int port) throws IOException {
        Path log = directory.resolveSibling(directory.getFileName() + ".log");
        Process process = new ProcessBuilder(contender.command(directory, port))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        STARTED.add(process);
        BrokerProcess broker = new BrokerProcess(process, "127.0.0.1:" + port);
        awaitPort(process, port, log);
        return broker;
    }

    private static void awaitPort(Process process, int port, Path log) throws IOException {
        long deadline = System.nanoTime() + READY_NANOS;
        while (!answers(port)) {
            if (!process.isAlive()) {
                throw new IOException("the broker ended with " + process.exitValue() + "; see " + log);
            }
            if (System.nanoTime() > deadline) {
                throw new IOException("nothing listens on port " + port + " after 120 s; see " + log);
            }
            LockSupport.parkNanos(RETRY_NANOS);
        }
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false; // nobody listens yet: the caller tries again until its deadline
        }
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** A command that runs a main class of this class path. */
    static List<String> java(String maxHeap, List<String> jvmOptions, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + maxHeap);
        command.addAll(jvmOptions);
        command.add("-cp");
        command.add(absoluteClassPath());
        command.add(mainClass);
        command.addAll(arguments);
        return command;
    }

    private static String absoluteClassPath() {
        return System.getProperty("java.class.path").replace("::", File.pathSeparator);
    }

    static void deleteTree(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
