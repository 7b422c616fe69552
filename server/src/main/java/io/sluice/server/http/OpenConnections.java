package io.sluice.server.http;

import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The admin port's connections, a bounded number of them. Where there are too many, the one that has been silent for longest
 * makes room, so that those who only hold connections keep nobody out. For the admin port's event loop.
 */
final class OpenConnections {
    private final int limit;
    /** The one silent for longest first. */
    private final Set<Channel> waiting = new LinkedHashSet<>();

    /** Those whose page is on its way; the first one first. */
    private final Set<Channel> served = new LinkedHashSet<>();

    OpenConnections(int limit) {
        this.limit = limit;
    }

    /** A new one; another may be closed for it. */
    @SuppressWarnings("FutureReturnValueIgnored") // the connection is one too many; how its close ends does not matter
    void add(Channel channel) {
        if (waiting.size() + served.size() >= limit) {
            Channel first = (waiting.isEmpty() ? served : waiting).iterator().next();
            remove(first);
            first.close();
        }
        waiting.add(channel);
        channel.closeFuture().addListener(closed -> remove(channel));
    }

    /** It has asked for a page. */
    void onRequest(Channel channel) {
        if (waiting.remove(channel)) {
            served.add(channel);
        }
    }

    /** It has taken its page. */
    void onAnswered(Channel channel) {
        if (served.remove(channel)) {
            waiting.add(channel);
        }
    }

    private void remove(Channel channel) {
        waiting.remove(channel);
        served.remove(channel);
    }
}
