package io.sluice.base.metric;

import java.util.List;

/**
 * The catalogue: every metric the product has, with its kind, unit and a sentence. docs/metrics.md is made from it and
 * checked against it. Names are {@code sluice_<area>_<thing>_<unit>}; a counter's {@code _total} is added at exposition.
 */
public enum Metric {
    PUBLISH_SECONDS(
            Kind.HISTOGRAM_SECONDS,
            "sluice_publish_seconds",
            "Time from the arrival of a Produce request to the durability of all its records."),
    PRODUCE_EXPIRED_REQUESTS(
            Kind.COUNTER,
            "sluice_produce_expired_requests",
            "Produce requests answered REQUEST_TIMED_OUT because their time-out passed before their records were durable."),
    TOPIC_PUBLISH_SECONDS(
            Kind.HISTOGRAM_SECONDS,
            "sluice_topic_publish_seconds",
            "Time from the arrival of a Produce request to the durability of its records, by topic.",
            "topic"),
    TOPIC_IN_BYTES(Kind.COUNTER, "sluice_topic_in_bytes", "Bytes of record batches appended by producers.", "topic"),
    TOPIC_IN_RECORDS(Kind.COUNTER, "sluice_topic_in_records", "Records appended by producers.", "topic"),
    TOPIC_OUT_BYTES(Kind.COUNTER, "sluice_topic_out_bytes", "Bytes of record batches sent to consumers.", "topic"),
    TOPIC_OUT_RECORDS(
            Kind.COUNTER,
            "sluice_topic_out_records",
            "Records sent to consumers, as the headers of whole batches count them.",
            "topic"),
    FETCH_SESSIONS(Kind.GAUGE, "sluice_fetch_sessions", "Fetch sessions kept for consumers (KIP-227)."),
    FETCH_SESSION_PARTITIONS(
            Kind.GAUGE, "sluice_fetch_session_partitions", "Partitions in all fetch sessions together."),
    FETCH_SESSION_EVICTIONS(
            Kind.COUNTER, "sluice_fetch_session_evictions", "Fetch sessions given up to make room for others."),
    COORDINATOR_LOAD_SECONDS(
            Kind.HISTOGRAM_SECONDS,
            "sluice_coordinator_load_seconds",
            "Time to load one partition of a coordinator's topic.",
            "coordinator"),
    COORDINATOR_EVENT_WAIT_SECONDS(
            Kind.HISTOGRAM_SECONDS,
            "sluice_coordinator_event_wait_seconds",
            "Time a request waited for its coordinator's thread.",
            "coordinator"),
    COORDINATOR_EVENT_QUEUE_EVENTS(
            Kind.GAUGE,
            "sluice_coordinator_event_queue_events",
            "Requests waiting for a coordinator's thread.",
            "coordinator"),
    GROUP_LAG_RECORDS(
            Kind.GAUGE,
            "sluice_group_lag_records",
            "Records between what a group has committed and what it may read, as of the scrape before.",
            "group",
            "topic",
            "partition"),
    GROUP_LAG_HIDDEN_PARTITIONS(
            Kind.GAUGE,
            "sluice_group_lag_hidden_partitions",
            "Partitions with committed offsets whose lag is not shown because there are too many."),
    TRANSACTION_OPEN_TRANSACTIONS(
            Kind.GAUGE,
            "sluice_transaction_open_transactions",
            "Transactions that are open: ongoing, or ending, where the decision is made and not all partitions have it.",
            "state"),
    TRANSACTION_IDS(Kind.GAUGE, "sluice_transaction_ids", "Transactional ids that are remembered."),
    TRANSACTION_ENDED(
            Kind.COUNTER,
            "sluice_transaction_ended",
            "Transactions whose end every partition has, by outcome: committed or aborted.",
            "outcome"),
    TRANSACTION_OVERDUE(
            Kind.COUNTER,
            "sluice_transaction_overdue",
            "Transactions aborted because they were open for longer than their time-out."),
    TRANSACTION_MARKERS_WAITING(
            Kind.GAUGE,
            "sluice_transaction_markers_waiting",
            "Markers of ended transactions that their partitions have not accepted yet."),
    TELEMETRY_PUSHES(
            Kind.COUNTER,
            "sluice_telemetry_pushes",
            "Pushes of clients' metrics that were taken, those without metrics too."),
    TELEMETRY_PUSHES_REFUSED(
            Kind.COUNTER,
            "sluice_telemetry_pushes_refused",
            "Pushes of clients' metrics that were refused, by Kafka's name of the error.",
            "error"),
    TELEMETRY_POINTS(Kind.COUNTER, "sluice_telemetry_points", "Values in clients' pushes that were taken."),
    TELEMETRY_POINTS_LEFT_OUT(
            Kind.COUNTER,
            "sluice_telemetry_points_left_out",
            "Values in clients' pushes that are not shown: of a kind that is neither gauge nor sum (kind), with a name or"
                    + " labels that are too long or none (name, labels), no value for their kind (value), or beyond the series"
                    + " that one client or all may have (room).",
            "reason"),
    TELEMETRY_INSTANCES(Kind.GAUGE, "sluice_telemetry_instances", "Client instances whose subscription is remembered."),
    TELEMETRY_CLIENTS(Kind.GAUGE, "sluice_telemetry_clients", "Client instances whose metrics are shown."),
    TELEMETRY_SERIES(Kind.GAUGE, "sluice_telemetry_series", "Series of clients' metrics that are shown."),
    MEMORY_DIRECT_USED_BYTES(
            Kind.GAUGE, "sluice_memory_direct_used_bytes", "Capacity of all direct buffers that live, in bytes."),
    MEMORY_DIRECT_LIMIT_BYTES(
            Kind.GAUGE, "sluice_memory_direct_limit_bytes", "Direct memory above which buffers are refused, in bytes."),
    MEMORY_DIRECT_POOLED_BYTES(
            Kind.GAUGE,
            "sluice_memory_direct_pooled_bytes",
            "Direct memory the buffer pool has taken from the system, in bytes."),
    MEMORY_DIRECT_REFUSALS(
            Kind.COUNTER, "sluice_memory_direct_refusals", "How often a buffer was refused for want of direct memory."),
    NET_REQUESTS(Kind.COUNTER, "sluice_net_requests", "Requests received.", "api"),
    NET_REQUEST_ERRORS(Kind.COUNTER, "sluice_net_request_errors", "Errors answered, by Kafka's name.", "api", "error"),
    NET_REQUEST_SECONDS(
            Kind.HISTOGRAM_SECONDS,
            "sluice_net_request_seconds",
            "Time from a request's last byte to its answer, waits asked for by the client included.",
            "api"),
    NET_REQUEST_BYTES(Kind.COUNTER, "sluice_net_request_bytes", "Bytes of requests, without the size field.", "api"),
    NET_RESPONSE_BYTES(Kind.COUNTER, "sluice_net_response_bytes", "Bytes of answers, with the size field.", "api"),
    NET_CONNECTIONS(Kind.GAUGE, "sluice_net_connections", "Connections open now.", "listener"),
    NET_CONNECTIONS_OPENED(Kind.COUNTER, "sluice_net_connections_opened", "Connections accepted.", "listener"),
    NET_CONNECTIONS_CLOSED(
            Kind.COUNTER, "sluice_net_connections_closed", "Connections closed by this node, by reason.", "reason"),
    NET_REQUEST_MEMORY_BYTES(
            Kind.GAUGE, "sluice_net_request_memory_bytes", "Memory held by requests received or arriving, in bytes."),
    NET_REQUEST_MEMORY_WAITERS(
            Kind.GAUGE, "sluice_net_request_memory_waiters", "Connections not read because request memory is full."),
    NET_REQUEST_HEAP_BYTES(
            Kind.GAUGE,
            "sluice_net_request_heap_bytes",
            "Heap that large requests in flight take once they have been read, estimated from above, in bytes."),
    NET_REQUEST_HEAP_WAITERS(
            Kind.GAUGE, "sluice_net_request_heap_waiters", "Connections not read because request heap is used up."),
    NET_RESPONSE_MEMORY_BYTES(
            Kind.GAUGE,
            "sluice_net_response_memory_bytes",
            "Memory held by answers not yet taken by clients, in bytes."),

