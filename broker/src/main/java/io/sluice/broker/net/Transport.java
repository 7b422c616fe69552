package io.sluice.broker.net;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;

/** How sockets are served. */
public enum Transport {
    /** The system's own, on Linux. */
    EPOLL(EpollServerSocketChannel.class),
    /** Java's, everywhere. */
    NIO(NioServerSocketChannel.class);

    private final Class<? extends ServerChannel> serverChannel;

    Transport(Class<? extends ServerChannel> serverChannel) {
        this.serverChannel = serverChannel;
    }

    /** The best one that this machine has. */
    public static Transport best() {
        return Epoll.isAvailable() ? EPOLL : NIO;
    }

    Class<? extends ServerChannel> serverChannel() {
        return serverChannel;
    }

    IoHandlerFactory handlers() {
        return this == EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }
}
