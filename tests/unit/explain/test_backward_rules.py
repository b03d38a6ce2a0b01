"""Rules for backward search, and their tests."""

import pytest
from rdflib import OWL, Literal, Namespace

from pantarhei.encoding.numbers import Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.explain.backward_rules import FIRST_VARIABLE, BackwardRules, ConditionSolver, NumberedAtom
from pantarhei.materialize.model import WindowModel
from pantarhei.model.rule import Builtin, Different, Rule
from pantarhei.rules.compilation.program import compile_
from strategies import EX, A, B, C, R, S, V, a, is_a, related, x, y, z

SAME = OWL.sameAs
RULES = [
    Rule("cax-sco", (is_a(A, x),), is_a(B, x)),
    Rule("cls-svf1", (related(R, x, y), is_a(B, y)), is_a(C, x)),
    Rule("cls-hv2", (related(R, x, a),), is_a(A, x)),
    Rule("prp-irp", (related(S, x, x),), None),
]
PROGRAM = compile_(RULES)


def number(predicate, arity):
    return PROGRAM.predicates.index(Symbol(predicate, arity))


@pytest.fixture
def vocabulary():
    return Vocabulary(PROGRAM)


@pytest.fixture
def clauses(vocabulary):
    return BackwardRules(PROGRAM, vocabulary)


def test_a_rule_is_found_by_what_it_concludes_and_a_constraint_never(clauses):
    assert [clause.rule.name for clause in clauses.concluding(number(C, 1))] == ["cls-svf1"]
    assert clauses.concluding(number(S, 2)) == ()
    assert number(S, 2) in clauses.unconcluded and number(C, 1) not in clauses.unconcluded
    assert {number(S, 2), number(C, 1)} <= clauses.predicates


def test_variables_have_numbers_of_their_own_and_a_shared_one_has_one(clauses):
    (clause,) = clauses.concluding(number(C, 1))
    head, (relation, member) = clause.head, clause.body
    assert head.subject == relation.subject != relation.object == member.subject
    assert max(relation.subject, relation.object) <= FIRST_VARIABLE


def test_within_reach_is_what_may_follow(clauses):
    assert clauses.within_reach([number(A, 1)]) == {number(A, 1), number(B, 1), number(C, 1)}
    assert clauses.within_reach([number(C, 1)]) == {number(C, 1)}


def test_what_follows_from_one_fact_alone_is_told_where_its_constants_are_met(clauses, vocabulary):
    who, value, other = map(vocabulary.number, (EX.who, a, EX.other))
    assert [fact[:2] for fact in clauses.following((number(R, 2), who, value))] == [(number(A, 1), who)]
    assert list(clauses.following((number(R, 2), who, other))) == []


def test_names_are_replaced_by_equals_only_where_a_body_names_them_twice_or_a_constant(clauses):
    (joined,) = clauses.concluding(number(C, 1))
    assert joined.needless == ({"eq-rep-s"}, set())
    (constant,) = clauses.concluding(number(A, 1))
    assert constant.needless == ({"eq-rep-s"},)


def test_a_step_from_equal_to_equal_is_no_way_of_several_steps():
    program = compile_([Rule("eq-trans", (related(SAME, x, y), related(SAME, y, z)), related(SAME, x, z))])
    (clause,) = BackwardRules(program, Vocabulary(program)).concluding(
        program.predicates.index(Symbol(SAME, 2))
    )
    assert clause.needless == ({"eq-trans"}, set())


SWRLB = Namespace("http://www.w3.org/2003/11/swrlb#")
HOT = Rule("pr-swrl", (related(V, x, y),), is_a(A, x), tests=(Builtin(SWRLB.greaterThan, (y, Literal(80))),))
NEVER = Rule("pr-swrl", (related(V, x, y),), is_a(B, x), tests=(Builtin(SWRLB.lessThan, (y, y)),))
TWO = Rule("pr-swrl", (related(R, x, y), related(R, x, z)), is_a(C, x), (Different(y, z),))
TESTED_PROGRAM = compile_([HOT, NEVER, TWO])


def number_in(predicate, arity):
    return TESTED_PROGRAM.predicates.index(Symbol(predicate, arity))


@pytest.fixture
def model():
    model = WindowModel(TESTED_PROGRAM, "newest", Vocabulary(TESTED_PROGRAM))
    model.add(model.vocabulary.encode([(EX.other, V, Literal(60))]).facts, 0)
    return model


def met(model, class_, values=None):
    """What is found for the rule that concludes a class, its values bound to what is given."""
    (clause,) = BackwardRules(TESTED_PROGRAM, model.vocabulary).concluding(number_in(class_, 1))
    conditions, bound = ConditionSolver(model), values or {}
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
    value = BackwardRules(TESTED_PROGRAM, model.vocabulary).concluding(number_in(A, 1))[0].body[0].object
    for reading, holds in ((81, True), (80, False)):
        _, found, complete = met(model, A, {value: model.vocabulary.number(Literal(reading))})
        assert (found is not None) is holds and complete


def test_two_names_that_are_to_differ_differ(model):
    one, other = map(model.vocabulary.number, (EX.one, EX.another))
    left, right = (
        atom.object
        for atom in BackwardRules(TESTED_PROGRAM, model.vocabulary).concluding(number_in(C, 1))[0].body
    )
    assert max(left, right) <= FIRST_VARIABLE
    assert met(model, C, {left: one, right: other})[1] is not None
    assert met(model, C, {left: one, right: one})[1] is None
    assert met(model, C)[1] is None  # both would be the one new name
