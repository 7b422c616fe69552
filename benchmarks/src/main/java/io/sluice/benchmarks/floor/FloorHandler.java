package io.sluice.benchmarks.floor;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;

/** Decodes a request, asks for its answer and writes it. */
final class FloorHandler extends SimpleChannelInboundHandler<ByteBuf> {
    private static final int SIZE_BYTES = 4;

    private final FloorAnswers answers;

    FloorHandler(FloorAnswers answers) {
        this.answers = answers;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
        ByteBuffer buffer = frame.nioBuffer();
        RequestHeader header = RequestHeader.parse(buffer);
        AbstractRequest request = AbstractRequest.parseRequest(
                        header.apiKey(), header.apiVersion(), new ByteBufferAccessor(buffer))
                .request;
        AbstractResponse response = answers.to(request);
        ByteBuffer body = RequestUtils.serialize(
                header.toResponseHeader().data(),
                header.toResponseHeader().headerVersion(),
                response.data(),
                header.apiVersion());
        ByteBuf size = context.alloc().buffer(SIZE_BYTES).writeInt(body.remaining());
        context.writeAndFlush(Unpooled.wrappedBuffer(size, Unpooled.wrappedBuffer(body)))
                .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }
}
