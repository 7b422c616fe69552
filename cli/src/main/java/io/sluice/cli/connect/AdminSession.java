package io.sluice.cli.connect;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaFuture;

/** An admin client whose answers are waited for, within a time, on the caller's thread. */
public final class AdminSession implements AutoCloseable {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);
    /** The client's own time-out should come first, because its message says more. */
    private static final long GRACE_MILLIS = 2_000;

    private final Admin admin;
    private final Duration timeout;
    private final String address;
    private final GroupProbe groups;

    private AdminSession(Admin admin, ConnectOptions options) {
        this.admin = admin;
        this.timeout = options.timeout();
        this.address = options.bootstrapServer();
        this.groups = options.groupProbe();
    }

    /** Connects. */
    public static AdminSession open(ConnectOptions options) {
        return new AdminSession(Admin.create(options.clientConfig()), options);
    }

    /** Connects under a client id of its own. */
    public static AdminSession open(ConnectOptions options, String clientId) {
        Map<String, Object> config = options.clientConfig();
        config.put(AdminClientConfig.CLIENT_ID_CONFIG, clientId);
        return new AdminSession(Admin.create(config), options);
    }

    /** The client, whose futures go to {@link #await}. */
    public Admin admin() {
        return admin;
    }

    /**
     * Waits for an answer.
     *
     * @throws UserException what went wrong, for the person at the keyboard
     */
    public <T> T await(KafkaFuture<T> future) {
        return await(future, failure -> KafkaFailures.toUserException(address, failure));
    }

    /**
     * Waits for an answer about something.
     *
     * @throws UserException what went wrong with it, by name
     */
    public <T> T await(Subject subject, KafkaFuture<T> future) {
        return await(future, failure -> {
            UserException known = KafkaFailures.toUserException(address, subject, failure);
            return isSilence(known) && subject.kind() == Subject.Kind.GROUP
                    ? groups.ask(subject.name())
                            .map(refusal -> refusal.of(subject.name()))
                            .orElse(known)
                    : known;
        });
    }

    /**
     * Waits for an answer about all groups.
     *
     * @throws UserException what went wrong
     */
    public <T> T awaitGroups(KafkaFuture<T> future) {
        return await(future, failure -> {
            UserException known = KafkaFailures.toUserException(address, failure);
            return isSilence(known)
                    ? groups.askAll().stream()
                            .findFirst()
                            .map(GroupRefusal::ofAll)
                            .orElse(known)
                    : known;
        });
    }

    /** Where groups are kept that an answer about all of them leaves out. */
    public List<GroupRefusal> groupsLeftOut() {
        return groups.askAll();
    }

    /** The client tries again and again where it is told to: it may have been answered all the same. */
    private static boolean isSilence(UserException failure) {
        return failure.exitCode() == ExitCode.UNAVAILABLE;
    }

    private <T> T await(KafkaFuture<T> future, Function<Throwable, UserException> translation) {
        try {
            return future.get(timeout.toMillis() + GRACE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw translation.apply(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException(ExitCode.FAILED, "Interrupted.", e);
        }
    }

    @Override
    public void close() {
        admin.close(CLOSE_TIMEOUT);
    }
}
