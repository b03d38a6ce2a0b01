"""Values in consoles and notebooks: one line, and HTML that is short, escaped and well-formed."""

from __future__ import annotations

import enum
import inspect
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, XSD, BNode, Literal, Namespace, URIRef, Variable

import pantarhei as pr
from notebooks import shown
from pantarhei.model.representation import (
    ROWS,
    call_text,
    html_of,
    in_short,
    members_in_short,
    members_table,
    panel,
    short_repr,
    table,
    term_in_short,
)
from public_values import HOSTILE, public_values

EX = Namespace("http://example.org/")
LARGE = 300
NAMES = sorted(public_values(4))


@pytest.mark.parametrize("name", NAMES)
def test_a_large_value_has_one_short_line(name):
    line = repr(public_values(LARGE)[name])
    assert len(line) <= 200 and "\n" not in line and line.isprintable()
    assert "rdflib.term" not in line and " object at 0x" not in line


def calls_of_repr(value):
    """Number of functions that are called to represent a value, the second time."""
    repr(value)
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        repr(value)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("name", [name for name in NAMES if name != "report"])  # counts its lost axioms
def test_a_line_costs_no_more_for_a_larger_value(name):
    small, large = (calls_of_repr(public_values(size)[name]) for size in (LARGE // 2, LARGE))
    assert large <= small + 40


@pytest.mark.parametrize("name", [n for n in NAMES if hasattr(public_values(4)[n], "_repr_html_")])
def test_a_large_value_is_cut_and_escaped_in_a_notebook(name):
    value = public_values(LARGE)[name]
    html = value._repr_html_()
    shown(value)
    assert len(html) <= 40_000
    assert "<script" not in html and "\x1b" not in html


def test_every_public_class_has_a_value_in_these_tests():
    public = {
        value
        for name in pr.__all__
        if inspect.isclass(value := getattr(pr, name)) and not issubclass(value, BaseException)
    }
    tried = {base for value in public_values(4).values() for base in type(value).__mro__}
    assert {each.__name__ for each in public - tried} <= {
        "AnswerStream", "AnswerStreams",  # need clingo, and have tests of their own
        "Mapping",  # of a file; its representation is that of the file's name
        "NumbersApart",
    }  # fmt: skip


NOT_SHOWN = {
    "ABoxMaterializer", "Budget", "ConflictRecord", "Counts", "Foundation", "History",
    "Interpretation", "LateABox", "Limits", "NDJSONSink", "ParquetSink", "ProofStep", "QueryStats", "Rule",
    "Window", "Work",
}  # fmt: skip


def test_all_values_have_html_but_options_and_parts_of_the_engine():
    without = {type(v).__name__ for v in public_values(4).values() if not hasattr(v, "_repr_html_")}
    assert without <= NOT_SHOWN


@dataclass(frozen=True)
class Sample:
    triples: frozenset
    at: object = None
    words: tuple[str, ...] = ()
    more: dict = field(default_factory=dict)
    hidden: int = field(default=1, repr=False)
    _private: int = 2

    __repr__ = short_repr
    _repr_html_ = html_of


class Row(NamedTuple):
    name: str
    count: int = 0

    def __repr__(self) -> str:
        return short_repr(self)

    def _repr_html_(self) -> str:
        return html_of(self)


TRIPLES = frozenset((EX[f"m{n}"], RDF.type, EX.Hot) for n in range(1204))


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (Sample(frozenset()), "Sample(triples={})"),
        (Sample(frozenset(), 7, ("a",)), "Sample(triples={}, at=7, words=('a',))"),
        (
            Sample(frozenset({(EX.m, EX.level, Literal(7))}), datetime(2026, 3, 1, tzinfo=UTC)),
            "Sample(triples={m level 7}, at=2026-03-01T00:00:00+00:00)",
        ),
        (
            Sample(frozenset((EX[f"m{n}"], RDF.type, EX.Hot) for n in range(4))),
            "Sample(triples={m0 type Hot, m1 type Hot, m2 type Hot, … 4 in all})",
        ),
        (Sample(frozenset(), more={"a": EX.b}), "Sample(triples={}, more={'a': b})"),
        (Row("x"), "Row(name='x')"),
        (Row("x" * 100, 3), f"Row(name='{'x' * 40}…', count=3)"),
    ],
    ids=str,
)
def test_a_line_has_the_fields_that_are_not_empty(value, line):
    assert repr(value) == line


def test_members_that_are_long_themselves_are_counted():
    assert in_short((EX.m, Row("x"))) == "(2 URIRef)"
    assert in_short([Row("x")] * 5000) == "[5,000 Row]"


def test_of_a_large_set_some_members_and_the_number_of_all_are_shown():
    assert re.fullmatch(r"\{(m\d+ type Hot, ){3}… 1,204 in all\}", in_short(TRIPLES))


class Bomb(frozenset):
    """A set whose members beyond the fourth must not be read."""

    def __iter__(self):
        for number, member in enumerate(super().__iter__()):
            assert number < 4, "more members are read than are shown"
            yield member


