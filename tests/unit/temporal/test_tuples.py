"""Numbers for tuples of terms, and the rows that say what they are."""

import numpy as np
import pytest
from rdflib import Namespace

from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NONE, Symbol, as_tuples, signed
from pantarhei.encoding.renaming import UsedTerms
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal import tuples as module
from pantarhei.temporal.expiry_model import UNTIL_REMOVED, ExpiryModel
from pantarhei.temporal.tuples import FIRST_TUPLE, TupleLinks, Tuples, is_tuple, renamed_facts
from pantarhei.values.value import value_of

EX = Namespace("http://example.org/")
ASKED, FIRST, REST, P = range(4)


def facts(*rows):
    return np.array(rows, np.int32).reshape(-1, 3)


def test_a_tuple_has_one_number_and_knows_its_terms():
    tuples = Tuples()
    inner = tuples.number(4, 5)
    outer = tuples.number(inner, FIRST_LITERAL)
    assert tuples.number(4, 5) == inner == FIRST_TUPLE and is_tuple(outer)
    assert tuples.terms(outer) == [4, 5, FIRST_LITERAL] and tuples.terms(4) == [4]
    assert tuples.with_inner([7, outer, inner]) == [inner, outer]


def test_the_terms_inside_are_terms_of_facts():
    tuples = Tuples()
    outer = tuples.number(tuples.number(4, 5), 6)
    rows = as_tuples(tuples.plain(facts((P, outer, 7), (P, 8, NONE))))
    assert {term for row in rows for term in row[1:]} == {4, 5, 6, 7, 8, NONE}
    assert tuples.plain(facts((P, 8, NONE))).tolist() == [[P, 8, NONE]]


def test_tuples_keep_their_numbers_when_terms_get_others():
    tuples = Tuples()
    gone, kept = tuples.number(0, 1), tuples.number(tuples.number(2, 3), FIRST_LITERAL + 1)
    used = UsedTerms(0, 4, 2)
    used.add(facts((NONE, 2, 3), (NONE, NONE, FIRST_LITERAL + 1)))
    renaming = used.renaming()
    renamed = tuples.renamed(renaming, [kept])
    assert renamed.terms(kept) == [0, 1, FIRST_LITERAL]
    rows = renamed_facts(renaming, facts((P, kept, 3), (P, 2, NONE)))
    assert as_tuples(rows) == [(P, kept, 1), (P, 0, NONE)]
    assert renamed.number(0, 1) == tuples.number(2, 3) != gone
    assert renamed.number(1, 0) > kept


@pytest.fixture
def model():
    class Given:
        symbols = tuple(Symbol(EX[f"p{number}"], 2) for number in range(4))
        names = literals = ranges = ()
        value_of = staticmethod(value_of)

    return ExpiryModel(compile_((), Given()), None, 0)


def test_what_is_asked_for_is_linked_until_nothing_is_said_of_it(model, monkeypatch):
    monkeypatch.setattr(module, "_FEW", 1)
    tuples = Tuples()
    links = TupleLinks(tuples, ASKED, FIRST, REST)
    model.add(facts((ASKED, 4, 5), (ASKED, 6, 7)), UNTIL_REMOVED)
    coming = links.react(signed(facts((ASKED, 4, 5), (ASKED, 6, 7), (ASKED, 8, 9)), 1), model).coming
    asked, said = tuples.number(4, 5), tuples.number(6, 7)
    rows_of_asked = [(FIRST, asked, 4), (REST, asked, 5)]
    assert as_tuples(coming) == [*rows_of_asked, (FIRST, said, 6), (REST, said, 7)]
    model.add(coming, UNTIL_REMOVED)
    assert not len(links.react(signed(facts((ASKED, 4, 5)), 1), model).coming)
    model.add(facts((P, said, 1)), UNTIL_REMOVED)
    model.lower(facts((ASKED, 4, 5), (ASKED, 6, 7)), np.array([NONE, NONE]))
    assert as_tuples(links.over(model)) == rows_of_asked
    assert as_tuples(links.begin(facts((P, asked, 1), (P, said, 1)))) == rows_of_asked
    assert not len(links.begin(NO_FACTS))
