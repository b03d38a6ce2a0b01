"""Looking facts up by pattern, against a filter over the set of all."""

from itertools import product

import pytest
from hypothesis import given, settings
from rdflib import RDF, XSD, BNode, Literal, URIRef, Variable

from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.language.rule import Atom, Rule
from pantarhei.literals.value import value_of
from pantarhei.materialize.model import WindowModel
from pantarhei.rules.compilation.program import compile_
from strategies import EX, facts

x, y = Variable("x"), Variable("y")
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
