"""Rules read backwards."""

import pytest
from rdflib import OWL

from pantarhei.encoding.numbers import Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.explain.clauses import FIRST_VARIABLE, Clauses
from pantarhei.model.rule import Rule
from pantarhei.rules.compilation.program import compile_
from strategies import EX, A, B, C, R, S, a, is_a, related, x, y, z

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
    return Clauses(PROGRAM, vocabulary)


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
    (clause,) = Clauses(program, Vocabulary(program)).concluding(program.predicates.index(Symbol(SAME, 2)))
    assert clause.needless == ({"eq-trans"}, set())
