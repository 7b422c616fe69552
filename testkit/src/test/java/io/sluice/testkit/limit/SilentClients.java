package io.sluice.testkit.limit;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A program that opens connections, says hello on each and then keeps silent. Prints {@code open} when all are. Arguments:
 * own address, broker's address, port, count. Needs nothing but the JDK on its class path.
 */
public final class SilentClients {
    /** ApiVersions v0, correlation id 0, client id "silent". */
    private static final byte[] HELLO = {0, 0, 0, 16, 0, 18, 0, 0, 0, 0, 0, 0, 0, 6, 's', 'i', 'l', 'e', 'n', 't'};

    private SilentClients() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        InetAddress own = InetAddress.getAllByName(arguments[0])[0];
        InetAddress address = InetAddress.getAllByName(arguments[1])[0];
        int port = Integer.parseInt(arguments[2]);
        int count = Integer.parseInt(arguments[3]);
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sockets.add(hello(own, address, port));
        }
        System.out.println("open " + sockets.size());
        new CountDownLatch(1).await();
    }

    private static Socket hello(InetAddress own, InetAddress address, int port) throws IOException {
        Socket socket = new Socket(address, port, own, 0);
        socket.getOutputStream().write(HELLO);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.skipNBytes(in.readInt());
        return socket;
    }
}
