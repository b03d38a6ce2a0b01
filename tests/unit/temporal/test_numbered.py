"""A program in numbers: the stream's predicates outside, the temporal kernel's inside, the terms shared."""

import numpy as np
import pytest
from rdflib import Literal, Namespace, URIRef, Variable

from pantarhei import Window, load_rules
from pantarhei.encoding.numbers import NONE, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.rule import Atom, Rule
from pantarhei.model.temporal_rule import Mode
from pantarhei.model.time import TimeKind
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.numbered import DerivedPredicate, NumberedTemporalProgram, evaluation_ranks
from pantarhei.temporal.temporal_program import ALWAYS
from pantarhei.temporal.ticks import Ticks
from pantarhei.temporal.translation import compile_rules

EX = Namespace("http://e/")
TEXT = """remember alarm.
alarm(X) :- hot(X) always in [3], level(X, 7), not asserted served(X) in [5].
late(X)  :- alarm(X) in [4], alarm(X) always in [2].
"""


@pytest.fixture
def vocabulary():
    return Vocabulary(compile_([]))


@pytest.fixture
def numbered(vocabulary):
    rules = load_rules(TEXT, prefixes={"": str(EX)})
    program = compile_rules(rules.rules, rules.remembered, Ticks(Window(range=9), TimeKind.INTEGER))
    return NumberedTemporalProgram(program, vocabulary)


def name_of(numbered, number):
    return str(numbered.compiled.predicates[number].name).replace(str(EX), "")


def test_feeds_lead_from_the_streams_predicates_to_the_kernels(numbered, vocabulary):
    hot, served = (vocabulary.number_symbol(Symbol(EX[name], 1)) for name in ("hot", "served"))
    (feed,) = (each for each in numbered.inputs if each.source == hot)
    assert not feed.is_asserted
    assert (feed.mode, feed.size, name_of(numbered, feed.target)) == (Mode.ALWAYS, 3, "hot□3")
    (feed,) = (each for each in numbered.inputs if each.source == served and each.is_asserted)
    assert (feed.source, feed.mode, name_of(numbered, feed.target)) == (served, Mode.SOMETIME, "!served~5")


def test_feeds_are_found_by_their_mode(numbered):
    ((feed,),) = numbered.boxes
    assert feed.size == 3 and feed.follows_states


def test_terms_of_rules_have_the_numbers_that_the_stream_gives_them(numbered, vocabulary):
    assert vocabulary.term(vocabulary.number(Literal(7))) == Literal(7)
    always, unit, nothing = numbered.always
    assert numbered.compiled.predicates[always] == ALWAYS and nothing == NONE
    assert vocabulary.number(vocabulary.term(unit)) == unit


def test_what_goes_on_around_the_kernel_is_numbered_too(numbered):
    ((denied, asked, free, unit),) = numbered.guards
    assert unit == numbered.unit
    assert [name_of(numbered, each) for each in (denied, asked, free)] == [
        "!served~5",
        "candidate-!served~5",
        "absent-!served~5",
    ]
    ((source, target, size),) = numbered.runs
    assert (name_of(numbered, source), size, name_of(numbered, target)) == ("alarm", 2, "alarm□2")
    ((source, windows),) = numbered.windows.items()
    assert name_of(numbered, source) == "alarm"
    assert [(name_of(numbered, target), size) for target, size in windows] == [("was-alarm~4", 4)]
    assert numbered.largest == 5


def test_conclusions_are_told_from_all_else(numbered):
    names = {name_of(numbered, number) for number in np.flatnonzero(numbered.is_conclusion)}
    assert names == {"alarm", "late"}
    assert set(numbered.conclusions.values()) == {(EX.alarm, 1), (EX.late, 1)}


def test_the_same_rules_have_the_same_numbers_again(numbered, vocabulary):
    rules = load_rules(TEXT, prefixes={"": str(EX)})
    program = compile_rules(rules.rules, rules.remembered, Ticks(Window(range=9), TimeKind.INTEGER))
    again = NumberedTemporalProgram(program, vocabulary)
    assert again.compiled.predicates == numbered.compiled.predicates and again.guards == numbered.guards


def test_conclusions_that_are_triples_are_told_in_the_streams_predicates(vocabulary):
    rules = load_rules(
        "p(X, Y) :- q(X, Y). c(X) :- q(X, Y). r(Y, X) :- q(X, Y). n.\n", prefixes={"": str(EX)}
    )
    program = compile_rules(rules.rules, rules.remembered, Ticks(Window(range=9), TimeKind.INTEGER))
    numbered = NumberedTemporalProgram(program, vocabulary)
    of = {
        str(symbol.name).removeprefix(EX): number
        for number, symbol in enumerate(numbered.compiled.predicates)
    }
    i, seven = vocabulary.number(EX.i), vocabulary.number(Literal(7))
    facts = [(of["p"], i, seven), (of["c"], i, NONE), (of["c"], seven, NONE), (of["r"], seven, i)]
    facts += [(of["n"], numbered.always[1], NONE), numbered.always]
    signed = np.array([(*fact, 1) for fact in facts], np.int32)
    p, c = vocabulary.number_symbol(Symbol(EX.p, 2)), vocabulary.number_symbol(Symbol(EX.c, 1))
    assert numbered.triples(signed).tolist() == [[p, i, seven, 1], [c, i, NONE, 1]]
    assert {p, c} <= set(numbered.symbols.tolist())


X = Variable("X")


def symbol(name):
    return Symbol(URIRef(name), 1)


def rule(head, *body):
    return Rule("r", tuple(Atom(URIRef(name), (X,)) for name in body), Atom(URIRef(head), (X,)))


def test_what_follows_comes_after_what_it_rests_on_by_rules_and_operators():
    found = evaluation_ranks(
        [rule("calm", "asked", "free")], [DerivedPredicate(symbol("free"), (symbol("alarm"),))]
    )
    assert found[symbol("alarm")] < found[symbol("free")] < found[symbol("calm")]


def test_what_rests_on_each_other_has_one_rank():
    found = evaluation_ranks([rule("a", "b"), rule("b", "a"), rule("c", "a")], [])
    assert found[symbol("a")] == found[symbol("b")] < found[symbol("c")]
