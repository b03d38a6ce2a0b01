"""A window's model: facts looked up by pattern, against a filter over all; its limits and its room."""

import tracemalloc
from contextlib import suppress
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from rdflib import RDF, XSD, BNode, Literal, URIRef, Variable

from pantarhei.encoding.numbers import NONE, Symbol, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.interpretation.foundation import Foundation
from pantarhei.materialize.model import CapacityExceededError, WindowModel, plain_model
from pantarhei.model.rule import Atom, Rule
from pantarhei.ontology.ontology import Ontology
from pantarhei.rules.compilation.program import compile_
from pantarhei.values.value import value_of
from strategies import EX, A, a, facts

x, y, z, u = map(Variable, "xyzu")
PROGRAM = compile_(
    [
        Rule("prp-symp", (Atom(EX.R, (x, y)),), Atom(EX.R, (y, x))),
        Rule("cax-sco", (Atom(EX.A, (x,)),), Atom(EX.B, (x,))),
        Rule("prp-dom", (Atom(EX.V, (x, y)),), Atom(EX.A, (x,))),
    ]
)
TERMS = [EX.a, EX.b, EX.A, EX.R, EX.unknown, BNode("a"), Literal(1), Literal("x")]
OBJECTS = [*TERMS, Literal("01", datatype=XSD.integer, normalize=False), Literal(2)]
PREDICATES = [EX.R, EX.S, EX.V, RDF.type, EX.A, EX.unknown, URIRef("a"), Literal("p"), BNode("R")]
keeps = pytest.mark.parametrize("keep", ["newest", "every"])


def key(triple):
    return (*triple[:2], value_of(triple[2]))


@keeps
@settings(max_examples=25, deadline=None)
@given(first=facts(8, literals=True), second=facts(8, literals=True), cut=facts(4, literals=True))
def test_every_pattern_finds_what_a_filter_finds(keep, first, second, cut):
    model = WindowModel(PROGRAM, keep, Vocabulary(PROGRAM))

    def encode(triples):
        return model.vocabulary.encode(triples).facts

    model.add(encode(sorted(first)), 0)
    list(model.match(None, EX.S, EX.a))  # indexes it, before there is more
    model.add(encode(sorted(second)), 1)
    model.cut(encode(sorted(cut)))
    everything = list(model.vocabulary.decode(model.facts()))
    assert len(everything) == len(model) == len(set(map(key, everything)))
    for s, p, o in product([None, *TERMS], [None, *PREDICATES], [None, *OBJECTS]):
        expected = {
            key(triple)
            for triple in everything
            if s in (None, triple[0]) and p in (None, triple[1])
            if o is None or value_of(o) == value_of(triple[2])
        }
        found = list(map(key, model.match(s, p, o)))
        assert len(found) == len(set(found))
        assert set(found) == expected, (s, p, o)
    model.kernel.check_invariants()


@keeps
def test_an_answer_does_not_change_while_it_is_read(keep):
    model = WindowModel(PROGRAM, keep, Vocabulary(PROGRAM))
    triples = [(EX[f"i{number}"], EX.S, EX.a) for number in range(50)]
    model.add(model.vocabulary.encode(triples).facts, 0)
    answers = model.match(None, EX.S, EX.a)
    first = next(answers)
    model.cut(model.vocabulary.encode(triples).facts)
    assert {first, *answers} == set(triples)
    assert list(model.match(None, EX.S, EX.a)) == []


@keeps
def test_a_literal_that_is_no_value_is_found_nowhere(keep):
    model = WindowModel(PROGRAM, keep, Vocabulary(PROGRAM))
    model.add(model.vocabulary.encode([(EX.a, EX.V, Literal(1))]).facts, 0)
    wrong = Literal("one", datatype=XSD.integer, normalize=False)
    for predicate in (None, EX.V):
        assert list(model.match(None, predicate, wrong)) == []
        assert list(model.match(EX.a, predicate, wrong)) == []


@keeps
def test_memory_is_counted(keep):
    model = WindowModel(PROGRAM, keep, Vocabulary(PROGRAM))
    before = model.bytes_used
    many = model.vocabulary.encode((EX[f"i{number}"], EX.S, EX.a) for number in range(5000))
    model.add(many.facts, 0)
    assert model.bytes_used > before + 5000 * 50


# -- limits ----

TRANSITIVE = Rule("prp-trp", (Atom(EX.R, (x, y)), Atom(EX.R, (y, z))), Atom(EX.R, (x, z)))


def chain(foundation, length, name="c"):
    triples = [(EX[f"{name}{i}"], EX.R, EX[f"{name}{i + 1}"]) for i in range(length)]
    return foundation.vocabulary.encode(triples).facts


@pytest.fixture
def foundation():
    return Foundation.of(Ontology.from_rules([TRANSITIVE]))


@keeps
def test_a_model_comes_to_as_many_facts_as_it_may_and_no_further(foundation, keep):
    model = foundation.model(keep)
    with model.limited(5050, None):
        model.add(chain(foundation, 100), 0)  # 100 · 101 / 2 facts
    assert len(model) == 5050
    model = foundation.model(keep)
    with pytest.raises(CapacityExceededError) as caught, model.limited(5049, None):
        model.add(chain(foundation, 100), 0)
    assert caught.value.facts == 5050
    assert len(model) == 5049


@keeps
def test_arrays_grow_to_as_many_bytes_as_they_may(foundation, keep):
    model = foundation.model(keep)
    before = model.bytes_used
    with pytest.raises(CapacityExceededError) as caught, model.limited(None, 500_000):
        model.add(chain(foundation, 300), 0)
    assert caught.value.bytes > 500_000
    record = 2 * 16 * len(model)  # of changes: it is looked at when the arrays grow
    assert before < model.bytes_used <= 500_000 + record
    assert len(model) * (64 if keep == "newest" else 88) > 250_000  # what room there was has been used


