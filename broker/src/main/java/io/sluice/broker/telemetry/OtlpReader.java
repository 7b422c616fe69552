package io.sluice.broker.telemetry;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the gauges and sums of an OpenTelemetry {@code MetricsData} message (opentelemetry-proto v1), which is what KIP-714
 * has clients push. Keeps a bounded number of values; of the rest only the number. For one payload and one thread.
 */
final class OtlpReader {
    private static final int DELTA = 1;
    private static final int NO_RECORDED_VALUE = 1;

    private final int maxPoints;
    private final List<TelemetryPoint> points = new ArrayList<>();
    private final Map<LeftOut, Integer> leftOut = new EnumMap<>(LeftOut.class);

    private OtlpReader(int maxPoints) {
        this.maxPoints = maxPoints;
    }

    /**
     * What a payload holds.
     *
     * @param points in its order
     * @param leftOut how many values are not among them, and why
     */
    record Reading(List<TelemetryPoint> points, Map<LeftOut, Integer> leftOut) {}

    /**
     * Reads a payload.
     *
     * @param maxPoints most values that are kept
     * @throws ProtoCursor.MalformedException if it is no such message
     */
    static Reading read(ByteBuffer payload, int maxPoints) {
        OtlpReader reader = new OtlpReader(maxPoints);
        ProtoCursor data = new ProtoCursor(payload);
        while (data.next()) {
            if (data.field() == 1) {
                reader.readResource(data.message());
            }
        }
        return new Reading(reader.points, reader.leftOut);
    }

    private void readResource(ProtoCursor resource) {
        while (resource.next()) {
            if (resource.field() == 2) {
                readScope(resource.message());
            }
        }
    }

    private void readScope(ProtoCursor scope) {
        while (scope.next()) {
            if (scope.field() == 2) {
                readMetric(scope.message(), metricName(scope.message()));
            }
        }
    }

    /** The name, wherever in the message it stands; null for none that can be shown. */
    private static @Nullable String metricName(ProtoCursor metric) {
        String name = null;
        while (metric.next()) {
            if (metric.field() == 1) {
                // Longer in bytes than any that could be short enough in characters: not worth a copy.
                name = metric.length() > 4 * SeriesText.MAX_NAME_LENGTH ? null : metric.text();
            }
        }
        return name == null ? null : SeriesText.metricName(name);
    }

    private void readMetric(ProtoCursor metric, @Nullable String name) {
        while (metric.next()) {
            switch (metric.field()) {
                case 5 -> readPoints(metric.message(), name, false, false);
                case 7 -> readSum(metric.message(), metric.message(), name);
                case 9, 10, 11 -> readOthers(metric.message());
                default -> {
                    // name, description, unit, and what later versions add
                }
            }
        }
    }

    /** What kind of sum it is stands behind its values, so it is gone over twice. */
    private void readSum(ProtoCursor first, ProtoCursor second, @Nullable String name) {
        boolean delta = false;
        boolean monotonic = false;
        while (first.next()) {
            if (first.field() == 2) {
                delta = first.varint() == DELTA;
            } else if (first.field() == 3) {
                monotonic = first.varint() != 0;
            }
        }
        readPoints(second, name, monotonic, delta);
    }

    private void readPoints(ProtoCursor values, @Nullable String name, boolean counter, boolean delta) {
        while (values.next()) {
            if (values.field() == 1) {
                readPoint(values.message(), name, counter, delta);
            }
        }
    }

    private void readOthers(ProtoCursor values) {
        while (values.next()) {
            if (values.field() == 1) {
                leaveOut(LeftOut.KIND);
            }
        }
    }

    private void readPoint(ProtoCursor point, @Nullable String name, boolean counter, boolean delta) {
        TreeMap<String, String> labels = new TreeMap<>();
        double value = Double.NaN;
        boolean there = false;
        boolean fit = true;
        while (point.next()) {
            switch (point.field()) {
                case 4 -> {
                    value = point.real();
                    there = true;
                }
                case 6 -> {
                    value = point.fixed64();
                    there = true;
                }
                case 7 -> fit &= readLabel(point.message(), labels);
                case 8 -> there &= (point.varint() & NO_RECORDED_VALUE) == 0;
                default -> {
                    // times and examples
                }
            }
        }
        if (name == null) {
            leaveOut(LeftOut.NAME);
        } else if (!fit) {
            leaveOut(LeftOut.LABELS);
        } else if (!there || (counter && !(value >= 0))) {
            leaveOut(LeftOut.VALUE);
        } else if (points.size() >= maxPoints) {
            leaveOut(LeftOut.ROOM);
        } else {
            points.add(new TelemetryPoint(SeriesText.of(name, labels), counter, delta, value));
        }
    }

    /** Adds a label; those of the client itself are ours to give. Returns whether it fits. */
    private static boolean readLabel(ProtoCursor attribute, Map<String, String> labels) {
        String name = null;
        String value = "";
        while (attribute.next()) {
            if (attribute.field() == 1) {
                name = attribute.length() > 4 * SeriesText.MAX_LABEL_NAME_LENGTH
                        ? null
                        : SeriesText.labelName(attribute.text());
            } else if (attribute.field() == 2) {
                value = labelValue(attribute.message());
            }
        }
        if (name == null || value == null || labels.size() >= SeriesText.MAX_LABELS) {
            return false;
        }
        if (!ReceivedMetrics.CLIENT_LABELS.contains(name)) {
            labels.put(name, value);
        }
        return true;
    }

    /** As text; null for one that is too long, or no single value. */
    private static @Nullable String labelValue(ProtoCursor any) {
        String value = "";
        while (any.next()) {
            value = switch (any.field()) {
                case 1 -> any.length() > 4 * SeriesText.MAX_LABEL_VALUE_LENGTH ? null : shortText(any.text());
                case 2 -> Boolean.toString(any.varint() != 0);
                case 3 -> Long.toString(any.varint());
                case 4 -> Double.toString(any.real());
                default -> null;
            };
        }
        return value;
    }

    private static @Nullable String shortText(String text) {
        return text.length() > SeriesText.MAX_LABEL_VALUE_LENGTH ? null : text;
    }

    private void leaveOut(LeftOut why) {
        leftOut.merge(why, 1, Integer::sum);
    }
}
