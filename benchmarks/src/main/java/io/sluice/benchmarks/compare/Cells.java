package io.sluice.benchmarks.compare;

import java.util.List;

/** All cells, in the order in which they run. */
final class Cells {
    private static final List<String> UNFLOODED = List.of();

    static final List<Cell> ALL = List.of(
            new LifeCells.Start(),
            new ServedCell(
                    "produce-16x1k",
                    "as many 1 KiB records as one client can send, 16 partitions, acks=all, default batches",
                    16,
                    true,
                    UNFLOODED,
                    "produce",
                    List.of("records=1500000", "warmup=300000", "size=1024")),
            new ServedCell(
                    "produce-1x100",
                    "as many 100 B records as one client can send, 1 partition, acks=all, default batches",
                    1,
                    true,
                    UNFLOODED,
                    "produce",
                    List.of("records=4000000", "warmup=1000000", "size=100")),
            new ServedCell(
                    "rate-10k",
                    "10,000 records of 1 KiB a second, 1 partition, acks=all, linger 0",
                    1,
                    true,
                    UNFLOODED,
                    "rate",
                    List.of("rate=10000", "seconds=12", "warmup-seconds=5", "linger.ms=0")),
            new ServedCell(
                    "rate-1k",
                    "1,000 records of 1 KiB a second, 1 partition, acks=all, linger 0",
                    1,
                    true,
                    UNFLOODED,
                    "rate",
                    List.of("rate=1000", "seconds=12", "warmup-seconds=5", "linger.ms=0")),
            new ServedCell(
                    "producers-200",
                    "200 producers, 1,000 records of 100 B a second in all, 16 partitions, acks=all, linger 0",
                    16,
                    true,
                    UNFLOODED,
                    "rate",
                    List.of(
                            "producers=200",
                            "rate=1000",
                            "seconds=12",
                            "warmup-seconds=6",
                            "size=100",
                            "linger.ms=0",
                            "buffer.memory=1048576")),
            new ServedCell(
                    "end-to-end-1k",
                    "1,000 records of 1 KiB a second from due to consumed, 1 partition, acks=all, linger 0",
                    1,
                    false,
                    UNFLOODED,
                    "end-to-end",
                    List.of("rate=1000", "seconds=12", "warmup-seconds=5", "linger.ms=0")),
            new ServedCell(
                    "consume-16x1k",
                    "1,000,000 records of 1 KiB read from the page cache, 16 partitions",
                    16,
                    false,
                    List.of("records=1000000", "warmup=0", "size=1024"),
                    "consume",
                    List.of("records=1000000")),
            new CleaningCell(),
            new LifeCells.Restart(100, 10, 2_000_000),
            new LifeCells.ManyPartitions(100, 100),
            new LifeCells.ManyPartitions(10_000, 1));

    private Cells() {}
}
