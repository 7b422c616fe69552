package io.sluice.protocol.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.utils.internals.ImplicitLinkedHashCollection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every hash table that a client can make Kafka's classes fill is known, in every version of its request. */
class RequestShapeTest {
    private static final int ROUNDS = 40;

    private record Request(ApiKeys api, short version) {}

    @SuppressWarnings("UnusedMethod") // by its name
    private static Stream<Request> requests() {
        return HashedLists.apis().stream()
                .flatMap(api -> IntStream.rangeClosed(api.messageType.lowestSupportedVersion(), api.latestVersion(true))
                        .mapToObj(version -> new Request(api, (short) version)));
    }

    @Test
    void knowsEveryTableOfEveryRequestThatClientsMaySend() {
        for (ApiKeys api : ApiKeys.clientApis()) {
            Set<String> found = new TreeSet<>();
            addTables(api.messageType.newRequest().getClass(), "", found);
            Set<String> known = new TreeSet<>();
            HashedLists.of(api).forEach((path, list) -> {
                if (list.decoded()) {
                    known.add(path);
                }
            });
            assertThat(known).as("tables of " + api).isEqualTo(found);
        }
        assertThat(ApiKeys.clientApis()).containsAll(HashedLists.apis());
    }

    private static void addTables(Class<?> message, String path, Set<String> tables) {
        for (Field field : message.getDeclaredFields()) {
            String inner = path + field.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
            if (ImplicitLinkedHashCollection.class.isAssignableFrom(field.getType())) {
                tables.add(inner);
                addTables(argument(field.getType().getGenericSuperclass()), inner + ".", tables);
            } else if (List.class.isAssignableFrom(field.getType())
                    && !field.getName().startsWith("_")) {
                addTables(argument(field.getGenericType()), inner + ".", tables);
            } else if (ApiMessage.class.getPackage().equals(field.getType().getPackage())
                    || field.getType().getName().startsWith(message.getName())) {
                addTables(field.getType(), inner + ".", tables);
            }
        }
    }

    private static Class<?> argument(java.lang.reflect.Type type) {
        return ((ParameterizedType) type).getActualTypeArguments()[0] instanceof Class<?> argument
                ? argument
                : Object.class;
    }

    @ParameterizedTest
    @MethodSource("requests")
    void findsTheListsAndHashesOfEveryVersion(Request request) throws ReflectiveOperationException {
        RandomBodies bodies = new RandomBodies(new Random(42));
        for (int round = 0; round < ROUNDS; round++) {
            ByteBuffer body = bodies.write(request.api, request.version);
            RecordingSteps steps = new RecordingSteps();
            RequestShape shape = RequestShape.of(request.api, request.version);
            if (shape != null) {
                shape.read(body.duplicate(), steps);
            }
            ApiMessage message = request.api.messageType.newRequest();
            message.read(new ByteBufferAccessor(body), request.version);
            List<List<Integer>> expected = new ArrayList<>();
            addHashes(message, expected);
            assertThat(steps.decoded).as(message.toString()).isEqualTo(expected);
        }
    }

    /** As they are read: lists in elements before the list itself. */
    private static void addHashes(Object message, List<List<Integer>> hashes) throws ReflectiveOperationException {
        for (Field field : message.getClass().getDeclaredFields()) {
            if (!Iterable.class.isAssignableFrom(field.getType())
                    || field.getName().startsWith("_")) {
                continue;
            }
            Iterable<?> list =
                    (Iterable<?>) message.getClass().getMethod(field.getName()).invoke(message);
            List<Integer> own = new ArrayList<>();
            for (Object element : list == null ? List.of() : list) {
                own.add(element.hashCode());
                addHashes(element, hashes);
            }
            if (list instanceof ImplicitLinkedHashCollection && own.size() > 1) {
                hashes.add(own);
            }
        }
    }

    /** Keeps the hashes of the lists that requests are read into. */
    private static final class RecordingSteps extends HashSteps {
        private final List<List<Integer>> decoded = new ArrayList<>();

        @Override
        void onList(int[] hashes, int count, HashedLists.HashedList list) {
            if (list.decoded()) {
                decoded.add(Arrays.stream(hashes, 0, count).boxed().toList());
            }
        }
    }

    @SuppressWarnings("UnusedMethod") // by its name
    private static Stream<Request> requestsOfApartLists() {
        return requests().filter(request -> ApartLists.areOf(request.api));
    }

    @ParameterizedTest
    @MethodSource("requestsOfApartLists")
    void readsListsApartAsKafkaReadsThem(Request request) throws MalformedRequestException {
        ByteBuffer body = new RandomBodies(new Random(7)).alike(110).write(request.api, request.version);
        RequestHeader header = new RequestHeader(request.api, request.version, "c", 1);
        ByteBuffer head = headerOf(header);
        ByteBuffer frame = ByteBuffer.allocate(head.remaining() + body.remaining());
        frame.put(head).put(body.duplicate()).flip();
        ByteBuffer unread = body.duplicate();
        RequestShape shape = Objects.requireNonNull(RequestShape.of(request.api, request.version));
        assertThat(shape.require(unread, true))
                .as("where the list of " + request + " lies")
                .isNotNull();
        AbstractRequest read =
                RequestDecoder.decode(frame, request.api, request.version).body();
        AbstractRequest byKafka =
                AbstractRequest.parseRequest(request.api, request.version, new ByteBufferAccessor(body)).request;
        assertThat(read.data().toString()).isEqualTo(byKafka.data().toString());
    }

    private static ByteBuffer headerOf(RequestHeader header) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer bytes = ByteBuffer.allocate(header.data().size(cache, header.headerVersion()));
        header.data().write(new ByteBufferAccessor(bytes), cache, header.headerVersion());
        return bytes.flip();
    }

    @Test
    void countsTheStepsOfElementsThatAreAlikeWithTheCube() {
        HashedLists.HashedList decoded = new HashedLists.HashedList(List.of("name"), true, false);
        for (int count : new int[] {20, 50, 100}) {
            HashSteps steps = new HashSteps();
            assertThat(steps.fit(new int[count], count, decoded, 1_000_000)).isTrue();
            long cube = (long) count * count * count;
            assertThat(steps.steps()).isBetween((int) (cube / 6), (int) (cube / 6 + 2L * count * count));
        }
    }

    @Test
    void takesNoMoreStepsThanItMay() {
        HashSteps steps = new HashSteps();
        HashedLists.HashedList decoded = new HashedLists.HashedList(List.of("name"), true, false);
        assertThat(steps.fit(new int[100_000], 100_000, decoded, 50)).isFalse();
        assertThat(steps.steps()).isLessThanOrEqualTo(5_001_000);
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 100; i++) {
                        steps.onList(new int[100], 100, decoded);
                    }
                })
                .isInstanceOf(FrameReadable.TooLargeException.class)
                .hasMessageStartingWith("its names and numbers take too long to tell apart");
        assertThat(steps.steps()).isLessThanOrEqualTo(HashSteps.MAX_STEPS);
    }
}
