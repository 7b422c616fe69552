package io.sluice.testkit.differential;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/** Fetch sessions (KIP-227): full, incremental, forgotten, wrong. */
final class FetchSessionCases {
    private static final int FIRST_WITH_SESSIONS = 7;
    private static final int UNKNOWN_SESSION = 123_456;

    private FetchSessionCases() {}

    static void addTo(Cases cases) {
        session(cases, "only what changed", FetchSessionCases::onlyWhatChanged);
        session(cases, "forgotten topics stop", FetchSessionCases::forgotten);
        session(cases, "added later", FetchSessionCases::addedLater);
        session(cases, "offset changed", FetchSessionCases::offsetChanged);
        session(cases, "wrong epoch", (s, topics) -> {
            int id = open(s, topics);
            s.record("epoch 5", next(id, 5));
            s.record("epoch 1", next(id, 1));
            s.record("epoch 1 again", next(id, 1));
        });
        session(cases, "closed", (s, topics) -> {
            int id = open(s, topics);
            s.record("close", next(id, -1));
            s.record("after", next(id, 1));
        });
        session(cases, "closed and fetched at once", (s, topics) -> {
            int id = open(s, topics);
            s.record("close", inSession(Requests.fetch(topics.get(0), 0), id, -1));
            s.record("after", next(id, 1));
        });
        addMore(cases);
        cases.from(ApiKeys.FETCH, FIRST_WITH_SESSIONS, "deleted topic in a session", FetchSessionCases::deleted);
    }

    private static void addMore(Cases cases) {
        session(cases, "unknown session", (s, topics) -> {
            s.record("epoch 1", next(UNKNOWN_SESSION, 1));
            s.record("epoch 0", inSession(Requests.fetch(topics.get(0), 0), UNKNOWN_SESSION, 0));
            s.record("epoch -1", next(UNKNOWN_SESSION, -1));
        });
        session(cases, "reopened", (s, topics) -> {
            int id = open(s, topics);
            s.record("new", inSession(Requests.fetch(topics.get(0), 0), id, 0));
            s.record("old", next(id, 1));
        });
        session(cases, "on another connection", (s, topics) -> {
            int id = open(s, topics);
            s.recordAnswer("answer", s.connect().call(s.version(), next(id, 1)));
        });
        session(cases, "unknown topic in a session", (s, topics) -> {
            int id = open(s, topics);
            FetchRequestData request = next(id, 1);
            Requests.addPartition(request, new Session.Topic(s.name("unknown"), new Uuid(9, 1)), 0, 0);
            s.record("answer", request);
            s.record("next", next(id, 2));
        });
        session(cases, "errors repeat", (s, topics) -> {
            int id = open(s, topics);
            FetchRequestData request = next(id, 1);
            Requests.addPartition(request, topics.get(0), 0, 99);
            s.record("out of range", request);
            s.record("again", next(id, 2));
        });
        session(cases, "waits", (s, topics) -> {
            int id = open(s, topics);
            s.record("nothing new", next(id, 1).setMaxWaitMs(300).setMinBytes(1));
            s.connection()
                    .send(
                            s.version(),
                            next(id, 2).setMaxWaitMs(Requests.TIMEOUT_MILLIS).setMinBytes(1));
            s.connect()
                    .call(
                            ApiKeys.PRODUCE.latestVersion(false),
                            Requests.produce(topics.get(1), 0, (short) -1, Requests.batch(s, 1)));
            s.recordAnswer("woken", s.connection().receive(ApiKeys.FETCH, s.version()));
        });
        session(cases, "empty session", (s, topics) -> {
            FetchResponseData opened =
                    s.record(FetchResponseData.class, "opened", inSession(Requests.fetch(List.of(), 0, 0), 0, 0));
            s.note("has an id", "" + (opened.sessionId() != 0));
        });
    }

    @FunctionalInterface
    private interface SessionScript {
        void run(Session s, List<Session.Topic> topics) throws Exception;
    }

    private static void session(Cases cases, String name, SessionScript script) {
        cases.from(
                ApiKeys.FETCH,
                FIRST_WITH_SESSIONS,
                "session: " + name,
                s -> script.run(s, List.of(FetchCases.filled(s, "one"), FetchCases.filled(s, "two"))));
    }

    /** Opens a session on both topics at their ends. */
    private static int open(Session s, List<Session.Topic> topics) throws Exception {
        FetchRequestData request = inSession(Requests.fetch(topics, 0, 8), 0, 0);
        return s.record(FetchResponseData.class, "opened", request).sessionId();
    }

    private static FetchRequestData inSession(FetchRequestData request, int id, int epoch) {
        return request.setSessionId(id).setSessionEpoch(epoch);
    }

    private static FetchRequestData next(int id, int epoch) {
        return inSession(Requests.fetch(List.of(), 0, 0), id, epoch);
    }

    private static void onlyWhatChanged(Session s, List<Session.Topic> topics) throws Exception {
        int id = open(s, topics);
        s.record("nothing new", next(id, 1));
        FetchCases.append(s, topics.get(0), 0, 2);
        s.record("one has news", next(id, 2));
        s.record("still, its offset has not moved", next(id, 3));
        FetchRequestData moved = next(id, 4);
        Requests.addPartition(moved, topics.get(0), 0, 10);
        s.record("moved", moved);
        s.record("nothing new again", next(id, 5));
    }

    private static void forgotten(Session s, List<Session.Topic> topics) throws Exception {
        int id = open(s, topics);
        FetchRequestData request = next(id, 1);
        request.forgottenTopicsData()
                .add(new FetchRequestData.ForgottenTopic()
                        .setTopic(topics.get(0).name())
                        .setTopicId(topics.get(0).id())
                        .setPartitions(List.of(0)));
        s.record("forget one", request);
        FetchCases.append(s, topics.get(0), 0, 1);
        FetchCases.append(s, topics.get(1), 0, 1);
        s.record("only two", next(id, 2));
    }

    private static void addedLater(Session s, List<Session.Topic> topics) throws Exception {
        int id = open(s, topics.subList(0, 1));
        FetchRequestData request = next(id, 1);
        Requests.addPartition(request, topics.get(1), 0, 6);
        s.record("added", request);
        s.record("next", next(id, 2));
    }

    private static void offsetChanged(Session s, List<Session.Topic> topics) throws Exception {
        int id = open(s, topics);
        FetchRequestData request = next(id, 1);
        Requests.addPartition(request, topics.get(1), 0, 3);
        s.record("back", request);
    }

    private static void deleted(Session s) throws Exception {
        Session.Topic topic = FetchCases.filled(s);
        int id = open(s, List.of(topic));
        s.ask(
                org.apache.kafka.common.message.DeleteTopicsResponseData.class,
                TopicCases.deleteByName(List.of(topic.name())));
        s.awaitGone(topic);
        s.record("answer", next(id, 1));
    }
}
