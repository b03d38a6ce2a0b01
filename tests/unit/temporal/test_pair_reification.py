"""Rules with atoms of three arguments, as rules with pairs."""

import pytest
from rdflib import Literal, URIRef, Variable

from pantarhei.model.rule import Atom, Builtin
from pantarhei.temporal.pair_reification import reified_pairs
from pantarhei.values.builtin import SWRLB

X, Y, Z, T = map(Variable, "XYZT")


def atom(name, *arguments):
    return Atom(URIRef(name), arguments)


def shown(body, head, tests=()):
    """The rules as lines, without signs that every name has."""
    rules = (f"{head} <- {', '.join(map(str, atoms))}" for atoms, head, _ in reified_pairs(body, head, tests))
    return [rule.replace("?", "").replace("urn:pantarhei:temporal:", "") for rule in rules]


def test_a_rule_without_wide_atoms_stays_as_it_is():
    assert shown([atom("p", X, Y)], atom("q", X)) == ["q(X) <- p(X, Y)"]


def test_a_wide_atom_of_a_body_is_one_of_the_pair_of_its_first_argument_and_its_time():
    assert shown([atom("p", X, Y, T)], atom("q", X, T)) == [
        "q(X, T) <- p(pair-X-T, Y), left(pair-X-T, X), right(pair-X-T, T)"
    ]


def test_what_of_a_pair_nothing_asks_for_is_not_looked_up():
    assert shown([atom("p", X, Y, T)], atom("q", Y, T)) == ["q(Y, T) <- p(pair-X-T, Y), right(pair-X-T, T)"]
    test = Builtin(SWRLB.lessThan, (T, Y))
    assert shown([atom("p", X, Y, T)], atom("q", Y), (test,)) == [
        "q(Y) <- p(pair-X-T, Y), right(pair-X-T, T)"
    ]


def test_a_pair_that_comes_twice_is_looked_up_once():
    (rule,) = shown([atom("p", X, Y, T), atom("r", X, Z, T)], atom("q", X, Z))
    assert rule.count("left(") == 1 and "r(pair-X-T, Z)" in rule


def test_what_is_concluded_of_a_pair_asks_for_it_first():
    assert shown([atom("p", X, Y), atom("t", Y, T)], atom("q", X, Y, T)) == [
        "pair(X, T) <- p(X, Y), t(Y, T)",
        "q(pair-X-T, Y) <- p(X, Y), t(Y, T), left(pair-X-T, X), right(pair-X-T, T)",
    ]


def test_what_is_concluded_of_a_pair_that_the_body_has_asks_for_nothing():
    assert shown([atom("p", X, Y, T)], atom("q", X, Y, T)) == ["q(pair-X-T, Y) <- p(pair-X-T, Y)"]


@pytest.mark.parametrize("constant", [URIRef("http://e/k"), Literal(3)])
def test_constants_are_told_from_variables(constant):
    (rule,) = shown([atom("p", constant, Y, T), atom("p", X, Y, T)], atom("q", X, T))
    assert rule.count("left(") == 2


def test_the_tests_of_a_rule_stay_with_both():
    test = Builtin(SWRLB.lessThan, (T, Z))
    rules = reified_pairs([atom("p", X, Y), atom("t", T, Z)], atom("q", X, Y, T), (test,))
    assert [tests for _, _, tests in rules] == [(test,), (test,)]
