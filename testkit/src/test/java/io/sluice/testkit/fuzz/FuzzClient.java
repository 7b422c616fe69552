package io.sluice.testkit.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;

/** Opens one connection after the other, sends a few spoiled frames on each and reads what comes. */
final class FuzzClient implements Runnable {
    private static final int FRAMES_A_CONNECTION = 20;
    private static final int READ_MILLIS = 20;
    private static final int CONNECT_MILLIS = 10_000;
    private static final int PROGRESS_EVERY = 50_000;

    private final InetSocketAddress address;
    private final Mutation mutation;
    private final int frames;

    FuzzClient(InetSocketAddress address, Mutation mutation, int frames) {
        this.address = address;
        this.mutation = mutation;
        this.frames = frames;
    }

    @Override
    public void run() {
        int sent = 0;
        while (sent < frames) {
            try {
                sent += connection();
            } catch (ConnectException | SocketTimeoutException e) {
                throw new IllegalStateException("The broker takes no connection after " + sent + " frames", e);
            } catch (IOException e) {
                // Closed while we were writing: that is the right answer to most of what we send.
                sent += FRAMES_A_CONNECTION;
            }
            if (sent % PROGRESS_EVERY < FRAMES_A_CONNECTION) {
                System.out.println("fuzz: " + sent + " of " + frames + " frames of this thread");
            }
        }
    }

    private int connection() throws IOException {
        try (Socket socket = new Socket()) {
            // Closing resets the connection, so that no port stays in TIME_WAIT.
            socket.setSoLinger(true, 0);
            socket.setSoTimeout(READ_MILLIS);
            socket.connect(address, CONNECT_MILLIS);
            ByteArrayOutputStream batch = new ByteArrayOutputStream();
            for (int i = 0; i < FRAMES_A_CONNECTION; i++) {
                batch.writeBytes(mutation.next());
            }
            socket.getOutputStream().write(batch.toByteArray());
            drain(socket.getInputStream());
        }
        return FRAMES_A_CONNECTION;
    }

    private static void drain(InputStream in) throws IOException {
        byte[] buffer = new byte[16 << 10];
        try {
            int read = in.read(buffer);
            while (read >= 0) {
                read = in.read(buffer);
            }
        } catch (SocketTimeoutException e) {
            // Nothing more for now: some requests wait on purpose.
            return;
        }
    }
}
