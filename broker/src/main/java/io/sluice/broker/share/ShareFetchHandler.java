package io.sluice.broker.share;

import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.share.Acknowledgement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.ShareFetchRequestData.AcknowledgementBatch;
import org.apache.kafka.common.message.ShareFetchRequestData.FetchPartition;
import org.apache.kafka.common.message.ShareFetchRequestData.FetchTopic;
import org.apache.kafka.common.message.ShareFetchRequestData.ForgottenTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ShareFetchRequest;

/**
 * ShareFetch (KIP-932), versions 1 and 2: records for a member of a share group, and what became of those it had. Sessions keep
 * what a member reads between its requests; the last one ends the session and fetches nothing, and so does one that prolongs
 * locks (KIP-1222).
 */
final class ShareFetchHandler implements ApiHandler<ShareFetchRequest> {
    private final SharePartitions partitions;
    private final ShareSessions sessions;
    private final Clock clock;
    private final Scheduler scheduler;
    private final int maxBytes;

    /**
     * A handler.
     *
     * @param maxBytes most bytes of records in one answer ({@code fetch.max.bytes})
     */
    ShareFetchHandler(
            SharePartitions partitions, ShareSessions sessions, Clock clock, Scheduler scheduler, int maxBytes) {
        this.partitions = partitions;
        this.sessions = sessions;
        this.clock = clock;
        this.scheduler = scheduler;
        this.maxBytes = maxBytes;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.SHARE_FETCH;
    }

    @Override
    public void handle(Call<ShareFetchRequest> call) {
        ShareFetchRequestData data = call.request().data();
        String groupId = data.groupId();
        String memberId = data.memberId();
        if (groupId == null || groupId.isEmpty() || memberId == null || memberId.isEmpty() || isUnsound(data)) {
            call.respond(ShareFetchAnswer.error(Errors.INVALID_REQUEST));
            return;
        }
        ShareSession.Key key = new ShareSession.Key(groupId, memberId);
        ShareSessions.Found found = findSession(call, key, data.shareSessionEpoch());
        ShareSession session = found.session();
        if (session == null) {
            call.respond(ShareFetchAnswer.error(found.error()));
        } else {
            serve(call, session);
        }
    }

    /** A session does not begin with acknowledgements, and who prolongs locks wants no records. */
    private static boolean isUnsound(ShareFetchRequestData data) {
        boolean acknowledges = data.topics().stream()
                .anyMatch(topic -> topic.partitions().stream()
                        .anyMatch(
                                partition -> !partition.acknowledgementBatches().isEmpty()));
        boolean wantsRecords =
                data.maxRecords() > 0 || data.maxBytes() > 0 || data.minBytes() > 0 || data.maxWaitMs() > 0;
        return (acknowledges && ShareSessions.begins(data.shareSessionEpoch())) || (data.isRenewAck() && wantsRecords);
    }

    private ShareSessions.Found findSession(Call<ShareFetchRequest> call, ShareSession.Key key, int epoch) {
        if (ShareSessions.begins(epoch)) {
            return sessions.begin(key, call.connection());
        }
        return ShareSessions.ends(epoch) ? sessions.last(key) : sessions.resume(key, epoch, call.connection());
    }

    private void serve(Call<ShareFetchRequest> call, ShareSession session) {
        ShareFetchRequestData data = call.request().data();
        Acknowledging acknowledging = new Acknowledging(partitions, session, data.isRenewAck());
        boolean ends = ShareSessions.ends(data.shareSessionEpoch());
        acknowledge(data, acknowledging);
        if (!ends && !sessions.update(session, added(data), removed(data))) {
            refuseMore(call, session, acknowledging);
            return;
        }
        if (ends || data.isRenewAck()) {
            answerWithoutRecords(call, session, acknowledging, ends);
        } else {
            PendingShareFetch fetch = new PendingShareFetch(this, call, session, acknowledging);
            fetch.start(sessions.begin(session, fetch));
        }
    }

    private static void acknowledge(ShareFetchRequestData data, Acknowledging acknowledging) {
        for (FetchTopic topic : data.topics()) {
            for (FetchPartition partition : topic.partitions()) {
                List<Acknowledgement> said = new ArrayList<>();
                for (AcknowledgementBatch batch : partition.acknowledgementBatches()) {
                    said.add(new Acknowledgement(
                            batch.firstOffset(), batch.lastOffset(), Types.of(batch.acknowledgeTypes())));
                }
                acknowledging.add(new ShareSession.Part(topic.topicId(), partition.partitionIndex()), said);
            }
        }
    }

    /** One after the other, for there may be millions in a request, and no room for them in the session. */
    private static Iterable<ShareSession.Part> added(ShareFetchRequestData data) {
        return () -> data.topics().stream()
                .flatMap(topic -> topic.partitions().stream()
                        .map(partition -> new ShareSession.Part(topic.topicId(), partition.partitionIndex())))
                .iterator();
    }

    private static Set<ShareSession.Part> removed(ShareFetchRequestData data) {
        Set<ShareSession.Part> removed = new HashSet<>();
        for (ForgottenTopic topic : data.forgottenTopicsData()) {
            topic.partitions().forEach(partition -> removed.add(new ShareSession.Part(topic.topicId(), partition)));
        }
        return removed;
    }

    /** All sessions together have as many partitions as they may. What the request acknowledges counts all the same. */
    private void refuseMore(Call<ShareFetchRequest> call, ShareSession session, Acknowledging acknowledging) {
        acknowledging.whenDone(call.executor(), done -> {
            sessions.end(session, true);
            call.respond(ShareFetchAnswer.error(Errors.SHARE_SESSION_LIMIT_REACHED));
        });
    }

    private void answerWithoutRecords(
            Call<ShareFetchRequest> call, ShareSession session, Acknowledging acknowledging, boolean ends) {
        acknowledging.whenDone(call.executor(), done -> {
            if (ends) {
                sessions.end(session, false);
            }
            ShareFetchAnswer answer = new ShareFetchAnswer();
            done.forEach(answer::acknowledged);
            call.respond(answer.response(lockMillis(session.key().groupId())));
        });
    }

    // ---- For the fetches

    SharePartitions partitions() {
        return partitions;
    }

    Clock clock() {
        return clock;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    int maxBytes() {
        return maxBytes;
    }

    int lockMillis(String groupId) {
        return partitions.configs().of(groupId).lockMillis();
    }
}
