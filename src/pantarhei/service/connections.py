"""Sources and sinks by their sections of the configuration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pantarhei.errors import OptionError
from pantarhei.service import config as sections
from pantarhei.service.changes import DEAD_LETTERS
from pantarhei.service.config import ServiceConfig
from pantarhei.service.kafka import KafkaChanges, KafkaMessages
from pantarhei.service.mqtt import MQTTChanges, MQTTMessages
from pantarhei.service.sinks.file import AppendingSink, ChangesFile, DeadLettersFile, ParquetFolder
from pantarhei.service.sinks.sink import Positions, Sink
from pantarhei.service.sinks.sql import DatabaseSink
from pantarhei.service.sinks.webhook import WebhookChanges
from pantarhei.service.sources.files import FileMessages, StdinMessages
from pantarhei.service.sources.redis import RedisMessages
from pantarhei.service.sources.source import Source

_SOURCES: Mapping[type, Callable[[str, ServiceConfig, Any], Source]] = {
    sections.MQTTSource: MQTTMessages,
    sections.KafkaSource: KafkaMessages,
    sections.RedisSource: RedisMessages,
    sections.HTTPSource: Source,
    sections.FilesSource: FileMessages,
    sections.StdinSource: StdinMessages,
}
_SINKS: Mapping[type, Callable[[str, ServiceConfig, Any, Positions], Sink]] = {
    sections.SQLSink: DatabaseSink,
    sections.FileSink: ChangesFile,
    sections.ParquetFolderSink: ParquetFolder,
    sections.MQTTSink: MQTTChanges,
    sections.KafkaSink: KafkaChanges,
    sections.WebhookSink: WebhookChanges,
    sections.DeadLettersSection: DeadLettersFile,
}


def make_sources(config: ServiceConfig) -> list[Source]:
    """Return the sources of a configuration, not connected. Raises the errors of their constructors."""
    made = []
    for name, section in config.sources.items():
        with _errors_of(f"sources.{name}"):
            made.append(_SOURCES[type(section)](name, config, section))
    return made


def make_sinks(config: ServiceConfig) -> list[Sink]:
    """Return the sinks of a configuration, not connected. Raises the errors of their constructors."""
    positions = Positions(config.path(config.state.folder) / "positions.json")
    given: dict[str, object] = dict(config.sinks)
    if config.dead_letters is not None:
        if DEAD_LETTERS in given:
            raise OptionError("sinks", repr(DEAD_LETTERS), "another name, for it is reserved")
        update = {"of": (DEAD_LETTERS,)} if isinstance(config.dead_letters, sections.SinkSection) else {}
        given[DEAD_LETTERS] = config.dead_letters.model_copy(update=update)
    found = []
    for name, section in given.items():
        with _errors_of(f"sinks.{name}" if name in config.sinks else name):
            found.append(_SINKS[type(section)](name, config, section, positions))
    paths = Counter(sink.path for sink in found if isinstance(sink, AppendingSink))
    if twice := [path for path, count in paths.items() if count > 1]:
        raise OptionError("file", repr(str(twice[0])), "a file that no other sink writes")
    return found


@contextmanager
def _errors_of(key: str) -> Iterator[None]:
    """Let errors name the source or sink by its key in the configuration."""
    try:
        yield
    except OptionError as error:
        raise OptionError(f"{key}: {error.option}", error.given, error.expected) from None
