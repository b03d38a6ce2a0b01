"""Kafka: a source whose offsets are in the journal, and a sink that produces changes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from typing import Any

from pantarhei.errors import ConnectionFailedError, OptionError
from pantarhei.errors.base import import_package
from pantarhei.service.batching import Received
from pantarhei.service.changes import Emitted
from pantarhei.service.clients import LOG, PATIENCE, reaching, text_of
from pantarhei.service.config import KafkaSink, KafkaSource, ServiceConfig
from pantarhei.service.sinks.sink import Positions, Sink, to_json
from pantarhei.service.sources.source import PolledSource

_REFRESH = 10.0  # seconds between queries for new partitions
_BATCH = 500
_PRODUCER: Mapping[str, Any] = {"enable.idempotence": True, "delivery.timeout.ms": 30_000, "linger.ms": 5}
_DELIVERY = 35.0  # seconds, longer than the time after which librdkafka gives up


def _settings(section: KafkaSource | KafkaSink) -> dict[str, Any]:
    """Return the settings of a client: the servers, and those of the configuration."""
    return {"bootstrap.servers": section.kafka, "log_level": 3} | section.settings


class KafkaMessages(PolledSource):
    """Messages of topics of a Kafka cluster. Partitions are assigned; no group of consumers is joined.

    A position is the offset of the next message, by `topic/partition`. Partitions that appear later are read
    from their beginning. Offsets are not committed to the cluster: the journal has them.

    Raises:
        MissingPackageError: confluent-kafka is not installed.
    """

    def __init__(self, name: str, config: ServiceConfig, section: KafkaSource) -> None:
        super().__init__(name, config, section)
        self._kafka = import_package("confluent_kafka", "kafka", "a Kafka source")
        own = {"group.id": section.group, "enable.auto.commit": False, "auto.offset.reset": "error"}
        self._settings = _settings(section) | own

    def check(self) -> None:
        with self._reaching(), closing(self._consumer(log_level=0)) as consumer:  # the error is raised
            self._partitions(consumer)

    def receive(self) -> Iterator[Received | None]:
        with self._reaching(), closing(self._consumer()) as consumer:
            self.note_connection()
            is_first, refreshed = not self.positions, -_REFRESH
            while True:
                if time.monotonic() - refreshed >= _REFRESH:
                    refreshed = time.monotonic()
                    yield from self._assign(consumer, is_first)
                    is_first = False
                found = consumer.consume(_BATCH, 0.1)
                for message in found:
                    if message.error() is not None:
                        yield from self._handle(consumer, message)
                        continue
                    topic, part = message.topic(), _part(message.topic(), message.partition())
                    yield self.received(topic, message.value() or b"", part, message.offset() + 1)
                if not found:
                    yield None

    def _consumer(self, **settings: object) -> Any:
        return self._kafka.Consumer(self._settings | settings, logger=LOG.getChild("kafka"))

    def _reaching(self) -> AbstractContextManager[None]:
        return reaching(self.name, self.section.kafka)

    def _partitions(self, consumer: Any) -> list[Any]:
        """Return the partitions of all topics. Raises `ConnectionFailedError`."""
        found = []
        for topic in self.section.topics:
            known = consumer.list_topics(topic, PATIENCE).topics[topic]
            if known.error is not None:
                address = f"{self.section.kafka}, topic {topic}"
                raise ConnectionFailedError(self.name, address, str(known.error))
            found += [self._kafka.TopicPartition(topic, number) for number in known.partitions]
        return found

    def _assign(self, consumer: Any, is_first: bool) -> Iterator[Received]:
        """Assign the partitions that are not assigned yet, and yield the positions of new ones."""
        assigned = {(each.topic, each.partition) for each in consumer.assignment()}
        new = [each for each in self._partitions(consumer) if (each.topic, each.partition) not in assigned]
        for each in new:
            part = _part(each.topic, each.partition)
            if part not in self.positions:
                low, high = consumer.get_watermark_offsets(each, PATIENCE)
                self.positions[part] = high if is_first and self.section.start == "latest" else low
                yield self.placed(part, self.positions[part])
            each.offset = self.positions[part]
        if new:
            consumer.incremental_assign(new)

    def _handle(self, consumer: Any, message: Any) -> Iterator[Received]:
        """Continue after an error; if messages were deleted before they were read, at the oldest one left.

        Raises:
            ConnectionFailedError: the error ends the connection.
        """
        error = message.error()
        if error.code() == self._kafka.KafkaError._AUTO_OFFSET_RESET:
            place = self._kafka.TopicPartition(message.topic(), message.partition())
            part = _part(place.topic, place.partition)
            place.offset, _ = consumer.get_watermark_offsets(place, PATIENCE)
            before = self.positions[part]
            self.failed(f"{part} has no message {before}; it is read from {place.offset}, the oldest one")
            consumer.incremental_unassign([place])
            consumer.incremental_assign([place])
            yield self.placed(part, place.offset)
        elif error.fatal():
            raise self._kafka.KafkaException(error)
        else:  # the client tries again by itself
            self.status.problem = error.str()


def _part(topic: str, partition: int) -> str:
    return f"{topic}/{partition}"


class KafkaChanges(Sink):
    """Topic of a Kafka cluster that receives each change as a JSON object.

    Without `transactional`, each change is written at least once, with the same id. With it, changes and
    position are in one transaction, and consumers with `isolation.level=read_committed` see each change
    exactly once: the position is the committed offset of the group `<service>-<sink>` in partition 0 of the
    topic. Kafka's transactions are not tested: the mock cluster of librdkafka shows aborted transactions and
    keeps no offsets of transactions.

    Raises:
        OptionError: the cluster or a setting is invalid.
        MissingPackageError: confluent-kafka is not installed.
    """

    def __init__(self, name: str, config: ServiceConfig, section: KafkaSink, positions: Positions) -> None:
        super().__init__(name, section.of, positions)
        self._kafka, self._section = import_package("confluent_kafka", "kafka", "a sink of Kafka"), section
        source = config.sources.get(section.kafka)
        self._common = _settings(section)
        if isinstance(source, KafkaSource):
            self._common = _settings(source) | section.settings
        elif ":" not in section.kafka:
            raise OptionError("kafka", repr(section.kafka), "the name of a Kafka source, or HOST:PORT")
        self.address, self._group = self._common["bootstrap.servers"], f"{config.name}-{name}"
        self._own = {**_PRODUCER, **({"transactional.id": self._group} if section.transactional else {})}
        self._producer: Any = None
        self._consumer: Any = None
        self._client(self._kafka.Producer, self._own)  # refuses an invalid setting at the start

    def _client(self, make: Any, settings: Mapping[str, Any]) -> Any:
        try:
            return make({**settings, **self._common}, logger=LOG.getChild("kafka"))
        except self._kafka.KafkaException as error:
            text = f"valid settings of librdkafka: {text_of(error)}"
            raise OptionError("settings", repr(sorted(self._common)), text) from None

    def check(self) -> None:
        with self._reaching():
            self._client(self._kafka.Producer, {}).list_topics(timeout=PATIENCE)

    def open(self) -> int | None:
        self.close()
        self._producer = self._client(self._kafka.Producer, self._own)
        with self._reaching():
            if not self._section.transactional:
                self._producer.list_topics(timeout=PATIENCE)
                return None
            self._producer.init_transactions(PATIENCE)  # ends the transactions of a former process
            settings = {"group.id": self._group, "enable.auto.commit": False}
            self._consumer = self._client(self._kafka.Consumer, settings)
            [found] = self._consumer.committed([self._place()], timeout=PATIENCE)
        return found.offset if found.error is None and found.offset >= 0 else None

    def _place(self, number: int = -1) -> Any:
        return self._kafka.TopicPartition(self._section.topic, 0, number)

    def write(self, given: Sequence[Emitted]) -> None:
        number, producer = given[-1].number, self._producer
        with self._reaching():
            if self._section.transactional:
                producer.begin_transaction()
            self._produce(given)
            if self._section.transactional:
                group = self._consumer.consumer_group_metadata()
                producer.send_offsets_to_transaction([self._place(number)], group, PATIENCE)
                producer.commit_transaction(_DELIVERY)
        self._advance(number)

    def _produce(self, given: Sequence[Emitted]) -> None:
        topic, produce = self._section.topic, self._producer.produce
        outcomes: list[object] = []  # by change, its error or None
        for each in (change for emitted in given for change in emitted.changes):
            key, value = getattr(each, self._section.key).encode(), to_json(each.as_json()).encode()
            while True:
                try:
                    produce(topic, value, key, on_delivery=lambda error, message: outcomes.append(error))
                    break
                except BufferError:  # the queue of librdkafka is full
                    self._producer.poll(0.1)
        left = self._producer.flush(_DELIVERY)
        if problem := next(filter(None, outcomes), f"{left} changes not delivered" if left else None):
            raise ConnectionFailedError(self.name, self.address, text_of(problem))

    def close(self) -> None:
        if self._producer is not None:
            producer, self._producer = self._producer, None
            producer.purge()  # else what failed would be sent later, beside its repetition
            producer.flush(0)
        if self._consumer is not None:
            consumer, self._consumer = self._consumer, None
            consumer.close()
