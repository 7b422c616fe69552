package io.sluice.coordinator.library;

import io.sluice.coordinator.group.GroupCall;
import java.net.InetAddress;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;

/** A call as the library wants it. */
record LibraryContext(GroupCall call) implements AuthorizableRequestContext {
    @Override
    public String listenerName() {
        return call.listenerName();
    }

    @Override
    public SecurityProtocol securityProtocol() {
        return SecurityProtocol.PLAINTEXT;
    }

    @Override
    public KafkaPrincipal principal() {
        return KafkaPrincipal.ANONYMOUS;
    }

    @Override
    public InetAddress clientAddress() {
        return call.clientAddress();
    }

    @Override
    public int requestType() {
        return call.apiKey();
    }

    @Override
    public int requestVersion() {
        return call.apiVersion();
    }

    @Override
    public String clientId() {
        return call.clientId();
    }

    @Override
    public int correlationId() {
        return call.correlationId();
    }
}
