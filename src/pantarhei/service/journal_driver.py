"""Driver: a reasoner that processes the records of a journal. Equal records yield equal changes, so that the
writer, a reader, and a restart come to the same state.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from hashlib import blake2b
from heapq import heapify, heappop, heappush
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel
from rdflib import RDF, URIRef

from pantarhei.engine.checkpoint import Pacer, read_checkpoint, write_whole
from pantarhei.engine.options import Options
from pantarhei.errors import (
    CheckpointError,
    CheckpointMismatchError,
    ConfigError,
    InputError,
    OptionError,
    PantarheiError,
    StreamError,
)
from pantarhei.errors.service_errors import ConfigProblem
from pantarhei.model.datetimes import EPOCH
from pantarhei.model.message_text import did_you_mean
from pantarhei.model.temporal_rule import TimeWindow
from pantarhei.model.term import Term, Triple
from pantarhei.ontology.ontology import Ontology, load_ontology
from pantarhei.ontology.unknown_names import NameKind, UnknownName, similar_names
from pantarhei.owl.graph_files import documents_at
from pantarhei.owl.name_kinds import is_reserved
from pantarhei.query.algebra.nodes import BGP, PatternTerm, nodes_of
from pantarhei.reasoner import StreamReasoner
from pantarhei.service.changes import RESERVED, Change, ChangeCounter, Emitted, changes_of
from pantarhei.service.clients import LOG
from pantarhei.service.config import LONGEST, ServiceConfig
from pantarhei.service.decoding import Decoded, MessageDecoder, topics_of
from pantarhei.service.message_journal import NEVER, DeadLetter, Message, Record, merge_positions
from pantarhei.temporal.rules import TemporalRules, load_rules
from pantarhei.window.retention import Limits
from pantarhei.window.sliding import Window

if TYPE_CHECKING:
    from pantarhei import WindowUpdate
    from pantarhei.query.continuous_query import ContinuousQuery

_LONG_REPLAY = 2.0  # seconds
_PAUSE, _PIECE = 0.01, 0.001  # seconds of a step that a checkpoint waits for at most, and then works


class ServiceKnowledge(NamedTuple):
    """Configuration of a service, and the content of its files.

    Args:
        config: the configuration.
        decoder: the decoder of the messages.
        ontology: the ontology, with the axioms in the background files.
        background: the facts in the background files.
        rules: the temporal rules; None if there are none.
        prefixes: the prefixes of rules, ontology and configuration, of which the last takes precedence.
        queries: the texts of the queries in the configuration, with declared prefixes, by name.
        fingerprint: a hash of the files by part of the configuration.
    """

    config: ServiceConfig
    decoder: MessageDecoder
    ontology: Ontology
    background: Sequence[Triple]
    rules: TemporalRules | None
    prefixes: Mapping[str, str]
    queries: Mapping[str, str]
    fingerprint: dict[str, str]


def read_knowledge(config: ServiceConfig) -> ServiceKnowledge:
    """Read mappings, ontology, background, rules and queries of a configuration.

    Raises:
        PantarheiError: a file is missing or malformed.
        ConfigError: a query has a reserved name, or its file cannot be read.
    """

    def path(given: str) -> str:
        return str(config.path(given))

    ontology = load_ontology([path(each) for each in config.ontology], language=list(config.language) or "en")
    documents = documents_at([config.path(each) for each in config.background], "background") or []
    assert ontology._read is not None, "it was read from files"
    files = [*ontology._read.sources, *(each.source for each in documents)]  # with imports
    ontology, background = ontology.with_documents(documents)
    prefixes = {prefix: str(iri) for prefix, iri in ontology.graph.namespaces()} | config.prefixes
    rules = None if config.rules is None else load_rules(config.path(config.rules), prefixes=prefixes)
    queries = {name: with_prefixes(_text_of(name, config), prefixes) for name in config.queries}
    forms = (path(form) for source in config.sources.values() for form in topics_of(source).values())
    parts = {
        "ontology": [each for each in files if each is not None],
        "rules": [] if config.rules is None else [path(config.rules)],
        "mappings": [form for form in forms if Path(form).is_file()],
    }
    fingerprint = {part: _hash_of(files) for part, files in parts.items()}
    sections: Any = {"window": True, "reasoning": True, "prefixes": True, "clock": {"time", "order"}}
    options = config.model_dump_json(include=sections)
    fingerprint["options"] = blake2b(options.encode(), digest_size=8).hexdigest()
    decoder = MessageDecoder(config)
    known = prefixes if rules is None else {**rules.prefixes, **prefixes}
    return ServiceKnowledge(config, decoder, ontology, background, rules, known, queries, fingerprint)


def _text_of(name: str, config: ServiceConfig) -> str:
    """Return the text of a query in the configuration, or of its file."""
    given = config.queries[name].sparql
    if name in RESERVED:
        raise _query_error(name, config, "is a reserved name", "another name")
    try:
        return given if "{" in given else config.path(given).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise _query_error(
            name, config, f"is {given}, which cannot be read: {reason}", "a file in UTF-8"
        ) from None


def _query_error(name: str, config: ServiceConfig, problem: str, expected: str = "") -> ConfigError:
    return ConfigError(str(config.folder), (ConfigProblem(None, f"queries.{name}", problem, expected),))


def unknown_names(knowledge: ServiceKnowledge, query: ContinuousQuery) -> list[str]:
    """Return warnings of classes and properties in a query that no file of the configuration has, with the
    names there that resemble them. Messages of RDF may have any other names.
    """
    rules = () if knowledge.rules is None else knowledge.rules.rules
    known: set[Term] = {*(knowledge.ontology.known_names or ()), *knowledge.decoder.names()}
    known.update(chain(*knowledge.background), (rule.head.atom.predicate for rule in rules))
    nodes = (node for node in nodes_of(query._maintainer.query.node) if isinstance(node, BGP))
    used: dict[PatternTerm, NameKind] = {}
    for pattern in (pattern for node in nodes for pattern in node.patterns):
        is_type = pattern.predicate == RDF.type
        used[pattern.object if is_type else pattern.predicate] = "class" if is_type else "property"
    unknown = {name: kind for name, kind in used.items() if isinstance(name, URIRef) and name not in known}
    found = (UnknownName(name, kind, tuple(similar_names(name, known))) for name, kind in unknown.items())
    return [str(each) for each in found if each.nearest and not is_reserved(each.name)]


def with_prefixes(text: str, prefixes: Mapping[str, str]) -> str:
    """Return a query with declarations of the prefixes that occur in it; its lines keep their numbers."""
    used = ((prefix, iri) for prefix, iri in prefixes.items() if f"{prefix}:" in text)
    return "".join(f"PREFIX {prefix}: <{iri}> " for prefix, iri in used) + text


def _hash_of(paths: Sequence[str]) -> str:
    digest = blake2b(digest_size=8)
    for path in paths:
        content = Path(path).read_bytes() if Path(path).is_file() else path.encode()
        digest.update(blake2b(content, digest_size=8).digest())
    return digest.hexdigest()


class Beginning(BaseModel, frozen=True):
    """State with which a driver begins, besides that of the reasoner.

    If the window is empty and earlier records are missing, the state is incomplete at first. Changes before
    `until` are then wrong or were emitted before, and are not emitted, up to the record `through`.

    Args:
        number: number of the last record that is not processed again.
        at: time of that record; None if there is none, or if the window is to fill again from the records.
        positions: positions of the sources after that record.
        requested: texts of the queries that were registered by requests, by name.
        until: time from which the state is complete; None if it is complete from the beginning.
        through: number of the last record whose changes may be held back.
        fingerprint: that of the configuration.
    """

    number: int = 0
    at: datetime | None = None
    positions: dict[str, dict[str, Any]] = {}
    requested: dict[str, str] = {}
    until: datetime | None = None
    through: int = 0
    fingerprint: dict[str, str] = {}


def memory_of(knowledge: ServiceKnowledge) -> timedelta:
    """Return the time after which an assertion has no influence on changes: the window, and the longest chain
    of windows of temporal rules; with `order: event`, also the time for which a message may be held.

    Windows of the last assertions, and rules that depend on their own earlier conclusions, have no such
    bound; the chain then has each rule once.
    """
    rules = () if knowledge.rules is None else knowledge.rules.rules
    known: dict[URIRef, timedelta] = {}

    def reach(predicate: URIRef) -> timedelta:
        if predicate not in known:
            known[predicate] = timedelta(0)  # for a rule that depends on itself
            bodies = [rule.body for rule in rules if rule.head.atom.predicate == predicate]
            for each in chain.from_iterable(bodies):
                through = _size_of(each.window) + reach(each.atom.predicate)
                known[predicate] = max(known[predicate], min(through, LONGEST))  # can be added to times
        return known[predicate]

    window, clock = knowledge.config.window, knowledge.config.clock
    total = window.range + (window.slide or timedelta(0)) + (window.tick or timedelta(0))
    if clock.order == "event":
        total += clock.allowed_lateness + (clock.max_ahead or timedelta(0))
    return total + max((reach(rule.head.atom.predicate) for rule in rules), default=timedelta(0))


def _size_of(window: object) -> timedelta:
    size = window.size if isinstance(window, TimeWindow) else None
    return size if isinstance(size, timedelta) else timedelta(0)


class _Held(NamedTuple):
    """Content of a message, which may wait for the watermark.

    Args:
        at: its time.
        place: its place in the order of arrival.
        received: the time of its arrival.
    """

    at: datetime
    place: int
    message: Message
    received: datetime
    triples: Sequence[Triple]


class JournalDriver:
    """Reasoner that processes records; build with `fresh` or `restored`.

    Attributes:
        reasoner: the reasoner.
        knowledge: ontology, background, rules and queries.
        number: the number of the last record; 0 for none.
        at: the time of the last record; None before the first one.
        positions: the newest position of each source.
        update: the last update; None before the first one.
        is_current: whether the records before the start have been processed; set by the driving thread.
        followers: called with the result of each record, in the driving thread.
        emits_repairs: whether the changes include repairs.
    """

    def __init__(self, reasoner: StreamReasoner, knowledge: ServiceKnowledge, beginning: Beginning) -> None:
        self.reasoner, self.knowledge, self._config = reasoner, knowledge, knowledge.config
        self._in_order = self._config.clock.order == "event"
        self._beginning, self.number, self.at = beginning, beginning.number, beginning.at
        self.positions = beginning.positions
        self.update: WindowUpdate | None = None
        self.is_current = self.emits_repairs = False
        self.followers: list[Callable[[Emitted, WindowUpdate | None], object]] = []
        self._held: list[_Held] = []  # a heap
        self._arrived = 0
        self._requested: dict[str, str] = {}
        self._is_between_steps = threading.Event()
        self._is_between_steps.set()
        self._waited = 0.0  # when a checkpoint has last waited for a step
        self._unsaved = self._saving = 0.0  # CPU seconds of the steps since a checkpoint, and of a checkpoint

    @classmethod
    def fresh(cls, knowledge: ServiceKnowledge, beginning: Beginning | None = None) -> JournalDriver:
        """Return a driver with an empty window. Raises the errors of `StreamReasoner` and `register`.

        Args:
            beginning: the position in the journal; by default, its first record is the next one.
        """
        options = options_of(knowledge.config)
        reasoner = StreamReasoner.with_options(
            knowledge.ontology, options, knowledge.background, knowledge.rules
        )
        driver = cls(reasoner, knowledge, beginning or Beginning())
        driver._register_queries({})
        for name, text in driver._beginning.requested.items():
            driver._change_queries({"register": name, "query": text})
        return driver

    @classmethod
    def restored(cls, path: Path, knowledge: ServiceKnowledge) -> JournalDriver:
        """Return a driver with the state of a checkpoint.

        Raises:
            CheckpointError: the checkpoint cannot be read.
            CheckpointMismatchError: ontology, rules, mappings or options differ from those of the checkpoint.
        """
        note: Mapping[str, Any] = read_checkpoint(path).note
        if "fingerprint" not in note:
            raise CheckpointError(str(path), "it was not written by a service")
        beginning = Beginning.model_validate(note)
        for part, value in knowledge.fingerprint.items():
            if (former := beginning.fingerprint.get(part, "")) != value:
                raise CheckpointMismatchError(str(path), part, former, value)
        reasoner = StreamReasoner.restore(
            path, knowledge.ontology, background=knowledge.background, temporal=knowledge.rules
        )
        driver = cls(reasoner, knowledge, beginning)
        driver._requested = dict(beginning.requested)
        for fields in note["held"]:
            record = Record.from_line(fields.encode())
            if record is None:
                raise CheckpointError(str(path), "a message that waits is damaged")
            driver._held += driver._contents(record, [])
        driver._held = [each for each in driver._held if driver.at is None or each.at > driver.at]
        heapify(driver._held)
        driver._register_queries(note["queries"])
        return driver

    @property
    def has_long_replay(self) -> bool:
        """True if a replay of the records since the last checkpoint would take two seconds, and ten times as
        long as a checkpoint.
        """
        return self._unsaved > max(_LONG_REPLAY, 10 * self._saving)

    @contextmanager
    def pausing_checkpoints(self) -> Iterator[None]:
        """Let checkpoints that other threads write pause inside the block, without stopping them."""
        self._is_between_steps.clear()
        try:
            yield
        finally:
            self._is_between_steps.set()

    def _pause(self) -> None:
        if not self._is_between_steps.is_set() and time.monotonic() - self._waited > _PIECE:
            self._is_between_steps.wait(_PAUSE)
            self._waited = time.monotonic()

    def captured(self) -> Callable[[Path], None]:
        """Capture the present state; return a function that writes it to a file, in any thread.

        The function raises `CheckpointError`.
        """
        self._unsaved = 0.0
        pacer = Pacer(self._pause)
        encode, held = self.reasoner._captured(pacer), list(self._held)
        present: dict[str, Any] = {"number": self.number, "at": self.at, "positions": self.positions}
        present |= {"requested": self._requested, "fingerprint": self.knowledge.fingerprint}
        note = self._beginning.model_copy(update=present).model_dump(mode="json")
        note["queries"] = {name: self._options_of(name) for name in self.knowledge.queries}

        def write(path: Path) -> None:
            began = time.thread_time()
            waiting = {id(each.message): each for each in sorted(held)}  # a message may have several times
            lines: list[Any] = [
                Record(0, each.received, each.received, (each.message,)).to_line().decode()
                for each in pacer(waiting.values())
            ]
            write_whole(path, encode({**note, "held": lines}))
            self._saving = time.thread_time() - began

        return write

    def _options_of(self, name: str) -> str:
        return self.knowledge.queries[name] + self._config.queries[name].model_dump_json(exclude={"sparql"})

    def _register_queries(self, saved: Mapping[str, str]) -> None:
        """Register the queries of the configuration.

        Args:
            saved: the options of the registered ones; those with other options, and those that are no longer
                in the configuration, are closed.
        """
        configured = self.knowledge.queries
        self._requested = {name: text for name, text in self._requested.items() if name not in configured}
        same = {name for name in configured if saved.get(name) == self._options_of(name)}
        for name, registered in list(self.reasoner.queries.items()):
            if name not in same and name not in self._requested:
                registered.close()
        for name, text in configured.items():
            if name not in self.reasoner.queries:
                query = self._config.queries[name]
                window = None if query.window is None else Window(query.window, closed="right")
                try:
                    self.reasoner.register(text, name=name, window=window, on=query.on, emit=query.emit)
                except PantarheiError as error:
                    raise _query_error(name, self._config, f"is invalid: {error}") from error

    def apply(self, record: Record) -> Emitted:
        """Process a record, and notify the followers."""
        began, counter = time.thread_time(), ChangeCounter(record.number)
        dead, changes = list(record.dead), list[Change]()
        if record.request is not None:
            self._change_queries(record.request)
        else:
            for at, held in self._steps(record, dead):
                changes += self._push(at, held, counter, dead)
        self.number = record.number
        if record.at != NEVER:
            self.at = max(record.at, self.at or record.at)
        merge_positions(self.positions, record.positions)
        until = self._beginning.until if record.number <= self._beginning.through else None
        changes = [change for change in changes if until is None or change.at >= until]
        count, received = len(record.messages), record.received
        emitted = Emitted(record.number, record.at, tuple(changes), tuple(dead), count, received)
        self._unsaved += time.thread_time() - began
        for follower in self.followers:
            follower(emitted, self.update)
        return emitted

    def _steps(self, record: Record, dead: list[DeadLetter]) -> Iterator[tuple[datetime, Sequence[_Held]]]:
        """Yield the messages of each step with its time, up to the time of the record or its watermark."""
        for each in self._contents(record, dead):
            heappush(self._held, each)
        if (at := NEVER) == record.at:  # nothing can be subtracted from it
            return
        while self._held and self._held[0].at <= record.at:
            at, released = self._held[0].at, list[_Held]()
            while self._held and self._held[0].at == at:
                released.append(heappop(self._held))
            yield at, released
        if not self._in_order:
            if at < record.at:
                yield record.at, ()
            return
        # what is concluded must not depend on how messages arrive: time advances to ends of ticks and windows
        window, at = self._config.window, record.at
        if length := min(filter(None, (window.tick, window.slide)), default=None):
            at -= (at - EPOCH) % length
        elif record.messages:
            return
        newest = self.reasoner.newest
        if newest is not None and at > newest:  # type: ignore[operator]
            yield at, ()

    def _contents(self, record: Record, dead: list[DeadLetter]) -> Iterator[_Held]:
        """Yield the content of each message; with `order: event`, its parts with their times."""
        decode = self.knowledge.decoder.decode
        for message, known in zip_longest(record.messages, record.contents):
            try:
                content = known or decode(message, record.received)
            except InputError as error:  # the mapping has changed since the record was written
                dead.append(DeadLetter(message, "malformed", str(error)))
                continue
            if not self._in_order:
                content = [Decoded(record.at, [triple for part in content for triple in part.triples])]
            for at, triples in content:
                self._arrived += 1
                yield _Held(at, self._arrived, message, record.received, triples)

    def _push(
        self, at: datetime, held: Sequence[_Held], counter: ChangeCounter, dead: list[DeadLetter]
    ) -> Iterator[Change]:
        """Push messages as one ABox; if the reasoner refuses it, push each message alone."""
        triples = [triple for each in held for triple in each.triples]
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
        yield from changes_of(update, self.reasoner.queries, counter, self.emits_repairs)

    def prepare_request(self, request: Mapping[str, str]) -> None:
        """Check a change of the registered queries before it is journaled. A new query is registered already:
        nothing else shows that it can be.

        Raises:
            QueryError, OptionError: the query is malformed or not supported, or there is no such query.
        """
        if "register" in request:
            name = request["register"]
            if name in (*RESERVED, *self.knowledge.queries, *self._requested):
                expected = "a name that is not reserved, and that no registered query has"
                raise OptionError("name", repr(name), expected)
            self.reasoner.register(request["query"], name=name)
        elif (name := request["deregister"]) not in self._requested:
            known = ", ".join(self._requested) or "there is none"
            expected = f"a query that a request has registered: {known}{did_you_mean(name, self._requested)}"
            raise OptionError("name", repr(name), expected)

    def _change_queries(self, request: Mapping[str, str]) -> None:
        """Register or close a query.

        A query that cannot be registered is refused before it is journaled. If that has changed with the
        configuration, the query is left out.
        """
        name = request.get("register") or request["deregister"]
        if name in self.knowledge.queries:
            return
        if self._requested.pop(name, None) is not None:
            self.reasoner.queries[name].close()
        if "register" in request:
            try:
                if name not in self.reasoner.queries:  # registered by `prepare_request`
                    self.reasoner.register(request["query"], name=name)
            except PantarheiError as error:
                LOG.warning("query %s is left out: %s", name, error)
            else:
                self._requested[name] = request["query"]


def options_of(config: ServiceConfig) -> Options:
    """Return the options of the reasoner."""
    given, section = config.window, config.reasoning
    limits = {"max_facts", "max_bytes", "on_limit"}
    return Options(
        Window(given.range, given.slide, closed=given.closed),
        limits=Limits(section.max_facts, section.max_bytes, section.on_limit),
        tick=given.tick,
        **section.model_dump(exclude=limits),
    )
