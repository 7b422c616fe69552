package io.sluice.broker.topic;

import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopic;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsPartition;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeLogDirsRequest;
import org.apache.kafka.common.requests.DescribeLogDirsResponse;

/** DescribeLogDirs: the data directory, its room, and the bytes of each partition. */
public final class DescribeLogDirsHandler implements ApiHandler<DescribeLogDirsRequest> {
    private final ClusterImageSource images;
    private final PartitionLogStore logs;
    private final LogDirectory directory;

    /**
     * The data directory, as its file system has it now.
     *
     * <p>Asked on event loops: answers from the operating system's memory, never from the disk itself.
     */
    public interface LogDirectory {
        /** Absolute path. */
        String path();

        /** Size of the file system, bytes. */
        long totalBytes();

        /** Bytes that can still be written. */
        long usableBytes();

        /** Whether writing failed and nothing more is accepted. */
        boolean isFailed();
    }

    /** Describes the logs of the store. */
    public DescribeLogDirsHandler(ClusterImageSource images, PartitionLogStore logs, LogDirectory directory) {
        this.images = images;
        this.logs = logs;
        this.directory = directory;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.DESCRIBE_LOG_DIRS;
    }

    @Override
    public void handle(Call<DescribeLogDirsRequest> call) {
        DescribeLogDirsResult result = new DescribeLogDirsResult()
                .setLogDir(directory.path())
                .setTotalBytes(directory.totalBytes())
                .setUsableBytes(directory.usableBytes());
        if (directory.isFailed()) {
            result.setErrorCode(Errors.KAFKA_STORAGE_ERROR.code());
        } else {
            asked(call.request().data()).forEach((topic, partitions) -> add(result, topic, partitions));
        }
        call.respond(new DescribeLogDirsResponse(new DescribeLogDirsResponseData().setResults(List.of(result))));
    }

    private Map<TopicImage, List<Integer>> asked(DescribeLogDirsRequestData request) {
        ClusterImage image = images.current();
        Map<TopicImage, List<Integer>> asked = new LinkedHashMap<>();
        if (request.topics() == null) {
            for (TopicImage topic : image.topics()) {
                asked.put(
                        topic,
                        IntStream.range(0, topic.partitions().size()).boxed().toList());
            }
            return asked;
        }
        for (DescribableLogDirTopic requested : request.topics()) {
            TopicImage topic = image.topic(requested.topic());
            if (topic != null) {
                asked.put(topic, requested.partitions());
            }
        }
        return asked;
    }

    private void add(DescribeLogDirsResult result, TopicImage topic, List<Integer> partitions) {
        List<DescribeLogDirsPartition> described = new ArrayList<>();
        for (int index : partitions) {
            PartitionLog log = logs.find(topic.partitionId(index));
            if (log != null) {
                described.add(new DescribeLogDirsPartition()
                        .setPartitionIndex(index)
                        .setPartitionSize(log.sizeInBytes())
                        .setOffsetLag(0)
                        .setIsFutureKey(false));
            }
        }
        if (!described.isEmpty()) {
            result.topics().add(new DescribeLogDirsTopic().setName(topic.name()).setPartitions(described));
        }
    }
}
