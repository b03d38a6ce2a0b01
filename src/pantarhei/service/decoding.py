"""Decoding of messages to triples: by the mapping of their topic, or as RDF."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from rdflib import URIRef

import pantarhei.io.stream_reader as rdf_streams
from pantarhei.errors import MalformedInputError, UnknownTopicError
from pantarhei.io.mapping.record_mapping import RecordMapping, TermKind
from pantarhei.io.records import Mapping as RecordMapper
from pantarhei.model.message_text import did_you_mean
from pantarhei.model.term import Triple
from pantarhei.service.config import ConfigSection, ServiceConfig
from pantarhei.service.message_journal import Message

RDF_FORMATS = ("jsonld", "ngsi-ld", "nquads", "trig", "ntriples", "turtle")
RECEIVED, TOPIC, LEVEL, VALUE = "_received", "_topic", "_level", "_value"
"""Members that mappings can refer to besides those of the message: the time of its arrival, its topic, the
levels of its topic (`_level1`, `_level2`, …), and a content that is not a JSON object.
"""
EARLIEST, END = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
"""Earliest time of messages, and the first that is too late: spans can be added to valid times."""
_NUMBERED = re.compile(LEVEL + r"([1-9]\d{0,5})", re.ASCII)


class Decoded(NamedTuple):
    """Content of a message.

    Args:
        at: its time.
        triples: its facts.
    """

    at: datetime
    triples: Sequence[Triple]


Decode: TypeAlias = Callable[[Message, datetime], list[Decoded]]


class MessageDecoder:
    """Decoder of the messages of all sources.

    Args:
        mappers: the mappings by their paths in the configuration; by default they are read.

    Attributes:
        find: returns the function that decodes the messages of a source and a topic; raises
            `UnknownTopicError`.

    Raises:
        MissingFileError, MappingError: a mapping cannot be read.
        OptionError: a topic has an unknown format.
    """

    def __init__(self, config: ServiceConfig, mappers: Mapping[str, RecordMapper] | None = None) -> None:
        self._config, self._on_arrival = config, config.clock.time == "arrival"
        given = {name: topics_of(source) for name, source in config.sources.items()}
        forms = {form for topics in given.values() for form in topics.values()}
        if mappers is None:
            paths = sorted(forms - {*RDF_FORMATS})
            mappers = {form: RecordMapper.load(config.path(form), time=RECEIVED) for form in paths}
        self._mappers = mappers
        made = {form: decode_as(form, mappers.get(form)) for form in forms}
        self._topics = {
            name: {topic: made[form] for topic, form in topics.items()} for name, topics in given.items()
        }
        self.find = lru_cache(maxsize=10_000)(self._found)

    def __reduce__(self) -> tuple[Any, ...]:
        return MessageDecoder, (self._config, self._mappers)

    def names(self) -> Iterator[URIRef]:
        """Yield the constant IRIs in the mappings."""
        groups = (group for mapper in self._mappers.values() for group in mapper.mapping.groups)
        for term in (term for group in groups for pattern in group for term in pattern.terms):
            if term.kind is TermKind.IRI and not term.template.columns:
                yield URIRef(term.template.texts[0])

    def decode(self, message: Message, received: datetime) -> list[Decoded]:
        """Decode a message.

        Args:
            received: the time of its arrival.

        Raises:
            UnknownTopicError: no mapping is configured for its topic.
            InputError: the content does not fit the mapping, or has no time from `EARLIEST` until `END`.
        """
        found = self.find(message.source, message.topic)(message, received)
        if self._on_arrival:
            return [Decoded(received, [triple for each in found for triple in each.triples])]
        for each in found:
            if not isinstance(each.at, datetime):
                problem = f"the time {each.at} is a number; give its unit in the mapping, such as unit: s"
                raise MalformedInputError(message.topic, None, problem)
            if not EARLIEST <= each.at < END:
                problem = f"the time {each.at.isoformat()} is outside the years 1900 to 2199; set the clock"
                raise MalformedInputError(message.topic, None, f"{problem} of the sender")
        return found

    def _found(self, source: str, topic: str) -> Decode:
        known = self._topics.get(source, {})
        if topic in known:
            return known[topic]
        for pattern, decode in known.items():
            if topic_pattern(pattern).fullmatch(topic):
                return decode
        raise UnknownTopicError(topic, tuple(known), did_you_mean(topic, known))


def topics_of(source: ConfigSection) -> Mapping[str, str]:
    """Return the formats of a source by topic; files and standard input have any topic."""
    given: dict[str, Any] = dict(source)
    found: Mapping[str, str] | None = given.get("topics", given.get("http"))
    return {"#": given.get("mapping") or given["stdin"]} if found is None else found


@lru_cache(maxsize=1_000)
def topic_pattern(given: str) -> re.Pattern[str]:
    """Return the regular expression of a topic filter of MQTT: `+` is one level, a final `#` any levels.

    >>> bool(topic_pattern("site/+/temp").fullmatch("site/a/temp")), bool(topic_pattern("a/#").fullmatch("a"))
    (True, True)
    """
    levels = [re.escape(level) if level != "+" else "[^/]*" for level in given.split("/")]
    if levels[-1] == re.escape("#"):
        return re.compile("/".join(levels[:-1]) + ("(/.*)?" if levels[:-1] else ".*"), re.DOTALL)
    return re.compile("/".join(levels))


def decode_as(form: str, mapper: RecordMapper | None) -> Decode:
    """Return the function that decodes messages by a mapping, or without one in one of `RDF_FORMATS`."""
    if mapper is None:
        return lambda message, received: _rdf(message, form)
    names = {name for name in columns_of(mapper.mapping) if name.startswith("_")}
    takes_value, takes_time, takes_topic = VALUE in names, RECEIVED in names, TOPIC in names
    levels = [(name, int(found[1]) - 1) for name in sorted(names) if (found := _NUMBERED.fullmatch(name))]

    def decode(message: Message, received: datetime) -> list[Decoded]:
        members: dict[str, str] = {}
        if levels:
            parts = message.topic.split("/")
            members = {name: parts[place] for name, place in levels if place < len(parts)}
        if takes_topic:
            members[TOPIC] = message.topic
        if takes_time:
            members[RECEIVED] = received.isoformat()
        record: bytes | dict[str, str] = message.payload
        if takes_value and not message.payload.lstrip().startswith(b"{"):
            record = {VALUE: message.payload.decode("utf-8", "replace").strip()}
        return [Decoded(*mapper.abox(record, members=members))]  # type: ignore[arg-type]

    return decode


def columns_of(mapping: RecordMapping) -> set[str]:
    """Return the members of a message to which a mapping refers."""
    found = set(mapping.time.template.columns)
    for group in mapping.groups:
        for pattern in group:
            found.update(name for name, _ in pattern.columns)
    return found


def _rdf(message: Message, form: str) -> list[Decoded]:
    reader = rdf_streams.read_stream(io.BytesIO(message.payload), format=form)
    found = [Decoded(each.at, tuple(each.triples)) for each in reader]  # type: ignore[arg-type]
    if not found:
        raise MalformedInputError(message.topic, None, "it has no triples with a time")
    return found
