"""Driver: a reasoner that processes the records of a journal. Equal records yield equal changes, so that the
writer, a reader, and a restart come to the same state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pantarhei.engine.options import Options
from pantarhei.errors import (
    CheckpointError,
    CheckpointMismatchError,
    ConfigError,
    InputError,
    OptionError,
    StreamError,
)
from pantarhei.errors.service_errors import ConfigProblem
from pantarhei.model.message_text import did_you_mean
from pantarhei.model.term import Triple
from pantarhei.owl.graph_files import documents_at
from pantarhei.reasoner import StreamReasoner
from pantarhei.service.changes import (
    CONCLUSIONS,
    EVERYTHING,
    REPAIRS,
    Change,
    ChangeCounter,
    Emitted,
    changes_of,
)
from pantarhei.service.config import QuerySection, ServiceConfig
from pantarhei.service.decoding import Decoded, Decoder, topics_of
from pantarhei.service.journal import DeadLetter, Message, Record
from pantarhei.temporal.rules import TemporalRules, load_rules
from pantarhei.window.retention import Limits
from pantarhei.window.sliding import Window

if TYPE_CHECKING:
    from pantarhei import WindowUpdate
    from pantarhei.ontology.ontology import Ontology


class Knowledge(NamedTuple):
    """What the reasoner knows besides the stream.

    Args:
        ontology: the ontology, with the axioms in the background files.
        background: the facts in the background files.
        rules: the temporal rules; None if there are none.
        queries: the texts of the queries in the configuration, with declared prefixes, by name.
        fingerprint: a hash of the files by part of the configuration.
    """

    ontology: Ontology
    background: Sequence[Triple]
    rules: TemporalRules | None
    queries: Mapping[str, str]
    fingerprint: Mapping[str, str]


def read_knowledge(config: ServiceConfig) -> Knowledge:
    """Read ontology, background, rules and queries of a configuration.

    Raises:
        PantarheiError: a file is missing or malformed.
        ConfigError: a query has a reserved name.
    """
    from pantarhei.ontology.ontology import load_ontology

    paths = [str(config.path(each)) for each in config.ontology]
    ontology = load_ontology(paths, language=list(config.language) or "en")
    documents = documents_at([config.path(each) for each in config.background], "background") or []
    ontology, background = ontology.with_documents(documents)
    prefixes = {prefix: str(iri) for prefix, iri in ontology.graph.namespaces()} | config.prefixes
    rules = None if config.rules is None else load_rules(config.path(config.rules), prefixes=prefixes)
    queries = {}
    for name, query in config.queries.items():
        if name in (CONCLUSIONS, REPAIRS):
            problem = ConfigProblem(None, f"queries.{name}", "is a reserved name", "another name")
            raise ConfigError(str(config.folder), (problem,))
        queries[name] = with_prefixes(_query_text(config, query), prefixes)
    parts = {
        "ontology": [*paths, *map(str, config.background)],
        "rules": [] if config.rules is None else [str(config.path(config.rules))],
        "mappings": [
            str(config.path(form))
            for source in config.sources.values()
            for form in topics_of(source).values()
            if config.path(form).is_file()
        ],
    }
    fingerprint = {part: _hash_of(files) for part, files in parts.items()}
    options = config.model_dump_json(include={"window", "reasoning", "prefixes"})
    fingerprint["options"] = blake2b(options.encode(), digest_size=8).hexdigest()
    return Knowledge(ontology, background, rules, queries, fingerprint)


def _query_text(config: ServiceConfig, query: QuerySection) -> str:
    is_text = "{" in query.sparql
    return query.sparql if is_text else config.path(query.sparql).read_text(encoding="utf-8")


def with_prefixes(text: str, prefixes: Mapping[str, str]) -> str:
    """Return a query with declarations of the prefixes before its own."""
    return "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in prefixes.items()) + text


def _hash_of(paths: Sequence[str]) -> str:
    digest = blake2b(digest_size=8)
    for path in paths:
        content = Path(path).read_bytes() if Path(path).is_file() else path.encode()
        digest.update(blake2b(content, digest_size=8).digest())
    return digest.hexdigest()


class _Held(NamedTuple):
    """Message that waits for the watermark.

    Args:
        received: the time of its arrival.
    """

    message: Message
    received: datetime
    decoded: Sequence[Decoded]


class Driver:
    """Reasoner that processes records; build with `fresh` or `restored`.

    Args:
        with_repairs: whether the changes include repairs.

    Attributes:
        reasoner: the reasoner.
        knowledge: ontology, background, rules and queries.
        number: the number of the last record; 0 for none.
        at: the time of the last record; None before the first one.
        positions: the newest position of each source.
        update: the last update; None before the first one.
    """

    def __init__(
        self,
        reasoner: StreamReasoner,
        config: ServiceConfig,
        knowledge: Knowledge,
        decoder: Decoder,
        with_repairs: bool,
    ) -> None:
        self.reasoner, self._config, self.knowledge = reasoner, config, knowledge
        self._decoder, self._with_repairs = decoder, with_repairs
        self._in_order = config.clock.order == "event"
        self.number, self.at = 0, None
        self.positions: dict[str, Any] = {}
        self.update: WindowUpdate | None = None
        self._held: list[_Held] = []

    number: int
    at: datetime | None

    @classmethod
    def fresh(
        cls, config: ServiceConfig, knowledge: Knowledge, decoder: Decoder, with_repairs: bool = False
    ) -> Driver:
        """Return a driver with an empty window. Raises the errors of `StreamReasoner` and `register`."""
        reasoner = StreamReasoner.with_options(
            knowledge.ontology, options_of(config), knowledge.background, knowledge.rules
        )
        driver = cls(reasoner, config, knowledge, decoder, with_repairs)
        driver._register_queries()
        return driver

    @classmethod
    def restored(
        cls,
        path: Path,
        config: ServiceConfig,
        knowledge: Knowledge,
        decoder: Decoder,
        with_repairs: bool = False,
    ) -> Driver:
        """Return a driver with the state of a checkpoint.

        Raises:
            CheckpointError: the checkpoint cannot be read.
            CheckpointMismatchError: ontology, rules, mappings or options differ from those of the checkpoint.
        """
        reasoner = StreamReasoner.restore(
            path, knowledge.ontology, background=knowledge.background, temporal=knowledge.rules
        )
        note: Mapping[str, Any] = reasoner.note
        for part, value in knowledge.fingerprint.items():
            if note["fingerprint"].get(part) != value:
                raise CheckpointMismatchError(str(path), part, note["fingerprint"].get(part, ""), value)
        driver = cls(reasoner, config, knowledge, decoder, with_repairs)
        driver.number, driver.positions = note["number"], note["positions"]
        driver.at = None if note["at"] is None else datetime.fromisoformat(note["at"])
        for fields in note["held"]:
            record = Record.from_line(fields.encode())
            if record is None:
                raise CheckpointError(str(path), "a message that waits is damaged")
            driver._hold(record, None, [])
        driver._register_queries()
        return driver

    def checkpoint(self, path: Path) -> None:
        """Write the state to a file. Raises `CheckpointError`."""
        held = [
            Record(0, each.received, each.received, (each.message,)).to_line().decode() for each in self._held
        ]
        note: dict[str, Any] = {
            "number": self.number,
            "at": None if self.at is None else self.at.isoformat(),
            "positions": self.positions,
            "fingerprint": dict(self.knowledge.fingerprint),
            "held": held,
        }
        self.reasoner.checkpoint(path, note)

    def _register_queries(self) -> None:
        """Register the queries of the configuration, and close those with another text."""
        registered = self.reasoner.queries
        for name, text in self.knowledge.queries.items():
            if name in registered and registered[name].text != text:
                registered[name].close()
            if name not in registered or registered[name].is_closed:
                query = self._config.queries[name]
                window = None if query.window is None else Window(query.window, closed="right")
                self.reasoner.register(text, name=name, window=window, on=query.on, emit=query.emit)

    def apply(self, record: Record, decoded: Mapping[int, Sequence[Decoded]] | None = None) -> Emitted:
        """Process a record.

        Args:
            decoded: the content of its messages by their place, if it is known; None to decode them.
        """
        counter = ChangeCounter(record.number)
        dead, changes = list(record.dead), list[Change]()
        if record.request is not None:
            self._change_queries(record.request)
        elif self._in_order:
            self._hold(record, decoded, dead)
            for at, released in self._release(record.at):
                changes += self._push(at, released, counter, dead)
            changes += self._push(record.at, (), counter, dead)
        else:
            held = [
                _Held(message, record.received, content)
                for message, content in self._contents(record, decoded, dead)
            ]
            changes += self._push(record.at, held, counter, dead)
        self.number, self.at = record.number, max(record.at, self.at or record.at)
        self.positions.update(record.positions)
        return Emitted(record.number, record.at, tuple(changes), tuple(dead), len(record.messages))

    def _contents(
        self, record: Record, decoded: Mapping[int, Sequence[Decoded]] | None, dead: list[DeadLetter]
    ) -> Iterator[tuple[Message, Sequence[Decoded]]]:
        for place, message in enumerate(record.messages):
            content = None if decoded is None else decoded.get(place)
            if content is None:
                try:
                    content = self._decoder.decode(message, record.received)
                except InputError as error:  # the mapping has changed since the record was written
                    dead.append(DeadLetter(message, "malformed", str(error)))
                    continue
            yield message, content

    def _hold(
        self, record: Record, decoded: Mapping[int, Sequence[Decoded]] | None, dead: list[DeadLetter]
    ) -> None:
        for message, content in self._contents(record, decoded, dead):
            self._held += [_Held(message, record.received, [each]) for each in content]

    def _release(self, watermark: datetime) -> Iterator[tuple[datetime, list[_Held]]]:
        """Yield the messages that are not newer than the watermark, oldest first, by time."""
        due = [each for each in self._held if each.decoded[0].at <= watermark]
        self._held = [each for each in self._held if each.decoded[0].at > watermark]
        due.sort(key=lambda each: each.decoded[0].at)
        for at, group in groupby(due, lambda each: each.decoded[0].at):
            yield at, list(group)

    def _push(
        self, at: datetime, held: Sequence[_Held], counter: ChangeCounter, dead: list[DeadLetter]
    ) -> Iterator[Change]:
        """Push messages as one ABox; if the reasoner refuses it, push each message alone."""
        triples = [triple for each in held for content in each.decoded for triple in content.triples]
        try:
            update = self.reasoner.push(at, triples) if triples else self.reasoner.advance(at)
        except (InputError, StreamError) as error:
            if len(held) > 1:
                for each in held:
                    yield from self._push(at, [each], counter, dead)
            elif held:
                dead.append(DeadLetter(held[0].message, "refused", str(error)))
            return
        self.update = update
        yield from changes_of(update, self.reasoner.queries, counter, self._with_repairs)

    def check_request(self, request: Mapping[str, str]) -> None:
        """Check a change of the registered queries before it is journaled.

        Raises:
            QueryError, OptionError: the query is malformed or not supported, or there is no such query.
        """
        if "register" in request:
            if request["register"] in (CONCLUSIONS, REPAIRS, EVERYTHING):
                raise OptionError("name", repr(request["register"]), "a name that is not reserved")
            self.reasoner.register(request["query"], name=_TRIAL).close()
        elif (name := request["deregister"]) not in self.reasoner.queries:
            known = ", ".join(self.reasoner.queries) or "none is registered"
            hint = did_you_mean(name, self.reasoner.queries)
            raise OptionError("name", repr(name), f"a registered query: {known}{hint}")

    def _change_queries(self, request: Mapping[str, str]) -> None:
        """Register or close a query. A query that cannot be registered is refused before it is journaled."""
        name = request.get("register") or request["deregister"]
        query = self.reasoner.queries.get(name)
        if query is not None:
            query.close()
        if "register" in request:
            self.reasoner.register(request["query"], name=name)


_TRIAL = " trial"  # a name that no request can have


def options_of(config: ServiceConfig) -> Options:
    """Return the options of the reasoner."""
    given, section = config.window, config.reasoning
    return Options(
        Window(given.range, given.slide, closed=given.closed),
        section.repair,
        section.keep,
        section.unique_names,
        limits=Limits(section.max_facts, section.max_bytes, section.on_limit),
        conclusions=section.conclusions,
        numbers=section.numbers,
        tick=given.tick,
    )
