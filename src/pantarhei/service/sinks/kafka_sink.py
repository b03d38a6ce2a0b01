"""Kafka sink: changes produced idempotently or in transactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pantarhei.errors import MissingPackageError, OptionError
from pantarhei.service.changes import Emitted
from pantarhei.service.config import KafkaSink, KafkaSource, ServiceConfig
from pantarhei.service.sinks.sink import LOG, PATIENCE, Positions, Sink, to_json
from pantarhei.service.sources.kafka_source import kafka_settings


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
        try:
            import confluent_kafka
        except ImportError as error:
            raise MissingPackageError("kafka", "a sink of Kafka", str(error)) from None
        self._kafka: Any = confluent_kafka
        source = config.sources.get(section.kafka)
        settings = kafka_settings(section)
        if isinstance(source, KafkaSource):
            settings = kafka_settings(source) | section.settings
        elif ":" not in section.kafka:
            raise OptionError("kafka", repr(section.kafka), "the name of a Kafka source, or HOST:PORT")
        self._address, self._section = settings["bootstrap.servers"], section
        self._group = f"{config.name}-{name}"
        self._common: Mapping[str, Any] = settings
        self._producer: Any = None
        self._consumer: Any = None

        self._client(self._kafka.Producer, self._own_settings())  # refuses an invalid setting at the start

    def _own_settings(self) -> dict[str, Any]:
        own = {"enable.idempotence": True, "delivery.timeout.ms": 30_000, "linger.ms": 5}
        return own | ({"transactional.id": self._group} if self._section.transactional else {})

    def _client(self, make: Any, settings: Mapping[str, Any]) -> Any:
        try:
            return make({**settings, **self._common}, logger=LOG.getChild("kafka"))
        except self._kafka.KafkaException as error:
            text = f"valid settings of librdkafka: {_text_of(error)}"
            raise OptionError("settings", repr(sorted(self._common)), text) from None

    def check(self) -> None:
        try:
            self._client(self._kafka.Producer, {}).list_topics(timeout=PATIENCE)
        except self._kafka.KafkaException as error:
            raise self._failed(self._address, _text_of(error)) from error

    def open(self) -> int | None:
        self.close()
        self._producer = self._client(self._kafka.Producer, self._own_settings())
        try:
            if not self._section.transactional:
                self._producer.list_topics(timeout=PATIENCE)
                return None
            self._producer.init_transactions(PATIENCE)  # ends the transactions of a former process
            settings = {"group.id": self._group, "enable.auto.commit": False}
            self._consumer = self._client(self._kafka.Consumer, settings)
            [found] = self._consumer.committed([self._place()], timeout=PATIENCE)
        except self._kafka.KafkaException as error:
            raise self._failed(self._address, _text_of(error)) from error
        return found.offset if found.error is None and found.offset >= 0 else None

    def _place(self, number: int = -1) -> Any:
        return self._kafka.TopicPartition(self._section.topic, 0, number)

    def write(self, given: Sequence[Emitted]) -> None:
        number, producer = given[-1].number, self._producer
        try:
            if self._section.transactional:
                producer.begin_transaction()
            self._produce(given)
            if self._section.transactional:
                group = self._consumer.consumer_group_metadata()
                producer.send_offsets_to_transaction([self._place(number)], group, PATIENCE)
                producer.commit_transaction(_DELIVERY)
        except self._kafka.KafkaException as error:
            raise self._failed(self._address, _text_of(error)) from error
        self._keep(number)

    def _produce(self, given: Sequence[Emitted]) -> None:
        problems: list[object] = []

        def delivered(error: object, message: object) -> None:
            if error is not None:
                problems.append(error)

        for each in (change for emitted in given for change in emitted.changes):
            key, value = getattr(each, self._section.key), to_json(each.as_json()).encode()
            while True:
                try:
                    self._producer.produce(self._section.topic, value, key.encode(), on_delivery=delivered)
                    break
                except BufferError:  # the queue of librdkafka is full
                    self._producer.poll(0.1)
                if problems:
                    break
        left = self._producer.flush(_DELIVERY)
        if left or problems:
            raise self._failed(self._address, problems[0] if problems else f"{left} changes not delivered")

    def close(self) -> None:
        if self._producer is not None:
            producer, self._producer = self._producer, None
            producer.purge()  # else what failed would be sent later, beside its repetition
            producer.flush(0)
        if self._consumer is not None:
            consumer, self._consumer = self._consumer, None
            consumer.close()


_DELIVERY = 35.0  # seconds, longer than the time after which librdkafka gives up


def _text_of(error: Any) -> str:
    found = error.args[0] if error.args else error
    return str(found.str() if hasattr(found, "str") else found)