    JOURNAL_FLUSH_SECONDS(
            Kind.HISTOGRAM_SECONDS, "sluice_journal_flush_seconds", "Time of one flushed write of a journal group."),
    JOURNAL_GROUP_WAIT_SECONDS(
            Kind.HISTOGRAM_SECONDS,
            "sluice_journal_group_wait_seconds",
            "Time the oldest entry of a group waited before its write began."),
    LOG_APPENDED_BYTES(Kind.COUNTER, "sluice_log_appended_bytes", "Bytes of batches appended to logs."),
    LOG_APPENDED_RECORDS(Kind.COUNTER, "sluice_log_appended_records", "Records appended to logs."),
    LOG_SIZE_BYTES(Kind.GAUGE, "sluice_log_size_bytes", "Bytes of all segments of all logs."),
    LOG_PARTITIONS(Kind.GAUGE, "sluice_log_partitions", "Logs that are open."),
    LOG_OPEN_FILES(Kind.GAUGE, "sluice_log_open_files", "Segment files that are open."),
    LOG_PRODUCERS(
            Kind.GAUGE,
            "sluice_log_producers",
            "Idempotent producers that are remembered, each once for every partition it has sent to."),
    LOG_CORRUPT_BATCHES(Kind.COUNTER, "sluice_log_corrupt_batches", "Damaged batches found in segments."),
    LOG_QUARANTINED_RANGES(
            Kind.GAUGE, "sluice_log_quarantined_ranges", "Damaged or missing places of segments that are not served."),
    LOG_FENCED(
            Kind.GAUGE,
            "sluice_log_fenced",
            "1 after a write to the data directory failed whose outcome is unknown: nothing is appended until the node is"
                    + " started again. Else 0."),
    LOG_LOW_ON_SPACE(
            Kind.GAUGE,
            "sluice_log_low_on_space",
            "1 while less than sluice.low.space.bytes is free where the logs are: producers are refused with"
                    + " KAFKA_STORAGE_ERROR. Else 0."),
    LOG_LOW_SPACE_MARK_BYTES(
            Kind.GAUGE,
            "sluice_log_low_space_mark_bytes",
            "Free space below which producers are refused (sluice.low.space.bytes); 0 for none."),
    LOG_FAILED_PARTITIONS(
            Kind.GAUGE,
            "sluice_log_failed_partitions",
            "Partitions whose log could not be opened: they are not served until the node is started again."),
    METADATA_LOST(
            Kind.GAUGE,
            "sluice_metadata_lost",
            "1 after a write of the metadata failed whose outcome is unknown: topics, settings and producer ids cannot be"
                    + " changed or given until the node is started again. Else 0."),
    LOG_CHECKPOINTS(Kind.COUNTER, "sluice_log_checkpoints", "Checkpoints completed."),
    LOG_CHECKPOINT_SECONDS(Kind.HISTOGRAM_SECONDS, "sluice_log_checkpoint_seconds", "Time of one checkpoint."),
    LOG_COPIED_FORWARD_BYTES(
            Kind.COUNTER,
            "sluice_log_copied_forward_bytes",
            "Bytes of small segment tails that checkpoints copied into the journal instead of forcing the segment."),
    LOG_CLEANINGS(Kind.COUNTER, "sluice_log_cleanings", "Compactions of a log that have come to their end."),
    LOG_CLEANED_BYTES(
            Kind.COUNTER,
            "sluice_log_cleaned_bytes",
            "Bytes of segments that compaction has read: what is new twice, for its keys and to write it anew."),
    LOG_CLEANER_WRITTEN_BYTES(
            Kind.COUNTER, "sluice_log_cleaner_written_bytes", "Bytes of segments that compaction has written."),
    LOG_CLEANING_REMAINING_BYTES(
            Kind.GAUGE,
            "sluice_log_cleaning_remaining_bytes",
            "Bytes that the compaction at hand has still to read at most; 0 while there is none."),
    LOG_CLEANER_WAITING_BYTES(
            Kind.GAUGE,
            "sluice_log_cleaner_waiting_bytes",
            "Bytes of compacted topics that could be compacted and are not enough yet (min.cleanable.dirty.ratio), when all were"
                    + " looked at last."),
    LOG_CATCH_UP_BYTES(Kind.GAUGE, "sluice_log_catch_up_bytes", "Memory held by reads behind the tail, in bytes."),
    JOURNAL_UNRELEASED_BYTES(
            Kind.GAUGE, "sluice_journal_unreleased_bytes", "Bytes of the journal that a restart would replay."),
    JOURNAL_GROUP_BYTES(
            Kind.HISTOGRAM_BYTES, "sluice_journal_group_bytes", "Size of a journal group as written, in bytes."),

