"""Which of what follows comes first."""

from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Atom, Rule
from pantarhei.temporal.ordering import Making, ranks

X = Variable("X")


def symbol(name):
    return Symbol(URIRef(name), 1)


def rule(head, *body):
    return Rule("r", tuple(Atom(URIRef(name), (X,)) for name in body), Atom(URIRef(head), (X,)))


def test_what_follows_comes_after_what_it_rests_on_by_rules_and_operators():
    found = ranks([rule("calm", "asked", "free")], [Making(symbol("free"), (symbol("alarm"),))])
    assert found[symbol("alarm")] < found[symbol("free")] < found[symbol("calm")]


def test_what_rests_on_each_other_has_one_rank():
    found = ranks([rule("a", "b"), rule("b", "a"), rule("c", "a")], [])
    assert found[symbol("a")] == found[symbol("b")] < found[symbol("c")]
