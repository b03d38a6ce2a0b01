"""State of a reasoner as the bytes of a checkpoint, and back.

A checkpoint has the window and options, the background that is not in the ontology, the history, the literal
forms, and the states of consumers. When it is restored, the program is compiled from the ontology, and the
window model is built from the history. Levels are renumbered from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import chain, pairwise, starmap
from types import UnionType
from typing import Any, Literal, NamedTuple, TypedDict, cast, get_args, get_origin, get_type_hints

import numpy as np
from rdflib import Literal as RdflibLiteral
from rdflib import URIRef

from pantarhei.encoding.given_forms import GivenForms
from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import NO_FACTS, NO_FORMS, Forms, Integers, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.checkpoint.abox_columns import GivenBackground, columns_of_waiting, read_waiting
from pantarhei.engine.checkpoint.container import (
    FIRST_WITH_CONCLUSIONS,
    FIRST_WITH_EVIDENCE,
    FIRST_WITH_HISTORY,
    FIRST_WITH_NUMBERS,
    FIRST_WITH_TICK,
    FIRST_WITH_UNEXPECTED,
    FIRST_WITH_WAITING,
    UNPACED,
    Column,
    Contents,
    Json,
    Pacer,
    column_of,
    concatenated,
    divided,
    lengths,
    pack,
)
from pantarhei.engine.checkpoint.fact_columns import (
    NO_PREDICATE,
    TimesWriter,
    columns_of_facts,
    from_json,
    json_of,
    read_facts,
    read_terms,
    read_times,
    read_triples,
)
from pantarhei.engine.checkpoint.repairs import RepairTable, constraints_named, read_assertions, read_repairs
from pantarhei.engine.consumer import Saved, known_bytes
from pantarhei.engine.diagnostics import InputDiagnostics
from pantarhei.engine.options import ConclusionsIn, Derive, Options
from pantarhei.engine.stream_history import Arrival, Counters, PastRepair, StreamHistory
from pantarhei.engine.temporal_engine import CONCLUSIONS
from pantarhei.errors import CheckpointMismatchError, CheckpointOptionError, check_type
from pantarhei.materialize.model import Keep
from pantarhei.model.rule import Predicate
from pantarhei.model.term import Triple
from pantarhei.model.time import Precision, TimeKind, TimePoint, ticks_of
from pantarhei.ontology.ontology import Ontology
from pantarhei.repair.conflict import Budget
from pantarhei.repair.cut import Method
from pantarhei.repair.result import Repair
from pantarhei.rules.compilation.program import GrowingProgram, Program
from pantarhei.temporal.rules import TemporalRules, abbreviate_rules
from pantarhei.temporal.rules_checkpoint import rules_of
from pantarhei.values.by_value import Numbers
from pantarhei.window.log import ByLevel, Entry, Log, linked
from pantarhei.window.retention import Departure, History, Limits, PastEntries
from pantarhei.window.sliding import Step, Window


class Header(TypedDict):
    """Header of a checkpoint, without `columns` and `pantarhei`.

    Args:
        rules, background, given: fingerprints of the ontology's rules and constraints, of the assertions in
            the ontology, and of the further background.
        kind, now: the kind of time, and the present time in its ticks; None and 0 before the first step.
        contradicted: true if the newest ABox was in conflict at its arrival.
        messages: the number of ABoxes.
        history: the limits of the history, without the sink.
        departed: the number of entries that have left the window; they come first.
        known_from: the tick from which on the window can be reconstructed; None for the beginning of the
            stream.
        ill_typed: properties that had ill-typed values.
        times: the marks of timestamps.
        constraints: name and text of each constraint in a repair.
        note: the note of the caller.
        unexpected: the diagnostics, as `InputDiagnostics` saves them.
        waiting: the kind of time and the newest time of waiting ABoxes, and the number of unproven ones.
    """

    rules: str
    background: str
    given: str
    window: dict[str, Any]
    repair: Method
    keep: Keep
    unique_names: bool
    budget: dict[str, int]
    limits: dict[str, Any]
    derive: Derive
    conclusions: ConclusionsIn
    numbers: Numbers
    precision: Precision
    tick: Any
    kind: str | None
    now: int
    contradicted: bool
    counters: dict[str, int]
    messages: int
    history: dict[str, int]
    departed: int
    known_from: int | None
    ill_typed: list[str]
    times: list[list[Any]]
    constraints: list[list[str]]
    note: dict[str, Any]
    unexpected: dict[str, Any]
    waiting: dict[str, Any]


_DEFAULTS: dict[int, dict[str, Any]] = {
    FIRST_WITH_CONCLUSIONS: {"conclusions": "graph"},
    FIRST_WITH_NUMBERS: {"numbers": "by_datatype"},
    FIRST_WITH_UNEXPECTED: {"unexpected": {}},
    FIRST_WITH_WAITING: {"waiting": {}, "precision": "microseconds"},
    FIRST_WITH_TICK: {"tick": None},
}
"""Values of header entries in versions of the format before the first that has them."""


def checked_header(contents: Contents) -> Header:
    """Return the header of a checkpoint.

    Raises:
        CheckpointError: an entry is missing or has another type.
    """
    given = contents.header
    if contents.version < FIRST_WITH_HISTORY:
        given = {**given, "history": {}, "departed": 0, "known_from": given.get("now")}
    for first, defaults in _DEFAULTS.items():
        if contents.version < first:
            given = {**given, **defaults}
    for name, type_ in get_type_hints(Header).items():
        _checked(replace(contents, header=given), name, type_)
    return cast(Header, given)


def checked_times(contents: Contents) -> list[list[Any]]:
    """Return the marks of timestamps; raises `CheckpointError`."""
    return _checked(contents, "times", list[list[Any]])  # type: ignore[no-any-return]


def checked_constraints(contents: Contents) -> list[list[str]]:
    """Return the names and texts of constraints; raises `CheckpointError`."""
    return _checked(contents, "constraints", list[list[str]])  # type: ignore[no-any-return]


def _checked(contents: Contents, name: str, type_: object) -> Any:
    if not conforms(found := contents.header.get(name), type_):
        raise contents.broken(f"{name} is {found!r:.50}")
    return found


def conforms(found: object, type_: object) -> bool:
    """Return true if a JSON value has a type; integers have at most 64 bits.

    >>> conforms({"a": [1, 2]}, dict[str, list[int]]), conforms(True, int), conforms(None, int | None)
    (True, False, True)
    """
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is list:
        return isinstance(found, list) and all(conforms(each, arguments[0]) for each in found)
    if origin is dict:
        return isinstance(found, dict) and all(conforms(each, arguments[1]) for each in found.values())
    if origin is Literal:
        return found in arguments
    if origin is UnionType:
        return any(conforms(found, each) for each in arguments)
    if type_ is int:
        return type(found) is int and -(2**63) <= found < 2**63
    return type_ is Any or type(found) is type_


@dataclass(frozen=True, slots=True)
class State:
    """Content of a checkpoint, as values of the reasoner.

    Args:
        history: the history of the stream.
        forms: the literal forms in the materialization, and those of subjects and values.
        ill_typed: properties that had ill-typed values, in the window or before.
        note: the note of the caller.
        values: numbers of further literals whose first forms are stored.
        consumers: by name, functions that return the bytes of each consumer.
        noted: the diagnostics.
    """

    history: StreamHistory
    forms: GivenForms
    ill_typed: tuple[Predicate, ...] = ()
    note: Mapping[str, Json] = field(default_factory=dict)
    values: Integers = field(default_factory=lambda: np.empty(0, np.int32))
    consumers: Mapping[str, Saved] = field(default_factory=dict)
    noted: InputDiagnostics = field(default_factory=InputDiagnostics)


_NO_VALUES = np.empty(0, np.int32)

# The name of the column that has a consumer's bytes begins so, and ends with the consumer's name.
CONSUMER = "consumer."

# -- out -------------------------------------------------------------------------------------------


def save(
    state: State,
    options: Options,
    ontology: Ontology,
    background: GivenBackground,
    lexicon: Lexicon,
    repairs: RepairTable,
    pacer: Pacer = UNPACED,
) -> bytes:
    """Return the checkpoint of a state; `lexicon` decodes the numbers of its facts.

    Other threads may run steps meanwhile. The cost is vectorised over the assertions, plus a Python loop over
    log entries, distinct terms, and the assertions of repairs that are new to `repairs`.
    """
    header, columns = head_of(state, options, ontology, background, lexicon, repairs, pacer)
    columns |= {**background.columns, **_columns_of_consumers(state.consumers, pacer)}
    return pack(header, columns, pacer=pacer)


def head_of(
    state: State,
    options: Options,
    ontology: Ontology,
    background: GivenBackground,
    lexicon: Lexicon,
    repairs: RepairTable,
    pacer: Pacer = UNPACED,
    stored: int = 0,
) -> tuple[Mapping[str, Any], dict[str, Column]]:
    """Return header and columns of a checkpoint, without background and consumers.

    Args:
        stored: the number of the first entries, in past and log, to leave out with their repairs.
    """
    history = state.history
    kind = history.step.kind if history.step else history.waiting.kind or TimeKind.INTEGER
    departures = [*history.past.due, *history.past.departures()]
    departed = [entry for departure in departures for entry in departure.entries]

    times = TimesWriter((entry.at for entry in pacer(chain(departed, history.log))), pacer)
    first = history.past.first_level(history.log)
    of_state = Forms(state.forms.facts), Forms({}, state.forms.pairs)
    of_entries, constraints = entry_columns(
        [*departed, *history.log][stored:],
        history.repairs.from_level(first + stored),
        lexicon,
        repairs,
        times,
        pacer,
        of_state,
        state.values,
    )
    of_waiting, waiting = columns_of_waiting(history.waiting, times)
    of_times, marks = times.columns(kind)
    columns: dict[str, Column] = {
        **of_entries,
        **_columns_of_departures(departures, pacer),
        **of_times,
        **of_waiting,
    }
    header: Header = {
        "rules": ontology.fingerprints.rules,
        "background": ontology.fingerprints.background,
        "given": background.fingerprint,
        "window": {
            each.name: json_of(getattr(options.window, each.name)) for each in fields(Window) if each.init
        },
        "repair": options.repair,
        "keep": options.keep,
        "unique_names": options.unique_names,
        "budget": asdict(options.budget),
        "limits": asdict(options.limits),
        "derive": options.derive,
        "conclusions": options.conclusions,
        "numbers": options.numbers,
        "precision": options.precision,
        "tick": json_of(options.tick),
        "kind": history.step.kind.name if history.step else None,
        "now": history.step.now if history.step else 0,
        "contradicted": bool(history.log.newest and history.arrival and history.arrival.contradicted),
        "counters": history.counters._asdict(),
        "messages": history.messages,
        "history": {"steps": options.history.steps, "max_bytes": options.history.max_bytes},
        "departed": len(departed),
        "known_from": history.past.known_from,
        "ill_typed": [str(name) for name in state.ill_typed],
        "times": [list(mark) for mark in marks],
        "constraints": constraints,
        "note": dict(state.note),
        "unexpected": state.noted.saved(),
        "waiting": waiting,
    }
    return cast("Mapping[str, Any]", header), columns


def entry_columns(
    given: Sequence[Entry],
    repairs: ByLevel[PastRepair],
    lexicon: Lexicon,
    table: RepairTable,
    times: TimesWriter,
    pacer: Pacer = UNPACED,
    further: Sequence[Forms] = (NO_FORMS, NO_FORMS),
    values: Integers = _NO_VALUES,
) -> tuple[dict[str, Column], list[list[str]]]:
    """Return the columns of consecutive entries and their repairs, and for the header name and text of the
    violated constraints.

    Args:
        given: the entries.
        repairs: their repairs.
        lexicon: decodes the numbers of facts.
        table: the table of repairs.
        times: the table of timestamps, which begins with those of the entries.
        pacer: divides large inputs.
        further: two further groups of literal forms: of facts, and of subjects and values.
        values: literals whose first forms are stored too.
    """

    def entries() -> Iterable[Entry]:
        return pacer(given)

    def parts() -> Iterator[Integers]:
        return chain((entry.facts for entry in entries()), (entry.cut for entry in entries()))

    def forms() -> Iterator[Forms]:
        return chain((entry.forms for entry in entries()), further)

    rows = list(pacer(row for part in forms() if part for row in part.rows()))
    places: dict[RdflibLiteral, int] = {}
    of_forms = [places.setdefault(form, len(places)) for _, form in pacer(rows)]
    keys = (np.array([fact for fact, _ in piece], np.int32) for piece in pacer.pieces(rows))
    facts = concatenated(NO_FACTS, (part for part in chain(parts(), keys) if len(part)), pacer)
    first = given[0].level if given else 0
    of_repairs, constraints = table.columns(repairs, first, times, pacer)
    columns: dict[str, Column] = {
        "entries.facts": lengths(parts()),
        "forms.keys": column_of(len(part.by_fact) + len(part.by_pair) for part in forms()),
        "forms.form": column_of(pacer(of_forms)),
        **columns_of_facts(lexicon, facts, values, list(places), pacer),
        **of_repairs,
    }
    return columns, constraints


def _columns_of_consumers(consumers: Mapping[str, Saved], pacer: Pacer) -> dict[str, Column]:
    names = pacer(sorted(consumers))
    return {CONSUMER + name: np.frombuffer(consumers[name](pacer), np.uint8) for name in names}


def _columns_of_departures(departures: Sequence[Departure], pacer: Pacer) -> dict[str, Column]:
    early = (entry.level in each.early for each in departures for entry in each.entries)
    return {
        "departures.entries": lengths(each.entries for each in pacer(departures)),
        "departures.ticks": np.fromiter((each.ticks for each in pacer(departures)), np.int64),
        "departures.came": column_of(each.arrivals_before for each in pacer(departures)),
        "departures.early": column_of(pacer(early)),
    }


# -- in --------------------------------------------------------------------------------------------


class Checkpoint:
    """Checkpoint that was read. Its options are available at once, its state given a vocabulary.

    Args:
        contents: the content.
        segments: contents with the oldest entries of the history, oldest first.
        skipped: the number of entries at the beginning of the first segment that are not part of the history.

    Raises:
        CheckpointError: the content is inconsistent.
    """

    def __init__(self, contents: Contents, segments: Sequence[Contents] = (), skipped: int = 0) -> None:
        self._contents, self._segments, self._skipped = contents, segments, skipped
        header = self._header = checked_header(contents)
        with contents.understood():
            window = {name: from_json(given) for name, given in header["window"].items()}
            self.note = header["note"]
            self.options = Options(
                Window(**window),  # type: ignore[arg-type]
                header["repair"],
                header["keep"],
                header["unique_names"],
                Budget(**header["budget"]),
                Limits(**header["limits"]),
                header["derive"],
                History(**header["history"]),  # type: ignore[arg-type]
                header["conclusions"],
                header["numbers"],
                header["precision"],
                from_json(header["tick"]),  # type: ignore[arg-type]
            )
            self.background = GivenBackground(tuple(read_triples(contents, "background")))

    def check(self, ontology: Ontology, background: GivenBackground | None) -> None:
        """Compare the fingerprints with those of the given ontology and background.

        Raises:
            CheckpointMismatchError: they differ.
        """
        header, prints = self._header, ontology.fingerprints
        given = [
            ("rules or constraints of the ontology", header["rules"], prints.rules),
            ("assertions in the ontology", header["background"], prints.background),
        ]
        if background is not None:
            given.append(("triples as background", header["given"], background.fingerprint))
        for what, saved, fingerprint in given:
            if saved != fingerprint:
                raise CheckpointMismatchError(self._contents.source, what, saved, fingerprint)

    def check_options(self, given: Mapping[str, object]) -> None:
        """Compare given options with the saved ones; an option of None is not compared.

        Raises:
            CheckpointOptionError: an option differs.
        """
        for name, value in given.items():
            saved = getattr(self.options, name)
            if value is None or value == saved:
                continue
            if isinstance(value, Window):
                with self._contents.understood():
                    kind = TimeKind[self._header["kind"] or "INTEGER"]
                if saved.is_as(value, value.kind or kind):
                    continue
            raise CheckpointOptionError(self._contents.source, name, repr(saved), repr(value))

    def rules(self, given: TemporalRules | None) -> TemporalRules | None:
        """Return the saved temporal rules.

        Args:
            given: the expected rules, None for any.

        Raises:
            CheckpointOptionError: the saved rules differ from the expected ones.
            CheckpointError: the saved rules are invalid.
        """
        kept = self._contents.columns.get(CONSUMER + CONCLUSIONS)
        with self._contents.understood():
            saved = None if kept is None else rules_of(kept.tobytes())
        if given is None:
            return saved
        check_type("temporal", given, TemporalRules, "TemporalRules from load_rules(text)")
        if saved is None or not given.is_equivalent(saved):
            shown = _rules_apart(saved, given)
            raise CheckpointOptionError(self._contents.source, "temporal", *shown)
        return given

    def first_forms(self) -> list[RdflibLiteral]:
        """Return the values of facts, each in its first form, which facts have without a form of their own.

        Raises:
            CheckpointError: the content is inconsistent.
        """
        with self._contents.understood():
            _, _, values, _ = self._contents.split("facts.terms", read_terms(self._contents, "facts"))
            return [term for term in values if isinstance(term, RdflibLiteral)]

    def state(self, growing: GrowingProgram) -> State:
        """Return the state with the numbers of the vocabulary of `growing`, whose program is extended to
        cover its facts.

        Raises:
            CheckpointError: the content is inconsistent.
        """
        with self._contents.understood():
            return self._state(growing)

    def _state(self, growing: GrowingProgram) -> State:
        contents, header = self._contents, self._header
        kind = TimeKind[header["kind"] or header["waiting"].get("kind") or "INTEGER"]
        step = self.options.window.step_at(kind, header["now"]) if header["kind"] else None
        segments = [
            _Segment.read(each, kind, growing.vocabulary, 0 if place else self._skipped)
            for place, each in enumerate((*self._segments, contents))
        ]
        told = growing.vocabulary.encode(triple for each in segments for triple in each.told).facts
        every = np.concatenate([*(each.facts for each in segments), told])
        ill_typed = tuple(map(URIRef, header["ill_typed"]))
        if not (growing.covers(every) and set(ill_typed) <= set(growing.ill_typed)):
            growing.grow(every, ill_typed)
        entries = self._entries(step, segments)
        repairs = list[tuple[int, Repair]]()
        first = 0
        for segment in segments:
            for place, repair in segment.repairs(header["repair"], growing.program, self.options.budget):
                repairs.append((first + place, repair))
                evidence = 0 if repair.case is None else repair.case.kept.bytes
                entries[first + place] = replace(entries[first + place], evidence=evidence)
            first += len(segment.at)
        log = Log.of(linked(entries[header["departed"] :]), header["departed"])
        past = self._past(entries[: header["departed"]])
        undecided = repairs[-1][1].undecided_facts if header["contradicted"] and repairs else 0
        arrival = _arrival(log.newest, header["contradicted"], undecided)
        counters = Counters(**header["counters"])
        if contents.version < FIRST_WITH_EVIDENCE:  # and no count of undecided facts
            counters = counters._replace(undecided=sum(repair.undecided_facts for _, repair in repairs))
        waiting = read_waiting(contents, header["waiting"], segments[-1].times)
        remembered = ByLevel.of(starmap(PastRepair, repairs))
        history = StreamHistory(log, step, arrival, remembered, counters, header["messages"], past, waiting)
        written, pairs = segments[-1].further
        known = GivenForms(growing.vocabulary, dict(written.by_fact), dict(pairs.by_pair))
        kept = {
            name.removeprefix(CONSUMER): known_bytes(column.tobytes())
            for name, column in contents.columns.items()
            if name.startswith(CONSUMER)
        }
        noted = InputDiagnostics.from_saved(header["unexpected"])
        return State(history, known, ill_typed, self.note, consumers=kept, noted=noted)

    def _entries(self, step: Step | None, segments: Sequence[_Segment]) -> list[Entry]:
        """Return the entries of past and log; their timestamps ascend up to the present."""
        contents, found = self._contents, list[Entry]()
        for segment in segments:
            ticks = [ticks_of(at, step.kind) for at in segment.at] if step else []
            columns = segment.at, ticks, segment.parts, segment.cuts, segment.forms
            found += [Entry(n, *one) for n, one in enumerate(zip(*columns, strict=True), len(found))]
        ticks = [entry.ticks for entry in found]
        if any(one >= other for one, other in pairwise([*ticks, step.now + 1 if step else 0])):
            raise contents.broken("the timestamps do not ascend")
        if not 0 <= self._header["departed"] <= len(found):
            raise contents.broken("more entries have left than exist")
        return found

    def _past(self, entries: Sequence[Entry]) -> PastEntries:
        """Return the past with these entries."""
        contents, header, bounds = self._contents, self._header, self.options.history
        if contents.version < FIRST_WITH_HISTORY:
            return PastEntries(bounds, known_from=header["known_from"])
        ticks, came = contents.columns["departures.ticks"], contents.column("departures.came").tolist()
        flags = contents.column("departures.early").tolist()
        early = {entry.level for entry, flag in zip(entries, flags, strict=True) if flag}
        settled = tuple(
            Departure(*one, tuple(e.level for e in one[2] if e.level in early), sum(e.bytes for e in one[2]))
            for one in zip(ticks.tolist(), came, contents.split("departures.entries", entries), strict=True)
        )
        left = [(departure.arrivals_before, departure.ticks) for departure in settled]
        if ticks.dtype != np.int64 or left != sorted(left) or not {0, 1} >= set(flags):
            raise contents.broken("departures are not in order")
        if left and not (left[-1] <= (header["messages"], header["now"]) and left[-1][1] <= header["now"]):
            raise contents.broken("a departure is later than the present")
        if any(entry.ticks >= each.ticks for each in settled for entry in each.entries):
            raise contents.broken("an entry left before its arrival")
        return PastEntries(
            bounds, settled, None, 0, sum(each.bytes for each in settled), header["known_from"]
        )


class _Segment(NamedTuple):
    """Consecutive entries of a checkpoint, in the numbers of a vocabulary.

    Args:
        contents: the columns.
        times: all timestamps of the columns.
        at: the timestamps of the entries.
        parts, cuts: the asserted and the cut facts of each entry.
        forms: the literal forms of each entry.
        further: further literal forms: of facts, and of subjects and values.
        facts: all facts.
        skipped: the number of skipped entries.
    """

    contents: Contents
    times: list[TimePoint]
    at: list[TimePoint]
    parts: list[Integers]
    cuts: list[Integers]
    forms: list[Forms]
    further: tuple[Forms, Forms]
    facts: Integers
    skipped: int

    @classmethod
    def read(cls, contents: Contents, kind: TimeKind, vocabulary: Vocabulary, skipped: int = 0) -> _Segment:
        """Read the entries after the first `skipped` ones; only terms of read entries get numbers."""
        times = read_times(contents, checked_times(contents), kind)
        sizes, keyed = contents.column("entries.facts"), contents.column("forms.keys")
        count = len(keyed) - 2
        if count < skipped or len(sizes) != 2 * count:
            raise contents.broken("the numbers of entries differ")
        stored = len(contents.columns["facts.predicate"])
        if (total := int(sizes.sum() + keyed.sum())) != stored:
            raise contents.broken(f"the lengths in column entries.facts add up to {total}, not to {stored}")
        if len(contents.columns["forms.form"]) != int(keyed.sum()):
            raise contents.broken("the lengths in column forms.keys are not those of the forms")
        is_read = np.ones(len(keyed), bool)
        is_read[:skipped] = False
        of_rows = np.concatenate([sizes, keyed])
        keep = np.repeat(np.concatenate([is_read[:count], is_read[:count], is_read]), of_rows)
        rows, literals = read_facts(contents, vocabulary, keep)
        places = contents.column("forms.form")[np.repeat(is_read, keyed)]
        formed = [literals[place] for place in places.tolist()]
        for form in formed:
            vocabulary.number(form)
        facts, keys = rows[: len(rows) - len(formed)], rows[len(rows) - len(formed) :]
        if np.any(facts[:, 0] == NO_PREDICATE):
            raise contents.broken("a fact has no predicate")
        pairs = list(zip(as_tuples(keys), formed, strict=True))
        *forms, written, of_pairs = map(Forms.of_rows, divided(pairs, keyed[is_read]))
        if written.by_pair or of_pairs.by_fact:
            raise contents.broken("forms have other keys")
        parts = divided(facts, sizes[np.tile(is_read[:count], 2)])
        half = count - skipped
        at = times[skipped:count]
        return cls(
            contents, times, at, parts[:half], parts[half:], forms, (written, of_pairs), facts, skipped
        )

    @property
    def told(self) -> list[Triple]:
        """Triples of the repairs of the entries."""
        assertions = read_assertions(self.contents, self.times)
        if not self.skipped:
            return [triple for _, triple in assertions]
        of_repairs = self.contents.split(
            "repairs.groups", self.contents.split("groups.assertions", assertions)
        )
        entries = self.contents.column("repairs.entry").tolist()
        return [
            triple
            for entry, groups in zip(entries, of_repairs, strict=True)
            for _, triple in chain.from_iterable(groups if entry >= self.skipped else ())
        ]

    def repairs(self, method: Method, program: Program, budget: Budget) -> Iterator[tuple[int, Repair]]:
        """Yield the repairs, each with the index of its entry."""
        assertions = read_assertions(self.contents, self.times)
        constraints = constraints_named(checked_constraints(self.contents), program.rules)
        at = [*self.times[: self.skipped], *self.at]
        for place, repair in read_repairs(self.contents, assertions, at, method, constraints, budget):
            if place >= self.skipped:
                yield place - self.skipped, repair


def _rules_apart(saved: TemporalRules | None, given: TemporalRules) -> tuple[str, str]:
    """Return the texts of the saved and of the given rules, without the rules in both."""
    if saved is None:
        return "None", abbreviate_rules(given.rules)
    only_saved = [rule for rule in saved.rules if rule not in given.rules]
    only_given = [rule for rule in given.rules if rule not in saved.rules]
    if only_saved or only_given:
        return abbreviate_rules(only_saved), abbreviate_rules(only_given)
    said = [
        f"the same rules with remember={sorted(map(str, each.remembered))}, start={each.start!r}, "
        f"feedback={each.feedback}"
        for each in (saved, given)
    ]
    return said[0], said[1]


def _arrival(newest: Entry | None, contradicted: bool, undecided: int) -> Arrival | None:
    """Return the undo record of the newest entry, without the model's data, which is added when a model is
    built.
    """
    if newest is None:
        return None
    return Arrival(newest.level, newest.facts, np.empty(0, np.int32), newest.cut, contradicted, undecided)
