"""Abduction: minimal missing facts."""

import pytest
from rdflib import RDF

from pantarhei.encoding.numbers import as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.explain.abduction import NEW_NAME, AbductionSearch
from pantarhei.explain.backward_rules import BackwardRules
from pantarhei.materialize.model import WindowModel
from pantarhei.model.rule import Rule
from pantarhei.proofs.supports import BudgetExceeded, StepBudget
from pantarhei.rules.compilation.program import compile_
from strategies import A, B, C, R, S, a, b, c, is_a, member, related, x, y, z

PROGRAM = compile_(
    [
        Rule("cls-svf1", (related(R, x, y), is_a(B, y)), is_a(C, x)),
        Rule("cax-sco", (is_a(A, x),), is_a(B, x)),
        Rule("prp-trp", (related(S, x, y), related(S, y, z)), related(S, x, z)),
    ]
)


def found(facts, goal, size, assumable, steps=1000, gone=()):
    """The sets that are missing for a goal, each with its candidate; and the search."""
    model = WindowModel(PROGRAM, "newest", Vocabulary(PROGRAM))
    encode = model.vocabulary.encode
    model.add(encode(facts).facts, 0)
    numbers = {fact[0] for fact in as_tuples(encode(assumable).facts)}
    were = as_tuples(encode(gone).facts) if gone else []
    search = AbductionSearch(
        *(model, BackwardRules(PROGRAM, model.vocabulary), frozenset(numbers)),
        lambda pattern: [fact for fact in were if fact[0] == pattern[0]],
        *(1, StepBudget(steps, steps)),
    )
    (fact,) = as_tuples(encode([goal]).facts)
    return {each.missing: each for each in search.sets(fact, size)}, search


ANY_A, ANY_B, ANY_R, ANY_S = member(A, a), member(B, a), (a, R, a), (a, S, a)


def test_what_is_there_is_not_missing():
    sets, search = found([(a, R, b)], member(C, a), 1, [ANY_A])
    assert set(sets) == {frozenset({member(A, b)})} and search.is_complete
    assert sets[frozenset({member(A, b)})].present == 1


def test_a_name_that_nothing_determines_is_new():
    sets, _ = found([], member(C, a), 2, [ANY_A, ANY_R])
    assert frozenset({(a, R, NEW_NAME), (NEW_NAME, RDF.type, A)}) in sets


def test_only_what_may_be_assumed_is_missing():
    assert found([(a, R, b)], member(C, a), 1, [ANY_R])[0] == {}


def test_what_was_asserted_once_is_told_of_a_candidate():
    sets, _ = found([member(B, c)], member(C, a), 1, [ANY_R], gone=[(a, R, c)])
    assert {missing: each.gone for missing, each in sets.items()} == {frozenset({(a, R, c)}): 1}


def test_the_goal_itself_is_never_missing():
    assert frozenset({(a, S, b)}) not in found([], (a, S, b), 1, [ANY_S])[0]


def test_what_takes_few_rules_comes_first():
    facts = [(a, R, b), member(A, c)]
    sets, _ = found(facts, member(C, a), 1, [ANY_A, ANY_B, ANY_R])
    assert list(sets)[-1] == {member(A, b)}  # by two rules


def test_a_search_that_has_no_steps_left_says_so():
    with pytest.raises(BudgetExceeded):
        found([], (a, S, b), 3, [ANY_S], steps=5)
