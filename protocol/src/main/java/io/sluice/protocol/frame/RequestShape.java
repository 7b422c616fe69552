package io.sluice.protocol.frame;

import io.sluice.protocol.frame.HashedLists.HashedList;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.CompactArrayOf;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.jspecify.annotations.Nullable;

/**
 * Where the lists that go into hash tables lie in the body of a request, as Kafka's schema of the version has it: reads over
 * a body before it is decoded, in a time that goes with its bytes, and refuses what {@link HashSteps} finds too slow.
 * Immutable.
 */
final class RequestShape {
    private static final Map<Type, Integer> FIXED = Map.of(
            Type.BOOLEAN, 1,
            Type.INT8, 1,
            Type.INT16, 2,
            Type.UINT16, 2,
            Type.INT32, 4,
            Type.UNSIGNED_INT32, 4,
            Type.INT64, 8,
            Type.FLOAT64, 8,
            Type.UUID, 16);

    private static final Set<Type> TEXTS = Set.of(Type.STRING, Type.NULLABLE_STRING);
    private static final Set<Type> COMPACT_TEXTS = Set.of(Type.COMPACT_STRING, Type.COMPACT_NULLABLE_STRING);
    private static final Set<Type> BYTES = Set.of(Type.BYTES, Type.NULLABLE_BYTES, Type.RECORDS, Type.NULLABLE_RECORDS);
    private static final Set<Type> COMPACT_BYTES = Set.of(
            Type.COMPACT_BYTES, Type.COMPACT_NULLABLE_BYTES, Type.COMPACT_RECORDS, Type.COMPACT_NULLABLE_RECORDS);

    private static final Map<ApiKeys, @Nullable RequestShape[]> BY_VERSION = all();

    /** So many steps are nothing beside the rest of what an element takes. */
    private static final int FEW_PER_ELEMENT = 100;

    /** There are no such lists before the one that matters, so this is told of none. */
    private static final HashSteps NOTHING_TO_COUNT = new HashSteps();

    /** The fields before the list. */
    private final Shape[] before;
    /** The one list that matters, perhaps with others in its elements; what lies behind is left to the decoder. */
    private final Shape.Many list;

    private RequestShape(Shape[] before, Shape.Many list) {
        this.before = before;
        this.list = list;
    }

    /**
     * Where the list lies in the body.
     *
     * @param start of the number of its elements
     * @param elements the first one's beginning
     * @param end behind the last one
     * @param compact how numbers of elements are written
     */
    record Extent(int start, int elements, int end, int count, boolean compact) {}

    /** Of a request in a version; null if it has no such lists. */
    static @Nullable RequestShape of(ApiKeys api, short version) {
        @Nullable RequestShape[] versions = BY_VERSION.get(api);
        return versions == null ? null : versions[version];
    }

    /**
     * Reads over a body.
     *
     * @param body from its position on, which stays
     * @param canBeApart whether elements of the list can be read one by one, without Kafka's table
     * @return where the list lies if it is to be read so, because the table would be slow; else null
     * @throws FrameReadable.TooLargeException if decoding it would take too long
     * @throws RuntimeException if it cannot be read
     */
    @Nullable Extent require(ByteBuffer body, boolean canBeApart) {
        int start = body.position();
        for (Shape field : before) {
            field.read(body, NOTHING_TO_COUNT);
        }
        Extent extent = list.isHarmless(body) ? null : requireList(body, new HashSteps(), canBeApart);
        body.position(start);
        return extent;
    }

    private @Nullable Extent requireList(ByteBuffer body, HashSteps steps, boolean canBeApart) {
        HashedList hashed = list.hashed();
        if (!canBeApart || hashed == null) {
            list.read(body, steps);
            return null;
        }
        int start = body.position();
        int count = list.count(body);
        int elements = body.position();
        if (count <= 0) {
            return null;
        }
        int[] hashes = list.hashes(body, steps, count);
        return steps.fit(hashes, count, hashed, FEW_PER_ELEMENT)
                ? null
                : new Extent(start, elements, body.position(), count, list.compact());
    }

    /** Reads over the fields as far as they matter, and tells of every list. */
    void read(ByteBuffer body, HashSteps steps) {
        for (Shape field : before) {
            field.read(body, steps);
        }
        list.read(body, steps);
    }

    private static Map<ApiKeys, @Nullable RequestShape[]> all() {
        Map<ApiKeys, @Nullable RequestShape[]> all = new EnumMap<>(ApiKeys.class);
        for (ApiKeys api : HashedLists.apis()) {
            Schema[] schemas = api.messageType.requestSchemas();
            @Nullable RequestShape[] versions = new @Nullable RequestShape[schemas.length];
            for (int version = 0; version < schemas.length; version++) {
                Schema schema = schemas[version];
                versions[version] = schema == null ? null : of(new Reader(api).struct(schema, "", List.of()));
            }
            all.put(api, versions);
        }
        return all;
    }

    private static @Nullable RequestShape of(Shape.Struct body) {
        for (int i = 0; i < body.fields().length; i++) {
            if (body.fields()[i] instanceof Shape.Many list && list.hasTables()) {
                return new RequestShape(Arrays.copyOf(body.fields(), i), list);
            }
        }
        return null;
    }

    /** Turns Kafka's schemas into shapes. */
    private static final class Reader {
        private final Map<String, HashedList> lists;

        Reader(ApiKeys api) {
            lists = HashedLists.of(api);
        }

        Shape.Struct struct(Schema schema, String path, List<String> keys) {
            List<Shape> fields = new ArrayList<>();
            List<Boolean> areKeys = new ArrayList<>();
            int nextKey = 0;
            for (BoundField field : schema.fields()) {
                int key = keys.indexOf(field.def.name);
                for (; nextKey < key; nextKey++) {
                    fields.add(new Shape.Fixed(0));
                    areKeys.add(true);
                }
                nextKey = Math.max(nextKey, key + 1);
                fields.add(
                        shape(field.def.type, path.isEmpty() ? field.def.name : path + "." + field.def.name, key >= 0));
                areKeys.add(key >= 0);
            }
            for (; nextKey < keys.size(); nextKey++) {
                fields.add(new Shape.Fixed(0));
                areKeys.add(true);
            }
            boolean[] flags = new boolean[areKeys.size()];
            for (int i = 0; i < flags.length; i++) {
                flags[i] = areKeys.get(i);
            }
            return new Shape.Struct(schema.isNullable(), fields.toArray(Shape[]::new), flags);
        }

        private Shape shape(Type type, String path, boolean key) {
            HashedList list = lists.get(path);
            if (type.isArray()) {
                Type element = type.arrayElementType().orElseThrow();
                return new Shape.Many(shape(element, path, list != null), type instanceof CompactArrayOf, list);
            }
            if (type instanceof Schema schema) {
                return struct(schema, path, list == null ? List.of() : list.keys());
            }
            if (type instanceof TaggedFields) {
                return new Shape.Tags();
            }
            return scalar(type, path, key);
        }

        private static Shape scalar(Type type, String path, boolean key) {
            Integer bytes = FIXED.get(type);
            if (bytes != null) {
                return new Shape.Fixed(bytes);
            }
            if (TEXTS.contains(type) || COMPACT_TEXTS.contains(type)) {
                return new Shape.Text(COMPACT_TEXTS.contains(type), key);
            }
            if (BYTES.contains(type) || COMPACT_BYTES.contains(type)) {
                return new Shape.Bytes(COMPACT_BYTES.contains(type));
            }
            throw new IllegalStateException(path + " is of a type that is not known here: " + type);
        }
    }
}
