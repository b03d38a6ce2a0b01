"""The state of a reasoner as the bytes of a checkpoint, and back.

What is saved is what a push leaves behind: window and options, the background beside the ontology's, the
books, and how literals were written. The program is compiled from the ontology again, the window model is
made from the books again. Levels begin at 0 again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import NamedTuple, cast, get_args

import numpy as np
from rdflib import Literal, URIRef

from pantarhei.encoding.numbers import Forms, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.books import Arrival, Books, Counters
from pantarhei.engine.checkpoint.background import GivenBackground
from pantarhei.engine.checkpoint.container import Column, Contents, Json, narrow, pack
from pantarhei.engine.checkpoint.fact_columns import NO_PREDICATE, columns_of_facts, read_facts
from pantarhei.engine.checkpoint.repair_columns import ReadRepairs, RepairTable
from pantarhei.engine.checkpoint.timestamp_columns import TimesWriter, from_json, json_of, read_times
from pantarhei.errors import CheckpointError, CheckpointMismatchError, PantarheiError
from pantarhei.language.rule import Predicate
from pantarhei.language.time import TimeKind
from pantarhei.materialize.model import Keep
from pantarhei.ontology import Ontology
from pantarhei.repair.choose import METHODS, Method
from pantarhei.repair.conflict import Budget
from pantarhei.rules.compilation.growth import GrowingProgram
from pantarhei.window.limits import NO_LIMITS, Limits, OnLimit
from pantarhei.window.log import Entry, Log
from pantarhei.window.sliding import Step, Window

_LEAST, _MOST = -(2**63), 2**63 - 1
_STEP = ("now", "first", "end", "start")


class Options(NamedTuple):
    """What a reasoner was told when it was made, beside ontology and background."""

    window: Window
    repair: Method
    keep: Keep
    unique_names: bool
    budget: Budget
    limits: Limits = NO_LIMITS

    @property
    def others(self) -> tuple[Method, Keep, bool, Budget, int | None, int | None, OnLimit]:
        """All but the window, in the order in which a reasoner takes them."""
        limits = self.limits.max_facts, self.limits.max_bytes, self.limits.on_limit
        return self.repair, self.keep, self.unique_names, self.budget, *limits


class Written(NamedTuple):
    """How literals of the materialization are written: `forms.GivenForms` as values."""

    facts: Forms
    pairs: Forms


@dataclass(frozen=True, slots=True)
class State:
    """All that a restored reasoner needs.

    Args:
        books: what was asserted and cut.
        written: how literals are written.
        messages: how many tables came; it scopes their blank nodes.
        ill_typed: properties that had ill-typed values, in the window or before.
        note: what the caller wants to find again.
        values: literals, by number, whose first forms are to be kept beside those in the books.
    """

    books: Books
    written: Written
    messages: int = 0
    ill_typed: tuple[Predicate, ...] = ()
    note: Mapping[str, Json] = field(default_factory=dict)
    values: Integers = field(default_factory=lambda: np.empty(0, np.int32))


# -- out -------------------------------------------------------------------------------------------


def save(
    state: State,
    options: Options,
    ontology: Ontology,
    background: GivenBackground,
    vocabulary: Vocabulary,
    repairs: RepairTable,
) -> bytes:
    """The checkpoint of a state whose facts `vocabulary` numbers.

    Costs the assertions as columns, and a step of Python for each entry, each different term, and what the
    repairs say that `repairs` has not seen yet.
    """
    books = state.books
    kind = books.step.kind if books.step else TimeKind.INTEGER
    entries, times, forms = list(books.log), TimesWriter(kind), _FormsWriter()
    times.begin([entry.at for entry in entries], [entry.ticks for entry in entries])
    for entry in entries:
        forms.add(entry.forms)
    forms.add(state.written.facts)
    forms.add(state.written.pairs)
    first = books.log.first_level
    in_window = [(level, repair) for level, repair in books.repairs if level >= first]
    of_repairs, constraints = repairs.columns(in_window, first, times)
    parts = [*(entry.facts for entry in entries), *(entry.cut for entry in entries), forms.keys()]
    of_times, zones = times.columns()
    columns: dict[str, Column] = {
        "entries.facts": _lengths(entry.facts for entry in entries),
        "entries.cut": _lengths(entry.cut for entry in entries),
        "forms.count": narrow(np.array(forms.counts, np.uint32)),
        "forms.form": narrow(np.array(forms.places, np.uint32)),
        **of_times,
        **columns_of_facts(vocabulary, np.concatenate(parts), state.values, list(forms.literals)),
        **of_repairs,
        **background.columns,
    }
    header = {
        "rules": ontology.fingerprints.rules,
        "background": ontology.fingerprints.background,
        "given": background.fingerprint,
        **_header_of_options(options),
        "step": None if books.step is None else _header_of_step(books.step),
        "contradicted": bool(entries and books.arrival and books.arrival.contradicted),
        "counters": books.counters._asdict(),
        "messages": state.messages,
        "ill_typed": [str(name) for name in state.ill_typed],
        "zones": zones,
        "constraints": constraints,
        "note": dict(state.note),
    }
    return pack(header, columns)


def _header_of_options(options: Options) -> dict[str, Json]:
    window, budget = options.window, options.budget
    return {
        "window": {
            "range": json_of(window.range),
            "slide": None if window.slide is None else json_of(window.slide),
            "origin": json_of(window.origin),
            "closed": window.closed,
        },
        "repair": options.repair,
        "keep": options.keep,
        "unique_names": options.unique_names,
        "budget": {name: int(getattr(budget, name)) for name in Budget.__dataclass_fields__},
        "limits": {name: getattr(options.limits, name) for name in Limits.__dataclass_fields__},
    }


def _header_of_step(step: Step) -> dict[str, Json]:
    return {"kind": step.kind.name, **{name: getattr(step, name) for name in _STEP}}


def _lengths(parts: Iterable[Integers]) -> Column:
    return narrow(np.array([len(part) for part in parts], np.uint32))


class _FormsWriter:
    """Collects forms: their keys as rows of facts, the literals each once."""

    def __init__(self) -> None:
        self._keys: list[tuple[int, ...]] = []
        self.counts: list[int] = []
        self.places: list[int] = []
        self.literals: dict[Literal, int] = {}

    def add(self, forms: Forms) -> None:
        """Take in one mapping, in its order."""
        self.counts.append(len(forms))
        if not forms:
            return
        for key, form in forms.items():
            self._keys.append(key if len(key) == 3 else (NO_PREDICATE, *key))
            self.places.append(self.literals.setdefault(form, len(self.literals)))

    def keys(self) -> Integers:
        return np.array(self._keys, np.int32).reshape(-1, 3)


# -- in --------------------------------------------------------------------------------------------


class Checkpoint:
    """A checkpoint that was read: its options at once, its state when a vocabulary is there.

    Raises:
        CheckpointError: something in it makes no sense.
    """

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        self.note = contents.mapping("note")
        self.options = self._options()
        self.background = GivenBackground.read(contents)

    def _options(self) -> Options:
        contents = self.contents
        try:
            window = {
                name: given if name == "closed" or given is None else from_json(given)
                for name, given in contents.mapping("window").items()
            }
            budget = {
                name: contents.checked(name, given) for name, given in contents.mapping("budget").items()
            }
            found = Options(
                Window(**window),  # type: ignore[arg-type]
                cast(Method, contents.one_of("repair", METHODS)),
                cast(Keep, contents.one_of("keep", get_args(Keep))),
                contents.truth("unique_names"),
                Budget(**budget),
                self._limits(),
            )
        except CheckpointError:
            raise
        except (TypeError, ValueError, KeyError, OverflowError, PantarheiError) as error:
            raise contents.broken(f"the options: {error}") from error
        return found

    def _limits(self) -> Limits:
        """The limits; none where nothing is said of them."""
        if "limits" not in self.contents.header:
            return NO_LIMITS
        return Limits(**self.contents.mapping("limits"))  # type: ignore[arg-type]

    def _counters(self) -> Counters:
        """What went by; nothing where nothing is said of it."""
        contents = self.contents
        if "counters" not in contents.header:
            return Counters()
        given = contents.mapping("counters")
        try:
            return Counters(*(contents.checked(name, given[name]) for name in Counters._fields))
        except KeyError as error:
            raise contents.broken(f"the counters: {error}") from error

    def check(self, ontology: Ontology, background: GivenBackground | None) -> None:
        """Hold the fingerprints against those of what it is restored with.

        Raises:
            CheckpointMismatchError: they differ.
        """
        given = {
            "rules": ("rules or constraints of the ontology", ontology.fingerprints.rules),
            "background": ("assertions in the ontology", ontology.fingerprints.background),
        }
        if background is not None:
            given["given"] = ("triples as background", background.fingerprint)
        for name, (what, fingerprint) in given.items():
            saved = self.contents.text(name)
            if saved != fingerprint:
                raise CheckpointMismatchError(self.contents.source, what, saved, fingerprint)

    def state(self, growing: GrowingProgram) -> State:
        """The state, its terms numbered by the vocabulary of `growing`, which grows to cover its facts.

        Raises:
            CheckpointError: it makes no sense.
        """
        contents = self.contents
        step = self._step()
        times, ticks = read_times(contents, step.kind if step else TimeKind.INTEGER)
        read = read_facts(contents, growing.vocabulary)
        sizes = contents.column("entries.facts").tolist()
        cuts = contents.column("entries.cut", len(sizes)).tolist()
        self._check_times(ticks[: len(sizes)], len(sizes), step)
        count = sum(sizes) + sum(cuts)
        facts, keys = read.facts[:count], read.facts[count:]
        if len(facts) < count or np.any(facts[:, 0] == NO_PREDICATE):
            raise contents.broken("facts are missing")
        *forms, written, pairs = self._forms(keys, read.forms, len(sizes) + 2)
        if any(len(key) != 3 for key in written) or any(len(key) != 2 for key in pairs):
            raise contents.broken("forms have other keys")
        parts = list(_split(facts, [*sizes, *cuts]))
        log = Log.of(
            Entry(level, times[level], ticks[level], parts[level], parts[len(sizes) + level], forms[level])
            for level in range(len(sizes))
        )
        repairs = ReadRepairs(contents, times, times[: len(sizes)])
        told = growing.vocabulary.encode(repairs.triples).facts
        every = np.concatenate([facts, told])
        ill_typed = tuple(URIRef(name) for name in contents.texts("ill_typed"))
        if not (growing.covers(every) and set(ill_typed) <= set(growing.ill_typed)):
            growing.grow(every, ill_typed)
        books = Books(
            log,
            step,
            len(sizes),
            _arrival(log.newest, contents.truth("contradicted")),
            repairs.repairs(self.options.repair, growing.program.rules),
            self._counters(),
        )
        return State(books, Written(written, pairs), contents.integer("messages"), ill_typed, self.note)

    def _step(self) -> Step | None:
        contents = self.contents
        if contents.header.get("step") is None:
            return None
        given = contents.mapping("step")
        try:
            kind = TimeKind[str(given["kind"])]
            return Step(kind, *(contents.checked(name, given[name], _LEAST, _MOST) for name in _STEP))
        except KeyError as error:
            raise contents.broken(f"the time: {error}") from error

    def _check_times(self, ticks: Sequence[int], count: int, step: Step | None) -> None:
        """The ABoxes' times ascend, and time has come to the last."""
        broken = len(ticks) < count or any(one >= other for one, other in pairwise(ticks))
        if broken or (ticks and (step is None or ticks[-1] > step.now)):
            raise self.contents.broken("the timestamps do not ascend")

    def _forms(self, keys: Integers, literals: Sequence[Literal], count: int) -> list[Forms]:
        """As many mappings of keys to forms."""
        contents = self.contents
        counts = contents.counts("forms.count", len(keys), count).tolist()
        places = contents.indices("forms.form", len(literals), len(keys)).tolist()
        pairs = [
            (tuple(key[1:] if key[0] == NO_PREDICATE else key), literals[place])
            for key, place in zip(keys.tolist(), places, strict=True)
        ]
        return [dict(pairs[start:end]) for start, end in pairwise(accumulate(counts, initial=0))]


def _split(facts: Integers, sizes: Sequence[int]) -> Iterator[Integers]:
    return (facts[start:end] for start, end in pairwise(accumulate(sizes, initial=0)))


def _arrival(newest: Entry | None, contradicted: bool) -> Arrival | None:
    """How to undo the newest entry; what the model gave for it is found when the model is made."""
    if newest is None:
        return None
    return Arrival(newest.level, newest.facts, np.empty(0, np.int32), newest.cut, contradicted)
