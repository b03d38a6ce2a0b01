"""Terms come back as they were written."""

import contextlib
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from fractions import Fraction
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from rdflib import RDF, XSD, BNode, Literal, URIRef

from checkpoints import COLUMNS, ODD, ONTOLOGY, same, with_column
from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.checkpoint.container import pack, unpack
from pantarhei.engine.checkpoint.fact_columns import (
    NO_PREDICATE,
    Used,
    columns_of_facts,
    columns_of_terms,
    read_facts,
)
from pantarhei.errors import CheckpointError
from pantarhei.rules.compilation.program import compile_
from strategies import EX, A, B, C, R, V, a, b, c, member

LITERALS = [
    Literal("plain"), Literal("plain", datatype=XSD.string), Literal("tagged", lang="EN-us"), Literal(""),
    Literal(1), Literal("01", datatype=XSD.integer, normalize=False), Literal("x", datatype=XSD.integer),
    Literal("<a/>", datatype=RDF.XMLLiteral), Literal("t", datatype=EX.unknown), Literal("\x00 𝒳"),
    Literal("2026-01-01T00:00:00Z", datatype=XSD.dateTime), Literal("9" * 5000, datatype=XSD.integer),
    Literal("a b", datatype=XSD.token),
]  # fmt: skip


def test_terms_come_back_as_they_were_written():
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(9), repair="off")
    odd = [URIRef("http://example.org/ü "), BNode("a b"), URIRef("")]
    for at, value in enumerate(LITERALS):
        reasoner.push(at, [(odd[at % 3], URIRef(f"urn:p{at}"), value)])
    restored = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    written = [
        {
            (
                at,
                *t,
                type(t[2]),
                getattr(t[2], "language", None),
                None if t[2].datatype == RDF.XMLLiteral else t[2].value,
            )
            for at, t in r.assertions()
        }
        for r in (restored, reasoner)
    ]
    assert written[0] == written[1]


def test_a_term_of_another_kind_is_refused_or_gives_a_reasoner_that_works():
    marks = COLUMNS["facts.mark"]
    for place in range(len(marks)):
        for mark in set(marks.tolist()) - {marks[place]}:
            other = marks.copy()
            other[place] = mark
            with contextlib.suppress(CheckpointError):
                StreamReasoner.restore(with_column("facts.mark", other), ODD).materialization()


NO_VALUES = np.empty(0, np.int32)


def vocabulary():
    return Vocabulary(compile_([]))


def back(columns):
    """Facts and forms from columns, by a vocabulary of their own, with that."""
    fresh = vocabulary()
    return *read_facts(unpack(pack({}, columns), "here"), fresh), fresh


def test_facts_mean_the_same_in_the_numbers_of_another_vocabulary():
    known = vocabulary()
    triples = [member(B, c), (a, R, b), (b, V, Literal(7)), member(A, a), (a, R, b)]
    known.encode([member(EX.unused, EX.nobody), (EX.nobody, EX.none, Literal("unused"))])
    facts = known.encode(triples).facts
    found, forms, fresh = back(columns_of_facts(known, facts, NO_VALUES, []))
    assert list(fresh.decode(found)) == triples and forms == []
    assert set(fresh.names) == {a, b, c} and fresh.literals == [Literal(7)]
    assert {symbol.name for symbol in fresh.symbols} == {A, B, R, V}


def test_the_form_of_a_value_that_was_met_first_is_met_first_again():
    one, other = (Literal(text, datatype=XSD.integer, normalize=False) for text in ("01", "1"))
    known = vocabulary()
    facts = known.encode([(a, V, one), (b, V, other)]).facts
    found, forms, fresh = back(columns_of_facts(known, facts, NO_VALUES, [other]))
    assert fresh.literals == [one] and forms == [other]
    assert found[:, 2].tolist() == [FIRST_LITERAL, FIRST_LITERAL]


def test_a_value_is_kept_that_no_fact_has_and_a_row_may_have_no_predicate():
    known = vocabulary()
    known.encode([(a, V, Literal(1)), (a, V, Literal(2)), (a, V, Literal(3))])
    rows = np.array([(NO_PREDICATE, 0, FIRST_LITERAL)], np.int32)
    found, _, fresh = back(columns_of_facts(known, rows, np.array([FIRST_LITERAL + 2], np.int32), []))
    assert found.tolist() == rows.tolist()
    assert fresh.literals == [Literal(1), Literal(3)] and fresh.symbols == []