    PROCESS_RESIDENT_BYTES(
            Kind.GAUGE, "sluice_process_resident_bytes", "Memory of the process as the system counts it (RSS)."),
    PROCESS_OPEN_DESCRIPTORS(
            Kind.GAUGE, "sluice_process_open_descriptors", "Descriptors open: connections, files, pipes."),
    PROCESS_MAX_DESCRIPTORS(
            Kind.GAUGE, "sluice_process_max_descriptors", "Descriptors that may be open at once (the soft limit)."),
    PROCESS_CPU_SECONDS(Kind.COUNTER, "sluice_process_cpu_seconds", "CPU time that the process has used."),
    PROCESS_UPTIME_SECONDS(Kind.GAUGE, "sluice_process_uptime_seconds", "Time since the process started."),
    JVM_THREADS(Kind.GAUGE, "sluice_jvm_threads", "Java threads."),
    JVM_HEAP_USED_BYTES(Kind.GAUGE, "sluice_jvm_heap_used_bytes", "Heap in use, garbage included."),
    JVM_HEAP_MAX_BYTES(Kind.GAUGE, "sluice_jvm_heap_max_bytes", "Largest size of the heap."),
    JVM_BUFFER_BYTES(
            Kind.GAUGE, "sluice_jvm_buffer_bytes", "Memory of the JVM's own direct buffers, Sluice's pool included."),
    JVM_GC_COLLECTIONS(Kind.COUNTER, "sluice_jvm_gc_collections", "Garbage collections since the start."),
    JVM_GC_SECONDS(Kind.COUNTER, "sluice_jvm_gc_seconds", "Time spent in garbage collections since the start.");

    private final Kind kind;
    private final String metricName;
    private final String help;
    private final List<String> labels;

    Metric(Kind kind, String metricName, String help, String... labels) {
        this.kind = kind;
        this.metricName = metricName;
        this.help = help;
        this.labels = List.of(labels);
    }

    /** What it measures and how. */
    public Kind kind() {
        return kind;
    }

    /** The name at exposition, without a counter's {@code _total}. */
    public String metricName() {
        return metricName;
    }

    /** One sentence for the person who reads it. */
    public String help() {
        return help;
    }

    /** Names of its labels, in the order in which values are given. */
    public List<String> labels() {
        return labels;
    }

    /** Kinds of metrics. */
    public enum Kind {
        /** Only grows. */
        COUNTER,
        /** A value read when somebody asks. */
        GAUGE,
        /** Durations; observed in nanoseconds, shown in seconds, with buckets from 50 µs to 60 s. */
        HISTOGRAM_SECONDS,
        /** Sizes in bytes, with buckets from 256 B to 64 MiB. */
        HISTOGRAM_BYTES
    }
}