@keeps
def test_a_limit_ends_with_an_error_too(foundation, keep):
    model = foundation.model(keep)
    with pytest.raises(RuntimeError), model.limited(10, 200_000):
        raise RuntimeError
    model.add(chain(foundation, 60), 0)
    assert len(model) == 1830


@keeps
def test_outside_the_limits_time_it_is_free(foundation, keep):
    model = foundation.model(keep)
    with model.limited(10, 200_000):
        model.add(chain(foundation, 3), 0)
    model.add(chain(foundation, 60, "d"), 1)
    assert len(model) == 6 + 1830


@keeps
@pytest.mark.parametrize("kept", [3, 20, 40, 60])
def test_a_model_made_anew_takes_no_more_than_was_said(foundation, keep, kept):
    model = foundation.model(keep)
    model.add(chain(foundation, 120), 0)
    model.add(chain(foundation, kept, "d"), 1)
    model.take_changes()
    model.slide(1)
    model.take_changes()
    said = model.bytes_used - model.spare_bytes
    anew = foundation.model(keep, 1)
    anew.add(chain(foundation, kept, "d"), 1)
    anew.take_changes()
    assert np.array_equal(np.unique(anew.facts(), axis=0), np.unique(model.facts(), axis=0))
    assert anew.bytes_used <= said < model.bytes_used


def test_the_record_of_many_changes_is_given_back(foundation):
    model = foundation.model()
    model.add(chain(foundation, 400), 0)
    full = model.bytes_used
    assert len(model.take_changes()) == 80_200
    assert full - model.bytes_used >= 4 * 80_200


# -- set at a time ---------------------------------------------------------------------------------

RELATED = Rule("pr-related", (Atom(EX.P, (x, y)), Atom(EX.P, (z, y)), Atom(EX.P, (u, y))), Atom(EX.S, (x, z)))


@pytest.fixture
def groups():
    """(foundation, 12,000 facts of which 720,000 follow, each in sixty ways)."""
    foundation = Foundation.of(Ontology.from_rules([RELATED]))
    triples = [(EX[f"n{i}"], EX.P, EX[f"m{i // 60}"]) for i in range(12_000)]
    return foundation, foundation.vocabulary.encode(triples).facts


def test_matches_by_column_take_no_more_memory_than_the_limit_on_top_of_the_model(groups):
    foundation, facts = groups
    model = foundation.model()
    most = 12_000_000
    tracemalloc.start()
    try:
        with pytest.raises(CapacityExceededError), model.limited(None, most):
            model.add(facts, 0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most // 2 < peak < 2 * most


@pytest.mark.parametrize(("most", "by_column"), [(None, True), (20_000_000, True), (8_000_000, False)])
def test_where_matches_by_column_have_no_room_the_kernel_matches(groups, monkeypatch, most, by_column):
    foundation, facts = groups
    used = []
    monkeypatch.setattr("pantarhei.materialize.model.load", lambda *given: used.append(given))
    model = foundation.model()
    with model.limited(10_000_000 if by_column else 20_000, most), suppress(CapacityExceededError):
        model.add(facts, 0)
    assert bool(used) is by_column


# -- links to the assertions before ----------------------------------------------------------------


@keeps
@pytest.mark.parametrize("count", [3, 15, 16, 40])
def test_levels_back_lead_to_the_last_assertion_that_is_not_cut(keep, count):
    """Of `count` facts the first is new, the second was asserted at 4, the third at 2, the others at 6."""
    model = WindowModel(PROGRAM, keep, Vocabulary(PROGRAM))

    def encode(*numbers):
        return model.vocabulary.encode((EX[f"i{number}"], EX.S, EX.a) for number in numbers).facts

    def back(level, *numbers):
        found = model.levels_back(model.add(encode(*numbers), level), level)
        return None if found is None else found.tolist()

    assert back(2, 1, 2) is None
    assert back(4, 1, 500) == [2, 0]
    assert back(6, *range(3, count)) is None
    model.cut(encode(500))
    assert back(9, *range(count)) == [0, 5, 7, *[3] * (count - 3)]
    assert back(10, 500) is None, "a repair has removed it"
    assert model.levels_back(model.add(encode(), 11), 11) is None


@keeps
def test_a_fact_that_comes_twice_leads_back_once(keep):
    model = WindowModel(PROGRAM, keep, Vocabulary(PROGRAM))
    fact = model.vocabulary.encode([(EX.a, EX.S, EX.b)]).facts
    model.add(fact, 1)
    assert model.levels_back(model.add(np.concatenate([fact, fact]), 3), 3).tolist() == [2, 0]


@keeps
def test_the_background_leads_nowhere(keep):
    model = WindowModel(PROGRAM, keep, Vocabulary(PROGRAM))
    facts = model.vocabulary.encode([(EX.a, EX.S, EX.b), (EX.c, EX.S, EX.b)]).facts
    model.add_background(facts[:1])
    assert model.levels_back(model.add(facts, 1), 1) is None
    assert model.levels_back(model.add(facts, 2), 2).tolist() == [0, 1]


def test_it_holds_its_facts_and_nothing_follows_from_them():
    vocabulary = Vocabulary(compile_([]))
    fact = vocabulary.number_symbol(Symbol(A, 1)), vocabulary.number(a), NONE
    model = plain_model(np.array([fact, fact], np.int32), vocabulary)
    assert as_tuples(model.facts()) == [fact] and not len(model.take_changes())
    assert list(model.match(None, RDF.type, None)) == [(a, RDF.type, A)]
