package io.sluice.server.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import io.sluice.cli.connect.ListenProbe;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves pages by path over HTTP/1.1 (GET and HEAD). Bounded: so many connections, of which a new one replaces the one silent
 * for longest, requests of a few KiB, one page at a time to each client, so many seconds without traffic. Pages are made on
 * its one event loop and must not block.
 */
public final class AdminServer implements AutoCloseable {
    private static final int MAX_REQUEST_BYTES = 16 * 1024;
    private static final int BYTES_A_READ = 4 * 1024;
    private static final int MAX_CONNECTIONS = 64;
    private static final int IDLE_SECONDS = 30;
    private static final long QUIET_MILLIS = 0;
    private static final long STOP_MILLIS = 500;

    private final MultiThreadIoEventLoopGroup group;
    private final Channel channel;

    private AdminServer(MultiThreadIoEventLoopGroup group, Channel channel) {
        this.group = group;
        this.channel = channel;
    }

    /**
     * Listens.
     *
     * @param port 0 takes any free one
     * @param pages by path, without query
     * @throws UserException when the address cannot be had
     */
    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for a group that never served
    public static AdminServer start(String host, int port, Map<String, Supplier<Page>> pages, ThreadFactory threads) {
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, threads, NioIoHandler.newFactory());
        OpenConnections connections = new OpenConnections(MAX_CONNECTIONS);
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(BYTES_A_READ))
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel accepted) {
                        accept(accepted, connections, pages);
                    }
                });
        ChannelFuture bound = bootstrap.bind(new InetSocketAddress(host, port)).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            group.shutdownGracefully(QUIET_MILLIS, STOP_MILLIS, TimeUnit.MILLISECONDS);
            throw refused(host, port, reason(bound.cause()), bound.cause());
        }
        return new AdminServer(group, bound.channel());
    }

    /**
     * Refuses an address that cannot be had, without keeping it where it can.
     *
     * @throws UserException for such an address
     */
    public static void requireFree(String host, int port) {
        ListenProbe.Refusal refusal = ListenProbe.refusal(host, port);
        if (refusal != null) {
            throw refused(host, port, refusal.reason(), null);
        }
    }

    private static UserException refused(String host, int port, String reason, @Nullable Throwable cause) {
        return new UserException(
                ExitCode.CANNOT_CREATE,
                "Cannot listen on the admin port " + host + ":" + port + " (" + reason
                        + "). Choose another with --admin-port N, where 0 takes any free one, or another sluice.admin.host.",
                cause);
    }

    private static void accept(SocketChannel accepted, OpenConnections connections, Map<String, Supplier<Page>> pages) {
        connections.add(accepted);
        accepted.pipeline()
                .addLast(
                        new ReadTimeoutHandler(IDLE_SECONDS),
                        new HttpServerCodec(),
                        new HttpObjectAggregator(MAX_REQUEST_BYTES),
                        new FlowControlHandler(),
                        new PageHandler(pages, connections));
    }

    private static String reason(Throwable cause) {
        return cause instanceof IOException io ? FileFailures.reason(io) : "this machine has no such address";
    }

    /** The port it listens on. */
    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly(STOP_MILLIS);
        group.shutdownGracefully(QUIET_MILLIS, STOP_MILLIS, TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(STOP_MILLIS);
    }
}
