package io.sluice.benchmarks.floor;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;

/** Listens on loopback and acknowledges everything at once. */
public final class FloorBroker {
    private static final int MAX_FRAME_BYTES = 100 << 20;
    private static final int SIZE_BYTES = 4;
    private static final int EVENT_LOOPS = 2;

    private FloorBroker() {}

    /** {@code FloorBroker PORT}: serves until the process ends. */
    public static void main(String[] args) throws InterruptedException {
        int port = Integer.parseInt(args[0]);
        boolean epoll = Epoll.isAvailable();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
                EVENT_LOOPS, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        Class<? extends ServerChannel> channelType =
                epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        FloorAnswers answers = new FloorAnswers(port);
        new ServerBootstrap()
                .group(loops)
                .channel(channelType)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        new LengthFieldBasedFrameDecoder(MAX_FRAME_BYTES, 0, SIZE_BYTES, 0, SIZE_BYTES))
                                .addLast(new FloorHandler(answers));
                    }
                })
                .bind("127.0.0.1", port)
                .sync()
                .channel()
                .closeFuture()
                .sync();
    }
}