def test_used_numbers_are_given_places_in_ascending_order_or_as_they_appear():
    numbers = np.array([5, 2, 5, 9, 2], np.int32)
    for used, order in ((Used.ascending(10, [numbers]), [2, 5, 9]), (Used.appearing(10, numbers), [5, 2, 9])):
        assert used.numbers.tolist() == order
        assert used.places[order].tolist() == [0, 1, 2]
        assert used.among("abcdefghij") == ["abcdefghij"[number] for number in order]


def test_a_predicate_with_one_term_here_and_two_there_is_refused():
    objects = COLUMNS["facts.object"].copy()
    objects[np.flatnonzero(objects)[0]] = 0
    with pytest.raises(CheckpointError, match="differ in the number of terms"):
        StreamReasoner.restore(with_column("facts.object", objects), ODD)


@pytest.mark.parametrize("terms", [[Literal(1), a, Literal(2)], [V, Literal(1), Literal(2)]])
def test_a_literal_as_a_predicate_or_a_subject_is_refused(terms):
    known = vocabulary()
    columns = columns_of_facts(known, known.encode([(a, V, Literal(1))]).facts, NO_VALUES, [])
    with pytest.raises(CheckpointError, match="a literal is a predicate or a subject"):
        back({**columns, **columns_of_terms("facts", terms)})


def test_a_class_has_no_object():
    known = vocabulary()
    facts = known.encode([member(A, a)]).facts
    assert facts[0, 2] == NONE
    assert columns_of_facts(known, facts, NO_VALUES, [])["facts.object"].tolist() == [0]


class Unhashable(tzinfo):
    """A zone without hash, as `dateutil.tz.tzlocal` is one."""

    __hash__ = None

    def utcoffset(self, dt):
        return timedelta(hours=dt.month)

    def dst(self, dt):
        return timedelta(0)

    def tzname(self, dt):
        return "odd"


@pytest.mark.parametrize(
    "times",
    [
        [datetime(2026, month, 1, tzinfo=Unhashable()) for month in (1, 2, 3)],
        [datetime(2026, 3, 29, 0, 30, tzinfo=ZoneInfo("Europe/Brussels")) + timedelta(hours=1)],
        [datetime(2026, 10, 25, 2, 30, fold=fold, tzinfo=ZoneInfo("Europe/Brussels")) for fold in (0, 1)],
        [datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=30, seconds=7), "odd"))],
        [datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, 23, 59, 59, 999_999, tzinfo=UTC)],
        [0.1, 1, 2.5, 10**9],
        [-(2**61), 0, 2**61],
    ],
)
def test_timestamps_come_back_as_they_were_given(times):
    datetimes = isinstance(times[0], datetime)
    window = Window(timedelta(days=4_000_000) if datetimes else 2**62 if type(times[0]) is int else 1e9)
    reasoner = StreamReasoner(ONTOLOGY, window)
    for number, at in enumerate(times):
        reasoner.push(at, [member(A if number % 2 else C, a)])
    restored = StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    assert same(restored, reasoner)
    for one, other in zip(restored.timestamps, times, strict=True):
        assert repr(one) == repr(other) or (one.utcoffset(), one.replace(tzinfo=None)) == (
            other.utcoffset(),
            other.replace(tzinfo=None),
        )
        assert type(one) is type(other)
        assert restored.interpretation(other) == reasoner.interpretation(other)


@pytest.mark.parametrize(
    "window",
    [
        Window("PT5M", "PT1M", datetime(2026, 1, 1, tzinfo=ZoneInfo("Asia/Kolkata")), "right"),
        Window(timedelta(minutes=5), timedelta(seconds=1)),
        Window(4, 2, 1),
        Window(4.5, 0.5, 1),
        Window(4, 1),
        Window(4),
        Window(0.5),
        Window("PT5M"),
    ],
)
def test_the_window_comes_back_as_it_was_given(window):
    restored = StreamReasoner.restore(StreamReasoner(ONTOLOGY, window).snapshot(), ONTOLOGY)
    assert restored.window == window
    assert repr(restored.window) == repr(window)


def test_a_window_of_other_libraries_numbers_comes_back_equal():
    window = Window(np.float64(4.5), Fraction(1, 2), np.int64(1))
    assert StreamReasoner.restore(StreamReasoner(ONTOLOGY, window).snapshot(), ONTOLOGY).window == window
