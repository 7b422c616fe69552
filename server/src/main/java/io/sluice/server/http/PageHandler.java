package io.sluice.server.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests with pages, the next request when the client has taken the page before. One for each connection, on the
 * admin port's event loop.
 */
final class PageHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(PageHandler.class);

    private final Map<String, Supplier<Page>> pages;

    PageHandler(Map<String, Supplier<Page>> pages) {
        this.pages = pages;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        Page page = request.decoderResult().isSuccess() ? find(request) : Page.text(400, "This is no HTTP request.");
        boolean headOnly = request.method().equals(HttpMethod.HEAD);
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(page.status()),
                headOnly ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(page.body()));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, page.contentType());
        response.headers().set(HttpHeaderNames.CACHE_CONTROL, "no-store");
        HttpUtil.setContentLength(response, page.body().length);
        boolean keepAlive =
                HttpUtil.isKeepAlive(request) && request.decoderResult().isSuccess();
        HttpUtil.setKeepAlive(response, keepAlive);
        // As a task of its own: flow control does not ask the socket when asked from within a message it just passed
        // on.
        ChannelFutureListener next = written -> context.executor().execute(context::read);
        context.writeAndFlush(response).addListener(keepAlive ? next : ChannelFutureListener.CLOSE);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.read();
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
