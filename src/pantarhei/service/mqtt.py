"""MQTT: a source that acknowledges messages after they are journaled, and a sink that publishes changes."""

from __future__ import annotations

import math
import queue
import re
import ssl
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pantarhei.errors import ConnectionFailedError, OptionError
from pantarhei.errors.base import import_package
from pantarhei.service.batching import Received
from pantarhei.service.changes import Emitted
from pantarhei.service.clients import PATIENCE, address_of, reaching
from pantarhei.service.config import MQTTAccess, MQTTSink, MQTTSource, ServiceConfig
from pantarhei.service.sinks.sink import Positions, Sink, to_json
from pantarhei.service.sources.source import Inbox, Source

if TYPE_CHECKING:
    from paho.mqtt.client import Client

_PORTS = {"mqtt": 1883, "mqtts": 8883}
_SHORT = 10.0  # seconds; two connections in a row that are shorter may mean that two clients have one id


class MQTTMessages(Source):
    """Subscription with QoS 1 to the topics of an MQTT broker.

    The broker keeps the session: after a disconnection it sends again what was not acknowledged.
    """

    def __init__(self, name: str, config: ServiceConfig, section: MQTTSource) -> None:
        super().__init__(name, config, section)
        self._broker = _Broker(name, config, section)
        self._id = section.client or f"{config.name}-{name}"
        self._client: Client | None = None
        self._inbox: Inbox | None = None
        self._filters = [(topic, int(section.qos)) for topic in section.topics]
        self._connection, self._resumes = 0, False  # its number, and whether the broker has kept the session
        self._since, self._short = -math.inf, 0  # time of the connection; number of short ones in a row

    def check(self) -> None:
        self._broker.check(self._filters)

    def start(self, inbox: Inbox, position: Mapping[str, Any] | None) -> None:
        self._inbox = inbox
        client = self._client = self._broker.client(self._id, is_source=True)
        client.on_connect = self._guarded(self._on_connect)
        client.on_connect_fail = self._guarded(self._on_connect_fail)
        client.on_disconnect = self._guarded(self._on_disconnect)
        client.on_subscribe = self._guarded(self._on_subscribe)
        client.on_message = self._guarded(self._on_message)
        client.connect_async(*self._broker.address, keepalive=30)
        client.loop_start()

    def stop(self) -> None:
        self._inbox = None  # the broker sends further messages again after the next start

    def close(self) -> None:
        _disconnect(self._client)

    def _on_connect(self, client: Client, data: object, flags: Any, reason: Any, more: object) -> None:
        if reason.is_failure:
            self.failed(f"the broker refuses the connection: {reason}")
        else:
            self._since, self._resumes = time.monotonic(), flags.session_present
            client.subscribe(self._filters)

    def _on_connect_fail(self, client: Client, data: object) -> None:
        error = sys.exc_info()[1]  # paho does not pass it
        self.failed(getattr(error, "strerror", None) or error)

    def _on_subscribe(self, client: Client, data: object, mid: int, reasons: Any, more: object) -> None:
        if problem := _refused(self._filters, reasons):
            self.failed(problem)
        else:
            self.note_connection()

    def _on_disconnect(self, client: Client, data: object, flags: object, reason: Any, more: object) -> None:
        self.status.connected = False
        self._connection += 1
        lasted, self._since = time.monotonic() - self._since, -math.inf
        self._short = self._short + 1 if lasted < _SHORT else 0
        if self._inbox is None:  # the end
            return
        if self._short > 1:
            remedy = f"if another client has the id {self._id}, set another one by the key client"
            self.failed(f"disconnected within {_SHORT:.0f} s again; {remedy}")
        else:
            self.failed(self.status.problem or f"disconnected: {reason}")

    def _on_message(self, client: Client, data: object, message: Any) -> None:
        inbox = self._inbox
        if inbox is None:
            return
        self.status.messages += 1
        connection, mid, qos = self._connection, message.mid, message.qos

        def acknowledge() -> None:
            if connection == self._connection:  # else the broker delivers it again, under the same id
                client.ack(mid, qos)

        given = self.message(message.topic, message.payload, str(mid) if qos else "")
        may_repeat, at = message.dup and self._resumes, time.monotonic()
        inbox.put(Received(given, may_repeat, acknowledge=acknowledge if qos else None, received=at))

    def _guarded(self, handle: Callable[..., None]) -> Callable[..., None]:
        """Return a callback whose errors do not end the thread of the client."""

        def guarded(*given: object) -> None:
            try:
                handle(*given)
            except Exception as error:
                self.status.connected = False
                self.failed(error)

        return guarded


