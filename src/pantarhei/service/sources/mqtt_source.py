"""MQTT source: a persistent session with QoS 1, whose messages are acknowledged after they are journaled."""

from __future__ import annotations

import ssl
import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pantarhei.errors import ConnectionFailedError, OptionError
from pantarhei.errors.base import MissingPackageError
from pantarhei.service.batching import Received
from pantarhei.service.config import MQTTSink, MQTTSource, ServiceConfig
from pantarhei.service.message_journal import Message
from pantarhei.service.sources.source import Inbox, SourceStatus

if TYPE_CHECKING:
    from paho.mqtt.client import Client

PATIENCE = 10.0
"""Seconds to wait for a connection when it is checked."""


class MQTTMessages:
    """Subscription to the topics of an MQTT broker.

    The broker keeps the session: after a disconnection it sends again what was not acknowledged.
    """

    def __init__(self, name: str, config: ServiceConfig, section: MQTTSource) -> None:
        self.name, self._section, self.status = name, section, SourceStatus()
        self._config = config
        self._client: Client | None = None
        self._inbox: Inbox | None = None

    def check(self) -> None:
        """Connect and disconnect. Raises `ConnectionFailedError`."""
        check_broker(self.name, self._section, self._config)

    def start(self, inbox: Inbox, position: Any) -> None:
        """Connect, and subscribe after each connection; a lost connection is established again."""
        self._inbox = inbox
        client = self._client = new_client(self._section, self._config, self._section.client, manual=True)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        host, port = address_of(self._section.mqtt)
        client.connect_async(host, port, keepalive=30)
        client.loop_start()

    def stop(self) -> None:
        """Ignore further messages; the broker sends them again after the next start."""
        self._inbox = None

    def close(self) -> None:
        """Disconnect; the broker keeps the session."""
        if self._client is not None:
            self._client.disconnect()
            self._client.loop_stop()

    def _on_connect(
        self, client: Client, data: object, flags: object, reason: Any, properties: object
    ) -> None:
        self.status.connected = not reason.is_failure
        self.status.problem = str(reason) if reason.is_failure else ""
        if not reason.is_failure:
            qos = int(self._section.qos)
            client.subscribe([(topic, qos) for topic in self._section.topics])

    def _on_disconnect(
        self, client: Client, data: object, flags: object, reason: Any, properties: object
    ) -> None:
        self.status.connected = False
        self.status.problem = str(reason)

    def _on_message(self, client: Client, data: object, message: Any) -> None:
        inbox = self._inbox
        if inbox is None:
            return
        self.status.messages += 1
        mid, qos = message.mid, message.qos

        def acknowledge() -> None:
            client.ack(mid, qos)

        inbox.put(
            Received(
                Message(self.name, message.topic, message.payload),
                message.dup,
                acknowledge=acknowledge if qos else None,
                received=time.monotonic(),
            )
        )


def address_of(url: str) -> tuple[str, int]:
    """Return host and port of a broker's URL, `mqtt://host:1883` or `mqtts://host:8883`.

    Raises:
        OptionError: the URL has another form.
    """
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or port == -1:
        raise OptionError("mqtt", repr(url), "a URL such as mqtt://broker:1883 or mqtts://broker:8883")
    return parts.hostname, port or (8883 if parts.scheme == "mqtts" else 1883)


def new_client(
    section: MQTTSource | MQTTSink,
    config: ServiceConfig,
    client_id: str,
    manual: bool = False,
    keep: bool = True,
) -> Client:
    """Return a client of a broker that is not connected yet.

    Args:
        client_id: the id of the session.
        manual: whether messages are acknowledged by calls of `ack`.
        keep: whether the broker keeps the session while the client is disconnected.

    Raises:
        MissingPackageError: paho-mqtt is not installed.
        OptionError: the URL or the file of certificates is invalid.
    """
    try:
        from paho.mqtt.client import Client
        from paho.mqtt.enums import CallbackAPIVersion
    except ImportError as error:
        raise MissingPackageError("mqtt", "an MQTT source or sink", str(error)) from None
    client = Client(CallbackAPIVersion.VERSION2, client_id, clean_session=not keep, manual_ack=manual)
    if section.username is not None:
        password = None if section.password is None else section.password.get_secret_value()
        client.username_pw_set(section.username, password)
    if urlsplit(section.mqtt).scheme == "mqtts":
        ca = None if section.ca is None else str(config.path(section.ca))
        try:
            client.tls_set_context(ssl.create_default_context(cafile=ca))
        except OSError as error:
            raise OptionError("ca", repr(ca), f"a file of certificates: {error}") from None
    client.max_inflight_messages_set(1_000)
    client.reconnect_delay_set(1, 30)
    return client


def check_broker(name: str, section: MQTTSource | MQTTSink, config: ServiceConfig) -> None:
    """Connect to a broker and disconnect. Raises `ConnectionFailedError`."""
    client = new_client(section, config, f"pantarhei-check-{time.time_ns()}", keep=False)
    try:
        connect(name, client, address_of(section.mqtt))
    finally:
        client.disconnect()
        client.loop_stop()


def connect(name: str, client: Client, address: tuple[str, int]) -> None:
    """Connect a client and start its thread, which connects it again when it loses the connection.

    Args:
        name: the source or sink.

    Raises:
        ConnectionFailedError: the broker refuses the connection, or does not answer.
    """
    done = threading.Event()
    problems: list[str] = []

    def on_connect(client: Client, data: object, flags: object, reason: Any, properties: object) -> None:
        if reason.is_failure:
            problems.append(str(reason))
        done.set()

    client.on_connect = on_connect
    client.connect_timeout = PATIENCE
    try:
        client.connect(*address, keepalive=30)
        client.loop_start()
        if not done.wait(PATIENCE):
            problems.append(f"no answer within {PATIENCE:.0f} s")
    except OSError as error:
        problems.append(error.strerror or str(error))
    if problems:
        raise ConnectionFailedError(name, "{}:{}".format(*address), problems[0])