def test_of_a_large_set_only_the_members_are_read_that_are_shown():
    assert "1,204 in all" in members_in_short(Bomb(TRIPLES))


terms = st.one_of(
    st.text().map(Literal),
    st.text(st.characters(codec="ascii", categories=["L", "N"]), max_size=200).map(EX.__getitem__),
    st.integers().map(Literal),
    st.text("ab", min_size=1).map(BNode),
    st.builds(Literal, st.text(), lang=st.sampled_from(["en", "de-AT"])),
)
scalars = st.one_of(
    terms, st.text(), st.integers(), st.floats(), st.none(), st.booleans(), st.decimals(allow_nan=False),
    st.datetimes(), st.timedeltas(), st.sampled_from([Variable("x"), *enum.Flag("Place", "HERE THERE")]),
)  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner), st.tuples(inner, inner), st.tuples(terms, terms, terms), st.frozensets(scalars),
        st.dictionaries(st.text(), inner), st.dictionaries(terms, st.integers()).map(Counter),
        st.builds(Sample, st.frozensets(st.tuples(terms, terms, terms)), inner, st.just(()), st.just({})),
        st.builds(Row, st.text()),
    ),
)  # fmt: skip


@given(values)
def test_any_value_has_a_short_line_and_well_formed_html(value):
    line = in_short(value)
    assert "\n" not in line and len(line) <= 400
    sample = Sample(frozenset(), value)
    assert len(repr(sample)) <= 500 and "\n" not in repr(sample)
    shown(sample)


@given(st.text())
def test_texts_are_escaped_wherever_they_are_shown(text):
    for value in (
        Sample(frozenset(), text),
        Sample(frozenset({(EX.x, EX.p, Literal(text))}), text, (text, text), {text: text}),
        Row(text),
    ):
        _, told = shown(value)
        assert "<" in told or "<" not in text or not text.strip()
    assert "<b>" not in panel(f"Name(<b>{text}</b>)", table([f"<b>{text}"], [[f"<b>{text}"]], 1))


def test_numbers_are_on_the_right_and_terms_have_their_iri_as_a_hint():
    html = table(["a", "b"], [[EX.Hall, Literal("7", datatype=XSD.integer)]], 1)
    assert '<span title="http://example.org/Hall">Hall</span>' in html
    assert f'<td style="text-align:right"><span title="{XSD.integer}">7</span></td>' in html


def test_names_with_one_last_part_are_told_apart_in_a_table():
    other = Namespace("http://other.org/")
    rows, _ = shown(Sample(frozenset({(EX.m, RDF.type, EX.Hot), (EX.m, RDF.type, other.Hot)})))
    assert sorted(row[2] for row in rows[1:]) == ["<http://example.org/Hot>", "<http://other.org/Hot>"]


def test_a_table_has_ten_rows_and_the_number_of_the_others():
    html = members_table([Row("a", n) for n in range(1000)])
    assert html.count("<tr>") == 1 + ROWS and "and 990 more of 1,000 rows" in html
    assert "more" not in members_table([Row("a", n) for n in range(ROWS)])


def test_a_line_ends_where_it_is_full():
    assert call_text(Row("a"), [f"part {n}" for n in range(100)]).endswith(", …)")
    assert len(call_text(Row("a"), [f"part {n}" for n in range(100)])) <= 140
    assert call_text(Row("a"), ["x" * 300]) == f"Row({'x' * 300})"


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (URIRef("http://example.org/a#Hall"), "Hall"),
        (Literal(HOSTILE), '"<script>alert(\'x\')</script> & "quotes" \\… (44 characters)"'),
        (Literal("x" * 10**6), f'"{"x" * 40}… (1,000,000 characters)"'),
        (Literal("ja", lang="de"), '"ja"@de'),
        (Literal(timedelta(days=1)), "P1D"),
        (BNode("b"), "_:b"),
        (Variable("x"), "?x"),
    ],
)
def test_a_term_is_shown_by_its_last_part_or_its_text(term, text):
    assert term_in_short(term) == text


@pytest.mark.parametrize("name", ["update", "repair", "delta", "schema", "quality", "graph update"])
def test_names_are_shown_by_their_labels(name):
    assert "<b>hot</b> & dry" in shown(public_values(4)[name])[1]


def test_equal_labels_of_shown_names_are_told_apart():
    text = shown(public_values(4)["schema"])[1]
    assert "wet (Cold)" in text and "wet (Machine)" in text


class ReadLabels(dict):
    """Labels that cannot be listed, only read by name."""

    def __iter__(self):
        raise AssertionError("labels are read that are not shown")

    keys = values = items = __iter__


def test_html_reads_the_labels_of_shown_names_alone():
    labels = ReadLabels({EX.m1: "first", EX.Hot: "hot", EX.Warm: "hot", EX.unused: "first"})
    facts = [(EX.m1, RDF.type, EX.Hot), (EX.m2, RDF.type, EX.Warm)]
    html = html_of(Sample(frozenset(facts)), lambda: labels)
    shown_names = ("first", "hot (Hot)", "m2", "hot (Warm)")
    assert all(f">{name}</span>" in html for name in shown_names)
