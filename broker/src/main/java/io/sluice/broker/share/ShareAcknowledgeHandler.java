package io.sluice.broker.share;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.share.Acknowledgement;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData.AcknowledgePartition;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData.AcknowledgeTopic;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData.AcknowledgementBatch;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData.PartitionData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData.ShareAcknowledgeTopicResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ShareAcknowledgeRequest;
import org.apache.kafka.common.requests.ShareAcknowledgeResponse;

/** ShareAcknowledge (KIP-932), versions 1 and 2: what became of records, without fetching more. */
final class ShareAcknowledgeHandler implements ApiHandler<ShareAcknowledgeRequest> {
    private final SharePartitions partitions;
    private final ShareSessions sessions;

    ShareAcknowledgeHandler(SharePartitions partitions, ShareSessions sessions) {
        this.partitions = partitions;
        this.sessions = sessions;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.SHARE_ACKNOWLEDGE;
    }

    @Override
    public void handle(Call<ShareAcknowledgeRequest> call) {
        ShareAcknowledgeRequestData data = call.request().data();
        String groupId = data.groupId();
        String memberId = data.memberId();
        if (groupId == null || groupId.isEmpty() || memberId == null || memberId.isEmpty()) {
            call.respond(error(Errors.INVALID_REQUEST));
            return;
        }
        ShareSession.Key key = new ShareSession.Key(groupId, memberId);
        ShareSessions.Found found = findSession(call, key, data.shareSessionEpoch());
        if (found.session() == null) {
            call.respond(error(found.error()));
        } else {
            acknowledge(call, found.session());
        }
    }

    private ShareSessions.Found findSession(Call<ShareAcknowledgeRequest> call, ShareSession.Key key, int epoch) {
        if (ShareSessions.begins(epoch)) {
            return ShareSessions.Found.failed(Errors.INVALID_SHARE_SESSION_EPOCH);
        }
        return ShareSessions.ends(epoch) ? sessions.last(key) : sessions.resume(key, epoch, call.connection());
    }

    private void acknowledge(Call<ShareAcknowledgeRequest> call, ShareSession session) {
        ShareAcknowledgeRequestData data = call.request().data();
        boolean ends = ShareSessions.ends(data.shareSessionEpoch());
        Acknowledging acknowledging = new Acknowledging(partitions, session, data.isRenewAck());
        for (AcknowledgeTopic topic : data.topics()) {
            for (AcknowledgePartition partition : topic.partitions()) {
                acknowledging.add(
                        new ShareSession.Part(topic.topicId(), partition.partitionIndex()),
                        acknowledgements(partition));
            }
        }
        acknowledging.whenDone(call.executor(), done -> {
            if (ends) {
                sessions.end(session, false);
            }
            call.respond(response(
                    done, partitions.configs().of(session.key().groupId()).lockMillis()));
        });
    }

    private static List<Acknowledgement> acknowledgements(AcknowledgePartition partition) {
        List<Acknowledgement> said = new ArrayList<>();
        for (AcknowledgementBatch batch : partition.acknowledgementBatches()) {
            said.add(new Acknowledgement(batch.firstOffset(), batch.lastOffset(), Types.of(batch.acknowledgeTypes())));
        }
        return said;
    }

    private static ShareAcknowledgeResponse response(Acknowledging done, int lockMillis) {
        ShareAcknowledgeResponseData data = new ShareAcknowledgeResponseData().setAcquisitionLockTimeoutMs(lockMillis);
        done.forEach((part, error) -> {
            ShareAcknowledgeTopicResponse topic = data.responses().find(part.topicId());
            if (topic == null) {
                topic = new ShareAcknowledgeTopicResponse().setTopicId(part.topicId());
                data.responses().add(topic);
            }
            PartitionData partition =
                    new PartitionData().setPartitionIndex(part.partition()).setErrorCode(error.code());
            topic.partitions().add(partition);
        });
        return new ShareAcknowledgeResponse(data);
    }

    private static ShareAcknowledgeResponse error(Errors error) {
        return new ShareAcknowledgeResponse(new ShareAcknowledgeResponseData().setErrorCode(error.code()));
    }
}
