package io.sluice.coordinator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.metadata.TopicImage;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class MetadataTranslatorTest {
    private final InMemoryCluster cluster = new InMemoryCluster();
    private final MetadataTranslator translator = new MetadataTranslator(InMemoryCluster.NODE_ID);

    private MetadataTranslator.Update advance() {
        return Objects.requireNonNull(translator.advance(cluster.current()));
    }

    private static org.apache.kafka.image.TopicImage topic(MetadataTranslator.Update update) {
        return Objects.requireNonNull(update.image().topics().topicsByName().get("t"));
    }

    @Test
    void tellsTopicsWithTheirIdsAndPartitions() {
        TopicImage topic = cluster.create("t", 3);

        MetadataTranslator.Update update = advance();

        assertThat(topic(update).id()).isEqualTo(MetadataTranslator.uuid(topic.id()));
        assertThat(topic(update).partitions()).hasSize(3);
        assertThat(update.delta().topicsDelta().createdTopicIds()).containsExactly(MetadataTranslator.uuid(topic.id()));
    }

    @Test
    void tellsOnlyWhatChanged() {
        cluster.create("a", 1);
        advance();
        TopicImage added = cluster.create("b", 1);

        MetadataTranslator.Update update = advance();

        assertThat(update.delta().topicsDelta().changedTopics()).containsOnlyKeys(MetadataTranslator.uuid(added.id()));
        assertThat(update.image().topics().topicsByName().keySet()).contains("a", "b");
    }

    @Test
    void tellsOfATopicDeletedAndCreatedAgainInOneStep() {
        TopicImage before = cluster.create("t", 1);
        advance();
        cluster.delete("t");
        TopicImage after = cluster.create("t", 2);

        MetadataTranslator.Update update = advance();

        assertThat(update.delta().topicsDelta().deletedTopicIds())
                .containsExactly(MetadataTranslator.uuid(before.id()));
        assertThat(topic(update).id()).isEqualTo(MetadataTranslator.uuid(after.id()));
    }

    @Test
    void saysNothingWhereNoTopicChanged() {
        cluster.create("t", 1);
        advance();
        cluster.setGroupConfig("g", java.util.Map.of("consumer.session.timeout.ms", "50000"));

        assertThat(translator.advance(cluster.current())).isNull();
    }

    @Test
    void deletesTopicsThatItNeverKnew() {
        cluster.create("t", 1);
        advance();
        Uuid oldId = new Uuid(5, 6);

        MetadataTranslator.Update update = translator.deletionOf(
                List.of(new CommittedTopic("t", oldId), new CommittedTopic("gone", Uuid.ZERO_UUID)));

        assertThat(update.delta().topicsDelta().deletedTopicIds()).hasSize(2).contains(oldId);
        assertThat(update.image().topics().topicsByName().keySet()).contains("t");
    }
}
