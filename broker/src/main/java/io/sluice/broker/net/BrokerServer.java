package io.sluice.broker.net;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.base.memory.CountedAllocator;
import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import io.sluice.broker.api.HandlerRegistry;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for clients and serves them with the handlers given. Its event loops are the threads that do the broker's work;
 * it makes no others. {@link #start} and {@link #close} may block and are for the thread that starts and stops the node.
 */
public final class BrokerServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerServer.class);
    private static final int WRITABLE_BELOW_BYTES = 32 << 10;
    private static final int UNWRITABLE_ABOVE_BYTES = 64 << 10;
    private static final long LOOP_STOP_MILLIS = 1_000;

    private final FrontConfig config;
    private final Transport transport;
    private final Front front;
    private final Metrics metrics;
    private final Clock clock;
    private final MultiThreadIoEventLoopGroup group;
    private final IdentityHashMap<EventLoop, LoopState> loops = new IdentityHashMap<>();
    private final List<Channel> serverChannels = new ArrayList<>();
    private final List<BoundListener> listeners = new ArrayList<>();
    private volatile boolean stopping;

    /** A server that listens on nothing yet; its event loops stand ready. */
    public BrokerServer(
            FrontConfig config,
            HandlerRegistry registry,
            CountedAllocator allocator,
            Metrics metrics,
            Clock clock,
            Scheduler scheduler) {
        this(config, registry, allocator, metrics, clock, scheduler, Transport.best());
    }

    /** The same, on a transport of one's choice. */
    public BrokerServer(
            FrontConfig config,
            HandlerRegistry registry,
            CountedAllocator allocator,
            Metrics metrics,
            Clock clock,
            Scheduler scheduler,
            Transport transport) {
        this.config = config;
        this.transport = transport;
        this.metrics = metrics;
        this.clock = clock;
        this.front = new Front(config, registry, allocator, metrics, clock, scheduler);
        this.group = new MultiThreadIoEventLoopGroup(
                config.eventLoops(), new DefaultThreadFactory("sluice-net"), transport.handlers());
        for (EventExecutor executor : group) {
            EventLoop loop = (EventLoop) executor;
            CheckWheel wheel = new CheckWheel(loop, scheduler, clock, front.checkRoundNanos());
            loops.put(loop, new LoopState(loop, wheel, allocator.directBuffer(LoopState.SCRATCH_BYTES)));
        }
        registerGauges();
    }

    private void registerGauges() {
        metrics.gauge(Metric.NET_REQUEST_MEMORY_BYTES, front.requestMemory::heldBytes);
        metrics.gauge(Metric.NET_REQUEST_MEMORY_WAITERS, front.requestMemory::waiting);
        metrics.gauge(Metric.NET_REQUEST_HEAP_BYTES, front.requestHeap::heldBytes);
        metrics.gauge(Metric.NET_REQUEST_HEAP_WAITERS, front.requestHeap::waiting);
        metrics.gauge(Metric.NET_RESPONSE_MEMORY_BYTES, front.responseMemory::usedBytes);
    }

    /**
     * Binds all listeners and accepts.
     *
     * @return what was bound, in the order given
     * @throws UserException naming the address that cannot be bound; then nothing stays bound
     */
    public List<BoundListener> start(List<ListenerConfig> wanted) {
        for (ListenerConfig listener : wanted) {
            bind(listener);
        }
        return List.copyOf(listeners);
    }

    private void bind(ListenerConfig listener) {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group)
                .channel(transport.serverChannel())
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, config.backlog())
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.ALLOCATOR, front.allocator)
                .childOption(ChannelOption.MESSAGE_SIZE_ESTIMATOR, new PartSizes())
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(WRITABLE_BELOW_BYTES, UNWRITABLE_ABOVE_BYTES))
                .childHandler(new Accepting(listener.name()));
        if (config.sendBufferBytes() > 0) {
            bootstrap.childOption(ChannelOption.SO_SNDBUF, config.sendBufferBytes());
        }
        if (config.receiveBufferBytes() > 0) {
            // On the listening socket too: the window is agreed upon before a connection is accepted.
            bootstrap.option(ChannelOption.SO_RCVBUF, config.receiveBufferBytes());
            bootstrap.childOption(ChannelOption.SO_RCVBUF, config.receiveBufferBytes());
        }
        ChannelFuture bound = bootstrap.bind(address(listener)).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            close();
            throw new UserException(
                    ExitCode.CANNOT_CREATE,
                    "Cannot listen on " + listener.host() + ":" + listener.port() + " (listener " + listener.name()
                            + "): " + bound.cause().getMessage() + ". Stop what uses the address, or set another port.",
                    bound.cause());
        }
        bound.channel().pipeline().addLast(new AcceptGuard(listener.name()));
        serverChannels.add(bound.channel());
        int port = ((InetSocketAddress) bound.channel().localAddress()).getPort();
        listeners.add(BoundListener.of(listener, port));
        metrics.gauge(Metric.NET_CONNECTIONS, () -> front.table.size(listener.name()), listener.name());
    }

    private static InetSocketAddress address(ListenerConfig listener) {
        return listener.host().isEmpty()
                ? new InetSocketAddress(listener.port())
                : new InetSocketAddress(listener.host(), listener.port());
    }

    /** What it listens on. */
    public List<BoundListener> listeners() {
        return List.copyOf(listeners);
    }

    /** Who is connected. */
    public ConnectionTable connections() {
        return front.table;
    }

    /**
     * Stops accepting, lets requests in flight be answered within the time configured, closes all connections and ends the
     * event loops. Blocks.
     */
    @Override
    public void close() {
        serverChannels.forEach(channel -> channel.close().awaitUninterruptibly());
        serverChannels.clear();
        if (group.isShuttingDown()) {
            return;
        }
        stopping = true;
        front.table.all().forEach(connection -> connection.onLoop(connection::drain));
        if (!awaitEmpty(config.drainNanos())) {
            front.table
                    .all()
                    .forEach(connection ->
                            connection.onLoop(() -> connection.close(CloseReason.STOPPING, "requests were in flight")));
            awaitEmpty(TimeUnit.MILLISECONDS.toNanos(LOOP_STOP_MILLIS));
        }
        loops.forEach((loop, state) -> loop.execute(state::close));
        group.shutdownGracefully(0, LOOP_STOP_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    }

    private boolean awaitEmpty(long nanos) {
        try {
            return front.table.awaitEmpty(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Makes a connection of every socket accepted, or closes it when there are too many. */
    private final class Accepting extends ChannelInitializer<Channel> {
        private final String listenerName;

        Accepting(String listenerName) {
            this.listenerName = listenerName;
        }

        @Override
        protected void initChannel(Channel channel) {
            InetSocketAddress address = (InetSocketAddress) channel.remoteAddress();
            if (address == null || !front.table.admit(address)) {
                if (address != null) {
                    front.log.onClose(address, listenerName, CloseReason.TOO_MANY, front.table.bounds());
                }
                ChannelFuture unused = channel.close();
                return;
            }
            LoopState loop = loops.get(channel.eventLoop());
            if (loop == null) {
                throw new IllegalStateException("a channel of a foreign event loop");
            }
            Peer peer = new Peer(front.table.nextId(), address, listenerName, clock.epochMillis(), channel.eventLoop());
            ServerConnection connection = new ServerConnection(front, loop, peer, channel);
            channel.config().setRecvByteBufAllocator(new ReceiveAllocator(connection));
            front.table.add(connection);
            channel.pipeline().addLast(connection);
            metrics.counter(Metric.NET_CONNECTIONS_OPENED, listenerName).increment();
            if (stopping) {
                // Accepted just before; the stop may have gone through the table already.
                connection.drain();
            }
        }
    }

    /** Keeps a failure to accept, such as too few descriptors, to one line a time; Netty waits a second and goes on. */
    private static final class AcceptGuard extends ChannelInboundHandlerAdapter {
        private final String listenerName;

        AcceptGuard(String listenerName) {
            this.listenerName = listenerName;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            LOG.atWarn()
                    .addKeyValue("listener", listenerName)
                    .addKeyValue("cause", String.valueOf(cause.getMessage()))
                    .log("Cannot accept a connection");
        }
    }
}
