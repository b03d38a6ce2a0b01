"""MQTT sink: changes published with QoS 1; the position moves after the broker has acknowledged them."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pantarhei.errors import OptionError
from pantarhei.service.changes import Emitted
from pantarhei.service.config import MQTTSink, MQTTSource, ServiceConfig
from pantarhei.service.sinks.sink import PATIENCE, Positions, Sink, to_json
from pantarhei.service.sources.mqtt_source import address_of, check_broker, connect, new_client

if TYPE_CHECKING:
    from paho.mqtt.client import Client


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
            of_source = {key: getattr(source, key) for key in ("mqtt", "username", "password", "ca")}
            own = {key: value for key in ("username", "password", "ca") if (value := getattr(section, key))}
            section = section.model_copy(update=of_source | own)
        elif "://" not in section.mqtt:
            raise OptionError("mqtt", repr(section.mqtt), "the name of an MQTT source, or a URL")
        self._address = address_of(section.mqtt)
        if re.search(r"[+#\0]|[{}]", section.topic.replace("{name}", "")) or not section.topic:
            raise OptionError("topic", repr(section.topic), "a topic without + and #, such as alarms/{name}")
        self._section, self._config = section, config
        self._id = section.client or f"{config.name}-{name}"
        self._client: Client | None = None
        new_client(section, config, self._id, keep=False)  # refuses an invalid configuration at the start

    def check(self) -> None:
        check_broker(self.name, self._section, self._config)

    def open(self) -> int | None:
        self.close()
        self._client = new_client(self._section, self._config, self._id, keep=False)
        try:
            connect(self.name, self._client, self._address)
        except Exception:
            self.close()
            raise
        return None

    def write(self, given: Sequence[Emitted]) -> None:
        client = self._client
        assert client is not None, "open connects it"
        sent = [
            client.publish(self._topic(each.name), to_json(each.as_json()), qos=1)
            for emitted in given
            for each in emitted.changes
        ]
        end = time.monotonic() + PATIENCE
        for each in sent:
            if not each.is_published():
                each.wait_for_publish(max(0.001, end - time.monotonic()))
            if not each.is_published():
                host, port = self._address
                raise self._failed(f"{host}:{port}", f"no acknowledgement within {PATIENCE:.0f} s")
        self._keep(given[-1].number)

    def _topic(self, name: str) -> str:
        return self._section.topic.replace("{name}", re.sub(r"[+#\0]", "_", name))

    def close(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            client.disconnect()
            client.loop_stop()
