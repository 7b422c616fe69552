package io.sluice.server.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests with pages, the next request when the client has taken the page before. One for each connection, on the
 * admin port's event loop.
 */
final class PageHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(PageHandler.class);

    /** How long what is left of a refused request is read and thrown away. */
    private static final int LINGER_SECONDS = 2;

    private final Map<String, Supplier<Page>> pages;
    private final OpenConnections connections;
    /** Whether the next request is what it waits for. */
    private boolean waiting;

    PageHandler(Map<String, Supplier<Page>> pages, OpenConnections connections) {
        this.pages = pages;
        this.connections = connections;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        waiting = false;
        connections.onRequest(context.channel());
        boolean understood = request.decoderResult().isSuccess();
        Page page = understood ? find(request) : refusal(request.decoderResult().cause());
        boolean headOnly = request.method().equals(HttpMethod.HEAD);
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(page.status()),
                headOnly ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(page.body()));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, page.contentType());
        response.headers().set(HttpHeaderNames.CACHE_CONTROL, "no-store");
        HttpUtil.setContentLength(response, page.body().length);
        boolean keepAlive = HttpUtil.isKeepAlive(request) && understood;
        HttpUtil.setKeepAlive(response, keepAlive);
        context.writeAndFlush(response).addListener(afterwards(context, understood, keepAlive));
    }

    private ChannelFutureListener afterwards(ChannelHandlerContext context, boolean understood, boolean keepAlive) {
        if (!understood) {
            return written -> linger(context);
        }
        return keepAlive ? written -> next(context) : ChannelFutureListener.CLOSE;
    }

    /** As a task of its own: flow control does not ask the socket when asked from within a message it just passed on. */
    private void next(ChannelHandlerContext context) {
        connections.onAnswered(context.channel());
        context.executor().execute(() -> read(context));
    }

    private void read(ChannelHandlerContext context) {
        waiting = true;
        context.read();
    }

    /** One read need not bring a whole request. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (waiting) {
            context.read();
        }
        context.fireChannelReadComplete();
    }

    private static Page refusal(Throwable cause) {
        if (cause instanceof TooLongHttpHeaderException) {
            return Page.text(431, "The header is too large; allowed are 8 KiB.");
        }
        return cause instanceof TooLongHttpLineException
                ? Page.text(414, "The address is too long; allowed are 4 KiB.")
                : Page.text(400, "This is no HTTP request.");
    }

    /** A socket that is closed with bytes unread in it takes its answer back from the client. */
    @SuppressWarnings("FutureReturnValueIgnored") // the connection ends, however its close does
    private static void linger(ChannelHandlerContext context) {
        ((DuplexChannel) context.channel()).shutdownOutput();
        context.channel().config().setAutoRead(true);
        context.executor().schedule(() -> context.close(), LINGER_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        read(context);
        context.fireChannelActive();
    }

    private Page find(FullHttpRequest request) {
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            return Page.text(405, "Allowed is GET.");
        }
        String path = new QueryStringDecoder(request.uri()).path();
        Supplier<Page> page = pages.get(path);
        if (page == null) {
            return Page.text(404, "There is no page '" + path + "'; there are " + new TreeSet<>(pages.keySet()) + ".");
        }
        return page.get();
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the connection ends, however its close does
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof java.io.IOException || cause instanceof io.netty.handler.timeout.ReadTimeoutException) {
            LOG.atDebug().addKeyValue("reason", cause.getMessage()).log("admin connection ended");
        } else {
            LOG.atError().setCause(cause).log("an admin page failed, which is a defect");
        }
        context.close();
    }
}
