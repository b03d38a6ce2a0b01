"""Literals that meet conditions."""

import pytest
from rdflib import Literal, Namespace

from pantarhei.encoding.numbers import Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.explain.clauses import FIRST_VARIABLE, Clauses, NumberedAtom
from pantarhei.explain.conditions import Conditions
from pantarhei.materialize.model import WindowModel
from pantarhei.model.rule import Builtin, Different, Rule
from pantarhei.rules.compilation.program import compile_
from strategies import EX, A, B, C, R, V, is_a, related, x, y, z

SWRLB = Namespace("http://www.w3.org/2003/11/swrlb#")
HOT = Rule("pr-swrl", (related(V, x, y),), is_a(A, x), tests=(Builtin(SWRLB.greaterThan, (y, Literal(80))),))
NEVER = Rule("pr-swrl", (related(V, x, y),), is_a(B, x), tests=(Builtin(SWRLB.lessThan, (y, y)),))
TWO = Rule("pr-swrl", (related(R, x, y), related(R, x, z)), is_a(C, x), (Different(y, z),))
PROGRAM = compile_([HOT, NEVER, TWO])


def number(predicate, arity):
    return PROGRAM.predicates.index(Symbol(predicate, arity))


@pytest.fixture
def model():
    model = WindowModel(PROGRAM, "newest", Vocabulary(PROGRAM))
    model.add(model.vocabulary.encode([(EX.other, V, Literal(60))]).facts, 0)
    return model


def met(model, class_, values=None):
    """What is found for the rule that concludes a class, its values bound to what is given."""
    (clause,) = Clauses(PROGRAM, model.vocabulary).concluding(number(class_, 1))
    conditions, bound = Conditions(model), values or {}
    atoms = [
        NumberedAtom(atom.predicate, atom.subject, bound.get(atom.object, atom.object))
        for atom in clause.body
    ]
    found = conditions.met(atoms, [(clause, 0)], lambda term: bound.get(term, term))
    return clause, found, conditions.is_complete


def test_a_literal_that_nothing_determines_is_chosen_so_that_the_tests_hold(model):
    clause, found, complete = met(model, A)
    assert found[clause.body[0].object].toPython() > 80 and complete


def test_where_no_choice_meets_the_tests_another_might(model):
    _, found, complete = met(model, B)
    assert found is None and not complete


def test_a_known_literal_is_tested_and_nothing_else_is_tried(model):
    value = Clauses(PROGRAM, model.vocabulary).concluding(number(A, 1))[0].body[0].object
    for reading, holds in ((81, True), (80, False)):
        _, found, complete = met(model, A, {value: model.vocabulary.number(Literal(reading))})
        assert (found is not None) is holds and complete


def test_two_names_that_are_to_differ_differ(model):
    one, other = map(model.vocabulary.number, (EX.one, EX.another))
    left, right = (
        atom.object for atom in Clauses(PROGRAM, model.vocabulary).concluding(number(C, 1))[0].body
    )
    assert max(left, right) <= FIRST_VARIABLE
    assert met(model, C, {left: one, right: other})[1] is not None
    assert met(model, C, {left: one, right: one})[1] is None
    assert met(model, C)[1] is None  # both would be the one new name
