package io.sluice.cli.record;

import io.sluice.base.error.UserException;
import io.sluice.cli.connect.GroupProbe;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.jspecify.annotations.Nullable;

/**
 * The place of a member that joins with a name of its own, its {@code group.instance.id} (KIP-345). A consumer whose
 * JoinGroup is not answered yet cannot leave: what it sends on its connection waits behind that answer, and the group would
 * wait for the member until its session ends. By its name it can be removed over another connection; and a member with a
 * name joins at once, without the first JoinGroup that leaves a member behind that nobody can see (KIP-394).
 *
 * @param clientConfig how to connect
 * @param group the group
 * @param instanceId the name, which no other member has
 * @param probe asks what the group's state is answered with
 */
record NamedMembership(Map<String, Object> clientConfig, String group, String instanceId, GroupProbe probe)
        implements Membership {
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration CLOSE = Duration.ofMillis(500);

    @Override
    public @Nullable UserException refusal() {
        return probe.ask(group).map(refusal -> refusal.of(group)).orElse(null);
    }

    @Override
    public @Nullable String end() {
        int patienceMillis = Math.toIntExact(PATIENCE.toMillis());
        Map<String, Object> config = new HashMap<>(clientConfig);
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, patienceMillis);
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, patienceMillis);
        Admin admin = Admin.create(config);
        try {
            return remove(admin);
        } finally {
            admin.close(CLOSE);
        }
    }

    private @Nullable String remove(Admin admin) {
        var options = new RemoveMembersFromConsumerGroupOptions(Set.of(new MemberToRemove(instanceId)));
        try {
            admin.removeMembersFromConsumerGroup(group, options).all().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return null;
        } catch (ExecutionException e) {
            return failure(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            return "no answer within " + PATIENCE.toSeconds() + " s";
        } catch (KafkaException e) {
            return failure(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private static @Nullable String failure(Throwable cause) {
        boolean unknown = cause instanceof UnknownMemberIdException || cause instanceof GroupIdNotFoundException;
        return unknown ? null : String.valueOf(cause.getMessage());
    }
}
