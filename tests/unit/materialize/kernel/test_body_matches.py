"""Matches of a body with given facts, whether these are stored or not."""

from pantarhei.language.rule import Atom
from pantarhei.materialize.model import FOREVER
from rule_models import RuleModel
from strategies import EX, A, R, S, a, b, c, member, related, x, y, z

PATH = [related(R, x, y), related(S, y, z)]


def matched(model, body, facts, without=()):
    """{what the variables are bound to: the lowest level} of the matches; none recurs."""
    plan = model.model.plan(body)
    found = model.model.matches_with(plan, model.rows(facts), model.rows(without))
    bindings = [tuple(map(model.vocabulary.term, row)) for row in found.bindings.tolist()]
    assert len(bindings) == len(set(bindings))
    model.kernel.check_invariants()
    return dict(zip(bindings, found.levels.tolist(), strict=True))


def a_model():
    model = RuleModel()
    model.add(1, (a, R, b), (c, R, b))
    model.add(2, (b, S, c), (EX.d, S, c))
    return model


def test_only_matches_with_a_given_fact_are_found_from_either_atom():
    assert matched(a_model(), PATH, [(a, R, b)]) == {(a, b, c): 1}
    assert matched(a_model(), PATH, [(b, S, c)]) == {(a, b, c): 1, (c, b, c): 1}
    assert matched(a_model(), PATH, [(EX.d, S, c)]) == {}


def test_a_match_with_several_given_facts_is_found_once():
    assert matched(a_model(), PATH, [(a, R, b), (b, S, c), (a, R, b)]) == {(a, b, c): 1, (c, b, c): 1}
    loop = [related(R, x, y), related(R, y, x)]
    model = RuleModel()
    model.add(3, (a, R, a))
    assert matched(model, loop, [(a, R, a)]) == {(a, a): 3}


def test_what_is_gone_is_matched_as_if_it_were_there_and_is_not_there_afterwards():
    model = a_model()
    before = model.facts
    assert matched(model, PATH, [(EX.gone, R, b)]) == {(EX.gone, b, c): 2}
    assert matched(model, PATH, [(EX.gone, R, EX.d2), (EX.d2, S, a)]) == {(EX.gone, EX.d2, a): FOREVER}
    assert model.facts == before and len(model.model.take_changes()) == len(before)


def test_what_is_hidden_takes_no_part_and_is_there_again_afterwards():
    model = a_model()
    assert matched(model, PATH, [(b, S, c)], without=[(a, R, b)]) == {(c, b, c): 1}
    assert matched(model, PATH, [(a, R, b)], without=[(a, R, b)]) == {}
    assert matched(model, PATH, [(b, S, c)]) == {(a, b, c): 1, (c, b, c): 1}


def test_a_body_of_one_atom_matches_the_given_facts_of_its_predicate():
    model = a_model()
    model.add(3, member(A, a))
    given = [member(A, a), member(A, b), (a, R, b)]
    assert matched(model, [Atom(A, (x,))], given) == {(a,): 3, (b,): FOREVER}
    assert matched(model, [Atom(A, (x,))], []) == {}


def test_what_is_looked_at_is_counted_with_the_models_work():
    model = a_model()
    before = model.kernel.candidates
    matched(model, PATH, [(b, S, c)])
    assert model.kernel.candidates - before == 3
