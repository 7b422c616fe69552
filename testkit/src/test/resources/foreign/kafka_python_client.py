"""What kafka-python does with a broker. Arguments: bootstrap server, prefix for names. Prints "done" if all went well."""
import sys
import threading
import time

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic

BOOTSTRAP, PREFIX = sys.argv[1:3]
RECORDS = 300
PARTITIONS = 4
LIMIT_SECONDS = 60


def until(what, condition):
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > LIMIT_SECONDS:
            raise AssertionError("waited in vain for " + what)
        time.sleep(0.02)


def create(topic):
    admin = KafkaAdminClient(bootstrap_servers=BOOTSTRAP)
    admin.create_topics([NewTopic(topic, PARTITIONS, 1)])
    admin.close()


def value(i):
    return (f"value {i}, long enough to be worth compressing. " * 5).encode()


def produce(topic, compression, first, count):
    producer = KafkaProducer(
        bootstrap_servers=BOOTSTRAP, acks="all", compression_type=compression, linger_ms=5)
    sent = [
        producer.send(topic, key=f"key {i}".encode(), value=value(i), headers=[("about", f"header {i}".encode())])
        for i in range(first, first + count)
    ]
    for future in sent:
        assert future.get(timeout=LIMIT_SECONDS).offset >= 0
    producer.close()


def verify(record):
    i = int(record.key.decode().split()[1])
    assert record.value == value(i), record
    assert record.headers == [("about", f"header {i}".encode())], record
    return i


def produces_and_consumes(compression):
    topic = f"{PREFIX}-{compression}"
    create(topic)
    produce(topic, compression, 0, RECORDS)
    consumer = KafkaConsumer(bootstrap_servers=BOOTSTRAP)
    partitions = [TopicPartition(topic, p) for p in range(PARTITIONS)]
    consumer.assign(partitions)
    consumer.seek_to_beginning()
    found = []

    def all_came():
        for records in consumer.poll(timeout_ms=200).values():
            found.extend(verify(record) for record in records)
        return len(found) >= RECORDS

    until(f"records of {topic}", all_came)
    assert sorted(found) == list(range(RECORDS)), found
    ends = consumer.end_offsets(partitions)
    assert sum(ends.values()) == RECORDS, ends
    consumer.close()
    print("produced and consumed:", compression)


class Member:
    """A consumer in a group, with a thread of its own."""

    def __init__(self, topic):
        self.consumer = KafkaConsumer(
            topic, group_id=topic + "-g", bootstrap_servers=BOOTSTRAP, auto_offset_reset="earliest",
            enable_auto_commit=False)
        self.found = []
        self.assigned = 0
        self.failure = None
        self.stopping = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            while not self.stopping:
                batch = self.consumer.poll(timeout_ms=200)
                self.assigned = len(self.consumer.assignment())
                if batch:
                    self.consumer.commit()
                    self.found.extend(verify(record) for records in batch.values() for record in records)
            self.consumer.close()
        except BaseException as e:
            self.failure = e

    def close(self):
        self.stopping = True
        self.thread.join(LIMIT_SECONDS)
        assert not self.thread.is_alive()
        assert self.failure is None, self.failure


def shares_partitions():
    topic = f"{PREFIX}-group"
    create(topic)
    one = Member(topic)
    until("the first member to own everything", lambda: one.assigned == PARTITIONS or one.failure)
    two = Member(topic)
    until("two members to own half each", lambda: one.assigned == two.assigned == PARTITIONS // 2)
    produce(topic, None, 0, RECORDS)
    until("both members to get all records", lambda: len(one.found) + len(two.found) >= RECORDS)
    one.close()
    until("the second member to own everything", lambda: two.assigned == PARTITIONS)
    two.close()
    assert one.found and two.found
    assert sorted(one.found + two.found) == list(range(RECORDS))
    three = Member(topic)
    until("the third member to own everything", lambda: three.assigned == PARTITIONS)
    produce(topic, None, RECORDS, 10)
    until("the third member to get what is new", lambda: len(three.found) >= 10)
    three.close()
    assert sorted(three.found) == list(range(RECORDS, RECORDS + 10)), three.found
    print("shared partitions in a group")


for codec in (None, "gzip", "snappy", "lz4", "zstd"):
    produces_and_consumes(codec)
shares_partitions()
print("done")
