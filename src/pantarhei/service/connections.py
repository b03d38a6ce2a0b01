"""Sources and sinks by their sections of the configuration."""

from __future__ import annotations

from collections import Counter

from pantarhei.errors import OptionError
from pantarhei.service.config import (
    ConfigSection,
    FileSink,
    FilesSource,
    HTTPSource,
    KafkaSink,
    KafkaSource,
    MQTTSink,
    MQTTSource,
    ParquetFolderSink,
    RedisSource,
    ServiceConfig,
    SQLSink,
    StdinSource,
    WebhookSink,
)
from pantarhei.service.sinks.file import AppendingSink, ChangesFile, DeadLettersFile, ParquetFolder
from pantarhei.service.sinks.kafka_sink import KafkaChanges
from pantarhei.service.sinks.mqtt_sink import MQTTChanges
from pantarhei.service.sinks.sink import Positions, Sink
from pantarhei.service.sinks.sql import PostgreSQLSink, SQLiteSink
from pantarhei.service.sinks.webhook import WebhookChanges
from pantarhei.service.sources.http import HTTPMessages
from pantarhei.service.sources.source import Source


def make_sources(config: ServiceConfig) -> list[Source]:
    """Return the sources of a configuration, not connected. Raises the errors of their constructors."""
    found: list[Source] = []
    for name, section in config.sources.items():
        if isinstance(section, MQTTSource):
            from pantarhei.service.sources.mqtt_source import MQTTMessages

            found.append(MQTTMessages(name, config, section))
        elif isinstance(section, KafkaSource):
            from pantarhei.service.sources.kafka_source import KafkaMessages

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
    positions = Positions(config.path(config.state.folder) / "positions.json")
    found = [_sink(name, config, section, positions) for name, section in config.sinks.items()]
    if (section := config.dead_letters) is not None:
        if _DEAD_LETTERS in config.sinks:
            raise OptionError("sinks", repr(_DEAD_LETTERS), "another name, for it is reserved")
        found.append(DeadLettersFile(_DEAD_LETTERS, config, section, positions))
    paths = [sink.path for sink in found if isinstance(sink, AppendingSink)]
    if twice := [path for path, count in Counter(paths).items() if count > 1]:
        raise OptionError("file", repr(str(twice[0])), "a file that no other sink writes")
    return found


_DEAD_LETTERS = "dead_letters"


def _sink(name: str, config: ServiceConfig, section: ConfigSection, positions: Positions) -> Sink:
    if isinstance(section, SQLSink):
        scheme, _, rest = section.sql.partition("://")
        if scheme == "sqlite" and rest.startswith("/"):
            return SQLiteSink(name, config, section, positions)
        if scheme in ("postgres", "postgresql"):
            return PostgreSQLSink(name, config, section, positions)
        given = repr(f"{scheme}://…" if rest else section.sql)  # without its password
        raise OptionError("sql", given, "sqlite:///FILE or postgresql://USER@HOST/DATABASE")
    if isinstance(section, FileSink):
        return ChangesFile(name, config, section, positions)
    if isinstance(section, ParquetFolderSink):
        return ParquetFolder(name, config, section, positions)
    if isinstance(section, MQTTSink):
        return MQTTChanges(name, config, section, positions)
    if isinstance(section, KafkaSink):
        return KafkaChanges(name, config, section, positions)
    assert isinstance(section, WebhookSink), "all kinds are handled"
    return WebhookChanges(name, config, section, positions)
