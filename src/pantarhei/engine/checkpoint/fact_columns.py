"""Terms, triples, facts and timestamps as columns of a checkpoint.

A term is a text and a mark of its type: `<` an IRI, `_` a blank node, empty a plain literal, `@en` a literal
with a language, `^http://…` a literal with a datatype. The exact form of each term is preserved.

Facts are stored with their own numbering of the terms that occur. The order of terms is preserved, and with
it the first form of each value.

A timestamp is a number, for a datetime its ticks, and a mark of its type: an integer, a float, or a datetime
with a zone of the time zone database and its offset from UTC. If the reader's database has another offset for
that time, or lacks the zone, the writer's offset is used, so that the instant never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeVar, cast
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
from rdflib import BNode, Literal, URIRef

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Integers, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.checkpoint.container import (
    UNPACED,
    Column,
    Contents,
    Json,
    Pacer,
    column_of,
    lengths,
    narrow,
)
from pantarhei.model.datetimes import EPOCH, MICROSECOND, tick_of_datetime
from pantarhei.model.rule import Predicate
from pantarhei.model.term import Term, Triple, check_triple
from pantarhei.model.time import Duration, TimeKind, TimePoint, plain_time, ticks_of
from pantarhei.rdf.ntriples import typed_literal

_PLACES = ("subject", "predicate", "object")


def mark_of(term: Term) -> str:
    """Return the mark that distinguishes a term from other terms with the same text."""
    if isinstance(term, URIRef | BNode):
        return "<" if isinstance(term, URIRef) else "_"
    if term.language is not None:
        return f"@{term.language}"
    return "" if term.datatype is None else f"^{term.datatype}"


def columns_of_terms(name: str, terms: Sequence[Term], pacer: Pacer = UNPACED) -> dict[str, Column]:
    """Return the columns of terms; their names begin with `name`.

    They have the texts of the terms, then the texts of the marks, and for each term the number of its mark.
    """
    marks: dict[str, int] = {}
    kinds = [
        marks.setdefault("<" if type(term) is URIRef else mark_of(term), len(marks))  # a call would cost more
        for term in pacer(terms)
    ]
    texts = [*terms, *marks]
    encoded = ["".join(piece).encode("utf-8", "surrogatepass") for piece in pacer.pieces(texts)]
    return {
        f"{name}.mark": column_of(pacer(kinds)),
        f"{name}.length": lengths(pacer(texts)),
        f"{name}.text": np.frombuffer(b"".join(encoded), np.uint8),
    }


def read_terms(contents: Contents, name: str) -> list[Term]:
    """Read terms, in their order, from the columns whose names begin with `name`."""
    whole = contents.columns[f"{name}.text"].tobytes().decode("utf-8", "surrogatepass")
    texts, kinds = contents.split(f"{name}.length", whole), contents.column(f"{name}.mark").tolist()
    makers = [_maker(mark) for mark in texts[len(kinds) :]]
    return [makers[kind](text) for kind, text in zip(kinds, texts[: len(kinds)], strict=True)]


def _maker(mark: str) -> Callable[[str], Term]:
    """Return the constructor of terms with this mark."""
    match mark[:1]:
        case "<":
            return partial(str.__new__, URIRef)  # its syntax is not checked again
        case "_":
            return BNode
        case "":
            return Literal
        case "@":
            return partial(Literal, lang=mark[1:])
        case "^":
            return partial(typed_literal, datatype=URIRef(mark[1:]))
    raise ValueError(f"a term has the unknown mark {mark!r}")


def columns_of_triples(
    name: str, rows: npt.NDArray[np.integer], terms: Sequence[Term], pacer: Pacer = UNPACED
) -> dict[str, Column]:
    """Return the columns of triples; their names begin with `name`. `rows` has three indexes into `terms`
    each.
    """
    places = zip(_PLACES, rows.T, strict=True)
    return {
        **{f"{name}.{place}": narrow(column) for place, column in places},
        **columns_of_terms(name, terms, pacer),
    }


def read_triples(contents: Contents, name: str) -> list[Triple]:
    """Read triples, in their order, from the columns whose names begin with `name`."""
    terms = read_terms(contents, name)
    columns = (contents.column(f"{name}.{place}").tolist() for place in _PLACES)
    return [check_triple((terms[s], terms[p], terms[o])) for s, p, o in zip(*columns, strict=True)]


_T = TypeVar("_T")

NO_PREDICATE = -1  # in the place of a predicate, for a subject and a value alone


class Used(NamedTuple):
    """Numbers that occur, in some order, and for each number its position in that order."""

    numbers: npt.NDArray[np.intp]
    places: npt.NDArray[np.integer]

    @classmethod
    def ascending(cls, size: int, parts: Iterable[npt.NDArray[np.integer]]) -> Used:
        """Collect the numbers in `parts` in ascending order; all are below `size`."""
        flags = np.zeros(size, np.bool_)
        for part in parts:
            flags[part] = True
        return cls(np.flatnonzero(flags), np.cumsum(flags, dtype=np.int32) - 1)

    @classmethod
    def appearing(cls, size: int, numbers: npt.NDArray[np.integer]) -> Used:
        """Collect numbers in the order of their first occurrence; all are below `size`."""
        flat = numbers.ravel()
        first = np.full(size, len(flat), np.int64)
        first[flat[::-1]] = np.arange(len(flat))[::-1]  # of several the last one written stays
        used = np.flatnonzero(first < len(flat))
        used = used[np.argsort(first[used])]
        places = np.zeros(size, np.int64)
        places[used] = np.arange(len(used))
        return cls(used, places)

    def among(self, members: Iterable[_T]) -> list[_T]:
        """Return the members whose indexes occur."""
        given = list(members)
        return [given[number] for number in self.numbers.tolist()]


def columns_of_facts(
    lexicon: Lexicon, facts: Integers, values: Integers, forms: Sequence[Literal], pacer: Pacer = UNPACED
) -> dict[str, Column]:
    """Return the columns of facts, shape (n, 3), and of their terms.

    The cost is vectorised over the facts and the lexicon, plus one Python step for each term.

    Args:
        lexicon: decodes the numbers.
        facts: rows of numbers; some of them are `NO_PREDICATE, subject, value`.
        values: literals whose first forms are stored too.
        forms: further literals, in this order.
    """
    predicates, subjects, objects = np.ascontiguousarray(facts.T)
    with_literal = np.flatnonzero(objects >= FIRST_LITERAL)
    with_name = np.flatnonzero((objects >= 0) & (objects < FIRST_LITERAL))
    their_literals, their_names = objects[with_literal] - FIRST_LITERAL, objects[with_name]
    symbols = Used.ascending(len(lexicon.symbols), [predicates[predicates >= 0]])
    names = Used.ascending(len(lexicon.names), [subjects, their_names])
    literals = Used.ascending(len(lexicon.literals), [their_literals, values - FIRST_LITERAL])
    whats = np.zeros(len(facts), np.int32)
    whats[with_name] = 1 + names.places[their_names]
    whats[with_literal] = 1 + len(names.numbers) + literals.places[their_literals]
    terms: list[list[Term]] = [
        [lexicon.symbols[number].name for number in symbols.numbers.tolist()],
        [lexicon.names[number] for number in pacer(names.numbers.tolist())],
        [lexicon.literals[number] for number in pacer(literals.numbers.tolist())],
        list(forms),
    ]
    return {
        "facts.predicate": narrow(
            np.append(1 + symbols.places, 0)[predicates]
        ),  # NO_PREDICATE finds the last
        "facts.subject": narrow(names.places[subjects] if len(subjects) else subjects),
        "facts.object": narrow(whats),
        "facts.terms": lengths(terms),
        **columns_of_terms("facts", list(chain.from_iterable(terms)), pacer),
    }


def read_facts(
    contents: Contents, vocabulary: Vocabulary, keep: npt.NDArray[np.bool_] | None = None
) -> tuple[Integers, list[Literal]]:
    """Read the facts of a checkpoint with the numbers of `vocabulary`, and the literal forms stored with
    them.

    Args:
        contents: the checkpoint.
        vocabulary: gets the terms of the facts; the forms get no numbers.
        keep: mask of the facts to read; terms that only other facts have get no numbers.
    """
    terms = read_terms(contents, "facts")
    predicates, names, *values = contents.split("facts.terms", terms)
    literals, forms = ([term for term in part if isinstance(term, Literal)] for part in values)
    if len(predicates) + len(names) + len(literals) + len(forms) < len(terms):
        raise contents.broken("a form is not a literal")
    which, who, what = (contents.column(f"facts.{place}") for place in ("predicate", "subject", "object"))
    arities = np.full(len(predicates) + 1, 2)
    arities[which[what == 0]] = 1
    if np.any((arities[which] == 1) != (what == 0)):
        raise contents.broken("facts of one predicate differ in the number of terms")
    if sum(isinstance(name, Literal) for name in chain(predicates, names)):
        raise contents.broken("a literal is a predicate or a subject")
    is_symbol, is_term = np.ones(len(arities), bool), np.ones(1 + len(names) + len(literals), bool)
    if keep is not None and not keep.all():
        which, who, what = which[keep], who[keep], what[keep]
        is_symbol, is_term = _flags(is_symbol, which), _flags(is_term, 1 + who, what)
    symbols = map(Symbol, cast("Sequence[Predicate]", predicates), arities[1:].tolist())
    of_symbols = np.full(len(arities), NO_PREDICATE, np.int32)
    of_terms = np.full(len(is_term), NONE, np.int32)
    for place, symbol in enumerate(symbols, 1):
        if is_symbol[place]:
            of_symbols[place] = vocabulary.number_symbol(symbol)
    kept = np.flatnonzero(is_term[1:]).tolist()
    others = (*names, *literals)
    of_terms[1:][kept] = [vocabulary.number(others[place]) for place in kept]
    facts = np.column_stack([of_symbols[which], of_terms[1 : 1 + len(names)][who], of_terms[what]])
    return vocabulary.with_types(facts), forms


def _flags(like: npt.NDArray[np.bool_], *places: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """Return flags of these places, in an array of the size of `like`."""
    flags = np.zeros_like(like)
    for some in places:
        flags[some] = True
    return flags


_EPOCH = EPOCH.replace(tzinfo=None)


class _Mark(NamedTuple):
    """Type and time zone of a timestamp.

    Args:
        type: `int`, `float` or `datetime`.
        zone: the zone's name in the time zone database, if it has one.
        distance: offset of the zone from UTC at that time, in microseconds.
        fold: 1 for the second of two times with equal clock readings.
    """

    type: str
    zone: str | None = None
    distance: int = 0
    fold: int = 0


def _parts(at: TimePoint) -> tuple[int | float, _Mark]:
    if not isinstance(at, datetime):
        return at, _Mark(type(at).__name__)
    zone = at.tzinfo.key if isinstance(at.tzinfo, ZoneInfo) else None
    ticks, clock = ticks_of(at, TimeKind.DATETIME), at.replace(tzinfo=None, fold=0)
    return ticks, _Mark("datetime", zone, (clock - _EPOCH) // MICROSECOND - ticks, at.fold)


def _whole(number: int | float, mark: _Mark) -> TimePoint:
    if mark.type != "datetime":
        return int(number) if mark.type == "int" else float(number)
    distance = timedelta(microseconds=mark.distance)
    clock = (_EPOCH + timedelta(microseconds=int(number)) + distance).replace(fold=mark.fold)
    if isinstance(mark.zone, str):
        try:
            at = clock.replace(tzinfo=ZoneInfo(mark.zone))
            if ticks_of(at, TimeKind.DATETIME) == number:
                return at
        except (ValueError, OSError, LookupError):  # the zone does not exist here
            pass
    return clock.replace(tzinfo=timezone(distance) if distance else UTC)


def key_of(at: TimePoint) -> object:
    """Return a key that distinguishes timestamps. Python considers some times around a clock change equal."""
    return (at, 1) if isinstance(at, datetime) and at.fold else at


class TimesWriter:
    """Table of distinct timestamps of one kind. Its first entries are `times`."""

    def __init__(self, times: Iterable[TimePoint], pacer: Pacer = UNPACED) -> None:
        self._times, self._pacer = list(times), pacer
        self._places: dict[object, int] = {}  # by keys; filled by the first call of `number`

    def number(self, at: TimePoint) -> int:
        """Return the index of a timestamp in the table."""
        if not self._places:
            self._places = {key_of(each): place for place, each in enumerate(self._pacer(self._times))}
        place = self._places.setdefault(key_of(at), len(self._times))
        if place == len(self._times):
            self._times.append(at)
        return place

    def columns(self, kind: TimeKind) -> tuple[dict[str, Column], list[_Mark]]:
        """Return the columns of the table, and its marks for the header.

        Tuples are only created for the marks: creating one for each timestamp would trigger garbage
        collections, which block all threads.
        """
        marks: dict[_Mark, int] = {}
        known: dict[object, int] = {}  # the places of marks that no time changes, by `_key_of_mark`
        numbers, places = list[int | float](), list[int]()
        for at in self._pacer(self._times):
            key = _key_of_mark(at)
            place = None if key is None else known.get(key)
            if place is None:
                number, mark = _parts(at)
                place = marks.setdefault(mark, len(marks))
                if key is not None:
                    known[key] = place
            else:
                number = tick_of_datetime(at) if isinstance(at, datetime) else at
            numbers.append(number)
            places.append(place)
        of_numbers = np.fromiter(self._pacer(numbers), _type_of(kind))
        return {"times.number": of_numbers, "times.mark": column_of(self._pacer(places))}, list(marks)


def _key_of_mark(at: TimePoint) -> object:
    """Return the key of a mark: its type, or its fixed offset from UTC; None if the offset depends on the
    time.
    """
    if not isinstance(at, datetime):
        return type(at)
    return (at.tzinfo, at.fold) if isinstance(at.tzinfo, timezone) else None


def read_times(contents: Contents, marks: Sequence[Sequence[Any]], kind: TimeKind) -> list[TimePoint]:
    """Read the timestamps of the table."""
    numbers = contents.columns["times.number"]
    if numbers.dtype != _type_of(kind):
        raise contents.broken(f"the timestamps are not {kind.value}")
    known = [_Mark(*mark) for mark in marks]
    places = contents.column("times.mark").tolist()
    return [_whole(number, known[place]) for number, place in zip(numbers.tolist(), places, strict=True)]


def _type_of(kind: TimeKind) -> str:
    return "<f8" if kind is TimeKind.FLOAT else "<i8"


def json_of(given: Duration | TimePoint | None) -> Json:
    """Return a duration or timestamp as JSON."""
    if isinstance(given, datetime):
        return {"timestamp": [_parts(given)[0], *_parts(given)[1]]}
    if isinstance(given, timedelta):
        return {"microseconds": given // MICROSECOND}
    return given if given is None or isinstance(given, str) else cast(int | float, plain_time(given))


def from_json(given: Json) -> Duration | TimePoint | None:
    """Read a duration or timestamp written by `json_of`.

    Raises:
        ValueError, LookupError, TypeError, OverflowError: the JSON is invalid.
    """
    match given:
        case {"microseconds": int(microseconds)}:
            return timedelta(microseconds=microseconds)
        case {"timestamp": [int(ticks), *mark]}:
            return _whole(ticks, _Mark(*mark))
        case dict() | list() | bool():
            raise TypeError(f"{given!r} is not a time")
    return given
