"""Sources and sinks by their sections of the configuration."""

from __future__ import annotations

from urllib.parse import urlsplit

from pantarhei.errors import OptionError
from pantarhei.service.config import (
    FilesSource,
    HTTPSource,
    KafkaSource,
    MQTTSource,
    RedisSource,
    ServiceConfig,
    SQLSink,
    StdinSource,
)
from pantarhei.service.sinks.sink import Sink
from pantarhei.service.sources.http import HTTPMessages
from pantarhei.service.sources.source import Source


def make_sources(config: ServiceConfig) -> list[Source]:
    """Return the sources of a configuration, not connected. Raises the errors of their constructors."""
    found: list[Source] = []
    for name, section in config.sources.items():
        if isinstance(section, MQTTSource):
            from pantarhei.service.sources.mqtt import MQTTMessages

            found.append(MQTTMessages(name, config, section))
        elif isinstance(section, KafkaSource):
            from pantarhei.service.sources.kafka import KafkaMessages

            found.append(KafkaMessages(name, section))
        elif isinstance(section, RedisSource):
            from pantarhei.service.sources.redis import RedisMessages

            found.append(RedisMessages(name, section))
        elif isinstance(section, FilesSource):
            from pantarhei.service.sources.files import FileMessages

            found.append(FileMessages(name, config, section))
        elif isinstance(section, StdinSource):
            from pantarhei.service.sources.files import StdinMessages

            found.append(StdinMessages(name, section))
        elif isinstance(section, HTTPSource):
            found.append(HTTPMessages(name, section))
    return found


def make_sinks(config: ServiceConfig) -> list[Sink]:
    """Return the sinks of a configuration, not connected. Raises the errors of their constructors."""
    found: list[Sink] = []
    for name, section in config.sinks.items():
        if isinstance(section, SQLSink):
            scheme = urlsplit(section.sql).scheme
            if scheme == "sqlite":
                from pantarhei.service.sinks.sqlite import SQLiteSink

                path = config.path(section.sql.removeprefix("sqlite:///"))
                found.append(SQLiteSink(name, section, path))
            else:
                raise OptionError("sql", repr(section.sql), "sqlite:///FILE or postgresql://…")
    return found