class MQTTChanges(Sink):
    """Topic of a broker that receives each change as a JSON object, at least once, with the same id.

    Raises:
        OptionError: the broker or the topic is invalid.
        MissingPackageError: paho-mqtt is not installed.
    """

    def __init__(self, name: str, config: ServiceConfig, section: MQTTSink, positions: Positions) -> None:
        super().__init__(name, section.of, positions)
        source = config.sources.get(section.mqtt)
        if isinstance(source, MQTTSource):
            of_source = {key: getattr(source, key) for key in ("mqtt", *MQTTAccess.model_fields)}
            own = {key: value for key in MQTTAccess.model_fields if (value := getattr(section, key))}
            section = section.model_copy(update=of_source | own)
        elif "://" not in section.mqtt:
            raise OptionError("mqtt", repr(section.mqtt), "the name of an MQTT source, or a URL")
        if re.search(r"[+#\0]|[{}]", section.topic.replace("{name}", "")) or not section.topic:
            raise OptionError("topic", repr(section.topic), "a topic without + and #, such as alarms/{name}")
        self._broker, self._topic = _Broker(name, config, section), section.topic
        self.address = "{}:{}".format(*self._broker.address)
        self._id = section.client or f"{config.name}-{name}-sink"  # a source may have this name
        self._client: Client | None = None
        self._broker.client(self._id)  # refuses an invalid configuration at the start

    def check(self) -> None:
        self._broker.check()

    def open(self) -> int | None:
        self.close()
        self._client = self._broker.connected(self._id)
        return None

    def write(self, given: Sequence[Emitted]) -> None:
        client = self._client
        assert client is not None, "open connects it"
        sent = []
        for each in (change for emitted in given for change in emitted.changes):
            topic = self._topic.replace("{name}", re.sub(r"[+#\0]", "_", each.name))
            sent.append(client.publish(topic, to_json(each.as_json()), qos=1))
        end = time.monotonic() + PATIENCE
        for publication in sent:
            publication.wait_for_publish(max(0.001, end - time.monotonic()))
            if not publication.is_published():
                problem = f"no acknowledgement within {PATIENCE:.0f} s"
                raise ConnectionFailedError(self.name, self.address, problem)
        self._advance(given[-1].number)

    def close(self) -> None:
        client, self._client = self._client, None
        _disconnect(client)


class _Broker:
    """Broker of a source or sink, with the name `name`.

    Raises:
        OptionError: the URL is invalid.
    """

    def __init__(self, name: str, config: ServiceConfig, section: MQTTSource | MQTTSink) -> None:
        address = address_of(section.mqtt, _PORTS)
        if address is None:
            expected = "a URL such as mqtt://broker:1883 or mqtts://broker:8883"
            raise OptionError("mqtt", repr(section.mqtt), expected)
        self._name, self._config, self._section, self.address = name, config, section, address

    def client(self, id_: str, is_source: bool = False) -> Client:
        """Return a client that is not connected yet.

        Args:
            id_: the id of the session.
            is_source: whether the broker keeps the session while the client is disconnected, and messages are
                acknowledged by calls of `ack`.

        Raises:
            MissingPackageError: paho-mqtt is not installed.
            OptionError: a file of certificates is invalid.
        """
        paho = import_package("paho.mqtt.client", "mqtt", "an MQTT source or sink")
        version, section = paho.CallbackAPIVersion.VERSION2, self._section
        client: Client = paho.Client(version, id_, clean_session=not is_source, manual_ack=is_source)
        if section.username is not None:
            password = None if section.password is None else section.password.get_secret_value()
            client.username_pw_set(section.username, password)
        if urlsplit(section.mqtt).scheme == "mqtts":
            files = (section.ca, section.cert, section.key)
            ca, cert, key = (None if each is None else str(self._config.path(each)) for each in files)
            try:
                context = ssl.create_default_context(cafile=ca)
                if cert is not None:
                    context.load_cert_chain(cert, key)
            except OSError as error:
                given = ", ".join(filter(None, (ca, cert, key)))
                raise OptionError("ca, cert, key", given, f"files in PEM that fit: {error}") from None
            client.tls_set_context(context)
        client.max_inflight_messages_set(1_000)
        client.reconnect_delay_set(1, 30)
        return client

    def check(self, filters: Sequence[tuple[str, int]] = ()) -> None:
        """Connect, subscribe to topics with their QoS, and disconnect. Raises `ConnectionFailedError`."""
        client = self.connected(f"pantarhei-check-{time.time_ns()}")
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        client.on_subscribe = lambda client, data, mid, reasons, more: answers.put(reasons)
        try:
            with reaching(self._name, "{}:{}".format(*self.address)):
                if filters:
                    client.subscribe(list(filters))
                    if problem := _refused(filters, _answer(answers)):
                        raise ConnectionError(problem)
        finally:
            _disconnect(client)

    def connected(self, id_: str) -> Client:
        """Return a client whose thread connects it again when it loses the connection.

        Raises:
            ConnectionFailedError: the broker refuses the connection, or does not answer.
        """
        client = self.client(id_)
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        client.on_connect = lambda client, data, flags, reason, more: answers.put(reason)
        client.connect_timeout = PATIENCE
        with reaching(self._name, "{}:{}".format(*self.address)):
            try:
                client.connect(*self.address, keepalive=30)
                client.loop_start()
                if (reason := _answer(answers)).is_failure:
                    raise ConnectionError(str(reason))
            except BaseException:
                _disconnect(client)
                raise
        return client


def _answer(answers: queue.SimpleQueue[Any]) -> Any:
    try:
        return answers.get(timeout=PATIENCE)
    except queue.Empty:
        raise ConnectionError(f"no answer within {PATIENCE:.0f} s") from None


def _refused(filters: Sequence[tuple[str, int]], reasons: Sequence[Any]) -> str:
    """Return the problem of the topics that a broker refuses; empty if there are none."""
    refused = [topic for (topic, _), reason in zip(filters, reasons, strict=True) if reason.is_failure]
    return f"the broker refuses the subscription to {', '.join(refused)}" if refused else ""


def _disconnect(client: Client | None) -> None:
    if client is not None:
        client.disconnect()
        client.loop_stop()
