"""What is said, as rows with expiries; what is said at a tick can be taken back."""

import numpy as np
import pytest
from rdflib import Namespace

from pantarhei import Window, load_rules
from pantarhei.encoding.numbers import NO_FACTS, NONE, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.time import TimeKind
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.expiry_model import ExpiryModel
from pantarhei.temporal.feeding import Feeding
from pantarhei.temporal.numbered import NumberedProgram
from pantarhei.temporal.past import Past, Said
from pantarhei.temporal.ticks import Ticks
from pantarhei.temporal.translation import program_of

EX = Namespace("http://e/")


class Scene:
    """The rows of rules at a tick, by the names of their predicates."""

    def __init__(self, text, tick=10):
        rules, self.vocabulary = load_rules(text + "\n", prefixes={"": str(EX)}), Vocabulary(compile_([]))
        program = program_of(rules.rules, rules.remembered, Ticks(Window(range=9), TimeKind.INTEGER))
        self.program = NumberedProgram(program, self.vocabulary)
        self.model = ExpiryModel(self.program.compiled, self.program.literals, tick)
        self.feeding = Feeding(self.program, self.model)

    def fact(self, name):
        number = self.vocabulary.number_symbol(Symbol(EX[name], 1))
        return np.array([(number, self.vocabulary.number(EX.x), NONE)], np.int32)

    @property
    def held(self):
        names = [symbol.name for symbol in self.program.compiled.predicates]
        return sorted(names[row[0]].rpartition("/")[2] for row in self.model.facts().tolist())

    def held_at(self, *ticks):
        found = []
        for tick in ticks:
            self.model.come_to(tick)
            found.append(len(self.held) > 0)
        return found


@pytest.fixture
def events():
    return Scene("a(X) :- asserted hot(X) in [3], b(X).")


@pytest.fixture
def states():
    return Scene("a(X) :- hot(X) in [3], b(X).")


def test_an_event_is_a_row_until_its_window_has_passed(events):
    events.feeding.add_events(events.fact("hot"))
    assert events.held_at(10, 13, 14) == [True, True, False]


def test_an_event_that_is_taken_back_is_what_it_was_before(events):
    hot = events.fact("hot")
    events.feeding.add_events(hot)
    events.model.come_to(12)
    events.feeding.come_to(11, NO_FACTS, NO_FACTS)
    events.feeding.add_events(hot)
    events.feeding.lose_events(hot, lambda: NO_FACTS)
    assert events.held_at(13, 14) == [True, False]


def test_an_event_that_was_not_there_before_is_none_when_it_is_taken_back(events):
    events.feeding.add_events(events.fact("hot"))
    events.feeding.lose_events(events.fact("hot"), lambda: NO_FACTS)
    assert events.held == []


def test_a_state_is_a_row_and_lasts_from_its_last_tick_on(states):
    states.feeding.change_states(states.fact("hot"), NO_FACTS)
    assert states.held_at(10, 1000) == [True, True]
    states.feeding.come_to(999, NO_FACTS, NO_FACTS)
    states.feeding.change_states(NO_FACTS, states.fact("hot"))
    assert states.held_at(1000, 1002, 1003) == [True, True, False]


#   tick      6  7  8  9  10
#   hot       x
@pytest.mark.parametrize(("said_at", "held"), [(6, False), (7, True)])
def test_what_was_said_before_lasts_as_long_as_its_window(said_at, held):
    for scene in (Scene("a(X) :- asserted hot(X) in [3], b(X)."), Scene("a(X) :- hot(X) in [3], b(X).")):
        said = [Said(said_at, events=scene.fact("hot")), Said(said_at + 1, went=scene.fact("hot"))]
        scene.feeding.begin(Past.of(0, said), NO_FACTS, NO_FACTS)
        assert (scene.held != []) is held


def test_what_was_remembered_goes_on_from_the_tick_before():
    scene = Scene("remember a. a(X) :- asserted hot(X). b(X) :- a(X) in [2].")
    (concluded,) = scene.program.windows
    fact = scene.fact("hot")
    fact[0, 0] = concluded
    scene.feeding.come_to(9, fact, NO_FACTS)
    assert "b" in scene.held
    scene.feeding.come_to(10, NO_FACTS, fact)
    assert scene.held_at(11, 12) == [True, False]
