"""Rules on silence: those with a warning conclude nothing on any stream, the others conclude something."""

import random
from itertools import product

import pytest
from rdflib import Graph, Namespace

from counts import some
from pantarhei import StreamReasoner, Window, load_ontology, load_rules
from pantarhei.temporal.rule_warnings import ImpossibleRule

EX = Namespace("http://example.org/")
ONTOLOGY = load_ontology(
    Graph().parse(data="@prefix : <http://example.org/> . :a a :Sensor . :b a :Sensor .")
)
SAID = [
    "said(S) :- :reading(S, V).",
    "said(S) :- :reading(S, V) in [1].",
    "said(S) :- asserted :reading(S, V).",
    "heard(S) :- :reading(S, V). said(S) :- heard(S), :Sensor(S).",
]
NEEDED = [
    ":Sensor(S)",
    ":reading(S, V)",
    ":reading(S, V) in [4]",
    ":reading(S, V) always in [1]",
    "asserted :reading(S, V)",
    "asserted :reading(S, V) in [4]",
    "said(S)",
    "said(S) in [4]",
    "said(S) always in [1]",
]
DENIED = ["not said(S)", "not said(S) in [2]", "not :reading(S, V)", "not :reading(S, V) in [2]"]
REMEMBERED = ["", "remember said. "]


def rules(said, needed, denied, remembered):
    prefix = "@prefix : <http://example.org/> . "
    return load_rules(f"{prefix}{remembered}{said} silent(S) :- {needed}, {denied}.")


def concludes(given, seed, range_):
    """Return whether the rules conclude silence, on a random stream of two sensors and another source."""
    reasoner = StreamReasoner(ONTOLOGY, Window(range=range_), temporal=given)
    draw, at = random.Random(seed), 0
    for _ in range(30):
        at += draw.choice([1, 1, 1, 2, 3, 6])
        readings = [(EX[name], EX.reading, EX.x) for name in "abc" if draw.random() < 0.5]
        turns = reasoner.push(at, readings).conclusions.turns
        if any("silent" in str(atom) for turn in turns for atom in turn.added):
            return True
    return False


def is_possible(needed, denied):
    """Return whether the variables of the negation are bound."""
    return "V)" not in denied or "V)" in needed


RULES = [each for each in product(SAID, NEEDED, DENIED, REMEMBERED) if is_possible(*each[1:3])]


@pytest.mark.parametrize("parts", some(RULES, RULES[::4]))
def test_a_rule_on_silence_has_a_warning_if_it_cannot_conclude_anything(parts):
    said, needed, denied, remembered = parts
    given = rules(said, needed, denied, remembered)
    is_warned = any(isinstance(each, ImpossibleRule) for each in given.warnings)
    # An assertion that a repair removes at once is asserted, although its fact does not hold.
    may_be_repaired = needed == "asserted :reading(S, V)"
    found = any(concludes(given, seed, range_) for range_ in (0, 5) for seed in (1, 2))
    assert found is not is_warned or (may_be_repaired and not found and not is_warned)


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("denied", DENIED[:2])
def test_the_advice_of_a_warning_mends_the_rule(said, denied):
    forgotten = rules(said, "said(S) in [4]", denied, "")
    (warning,) = forgotten.warnings
    assert str(warning).endswith("write: remember said.")
    mended = rules(said, "said(S) in [4]", denied, "remember said. ")
    assert not mended.warnings and any(concludes(mended, seed, 0) for seed in (1, 2))
