"""Kafka source: partitions are assigned at the offsets in the journal; no group of consumers is joined."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from pantarhei.errors import ConnectionFailedError
from pantarhei.errors.base import MissingPackageError
from pantarhei.service.batching import Received
from pantarhei.service.config import KafkaSink, KafkaSource
from pantarhei.service.sources.source import PolledSource, unreachable

if TYPE_CHECKING:
    from confluent_kafka import Consumer, TopicPartition

_REFRESH = 10.0  # seconds between queries for new partitions
_PATIENCE = 10.0
_BATCH = 500


class KafkaMessages(PolledSource):
    """Messages of topics of a Kafka cluster.

    A position is the offset of the next message, by `topic/partition`. Partitions that appear later are read
    from their beginning. Offsets are not committed to the cluster: the journal has them.

    Raises:
        MissingPackageError: confluent-kafka is not installed.
    """

    def __init__(self, name: str, section: KafkaSource) -> None:
        super().__init__(name)
        self._section = section
        self._settings = kafka_settings(section) | {
            "group.id": section.group,
            "enable.auto.commit": False,
            "auto.offset.reset": "error",
        }
        try:
            import confluent_kafka  # noqa: F401
        except ImportError as error:
            raise MissingPackageError("kafka", "a Kafka source", str(error)) from None

    def check(self) -> None:
        with closing(self._connected()) as consumer:
            self._partitions(consumer)

    def receive(self) -> Iterator[Received | None]:
        with closing(self._connected()) as consumer:
            self.status.connected, self.status.problem = True, ""
            is_first = not self.positions
            refreshed = -_REFRESH
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
                    topic, offset = message.topic(), message.offset()
                    assert topic is not None and offset is not None, "a message without error has both"
                    part = f"{topic}/{message.partition()}"
                    yield self.received(topic, message.value() or b"", part, offset + 1)
                if not found:
                    yield None

    def _connected(self) -> Consumer:
        from confluent_kafka import Consumer, KafkaException

        try:
            return Consumer(self._settings)
        except KafkaException as error:  # a setting is invalid
            raise ConnectionFailedError(self.name, self._section.kafka, error.args[0].str()) from None

    def _partitions(self, consumer: Consumer) -> list[TopicPartition]:
        """Return the partitions of all topics. Raises `ConnectionFailedError`."""
        from confluent_kafka import KafkaException, TopicPartition

        found = []
        for topic in self._section.topics:
            try:
                known = consumer.list_topics(topic, _PATIENCE).topics[topic]
            except KafkaException as error:
                raise ConnectionFailedError(self.name, self._section.kafka, error.args[0].str()) from None
            if known.error is not None:
                raise unreachable(self.name, f"{self._section.kafka}, topic {topic}", Exception(known.error))
            found += [TopicPartition(topic, number) for number in known.partitions]
        return found

    def _assign(self, consumer: Consumer, is_first: bool) -> Iterator[Received]:
        """Assign the partitions that are not assigned yet, and yield the positions of new ones."""
        assigned = {(each.topic, each.partition) for each in consumer.assignment()}
        new = [each for each in self._partitions(consumer) if (each.topic, each.partition) not in assigned]
        for each in new:
            part = f"{each.topic}/{each.partition}"
            if part not in self.positions:
                low, high = consumer.get_watermark_offsets(each, _PATIENCE)
                self.positions[part] = high if is_first and self._section.start == "latest" else low
                yield self.placed(part, self.positions[part])
            each.offset = self.positions[part]
        if new:
            consumer.incremental_assign(new)

    def _handle(self, consumer: Consumer, message: Any) -> Iterator[Received]:
        """Continue after an error; if messages were deleted before they were read, at the oldest one left.

        Raises:
            ConnectionFailedError: the error ends the connection.
        """
        from confluent_kafka import KafkaError, TopicPartition

        error = message.error()
        if error.code() == KafkaError._AUTO_OFFSET_RESET:
            place = TopicPartition(message.topic(), message.partition())
            part = f"{place.topic}/{place.partition}"
            before = self.positions[part]
            place.offset, _ = consumer.get_watermark_offsets(place, _PATIENCE)
            self.failed(f"{part} has no message {before}; it is read from {place.offset}, the oldest one")
            consumer.incremental_unassign([place])
            consumer.incremental_assign([place])
            yield self.placed(part, place.offset)
        elif error.fatal():
            raise ConnectionFailedError(self.name, self._section.kafka, error.str())
        else:  # the client tries again by itself
            self.status.problem = error.str()


def kafka_settings(section: KafkaSource | KafkaSink) -> dict[str, Any]:
    """Return the settings of a client: the servers, and those of the configuration."""
    return {"bootstrap.servers": section.kafka, "log_level": 3} | section.settings
