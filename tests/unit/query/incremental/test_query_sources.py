"""Conclusions as what queries are asked of: alone, and with what the window has, each fact once."""

import numpy as np
import pytest

from pantarhei import Window
from pantarhei.encoding.numbers import NONE, Symbol, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.model import plain_model
from pantarhei.query.graph_names import CONCLUSIONS_GRAPH
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.incremental.query_sources import ConclusionSource, JoinedSource, QuerySource
from pantarhei.rules.compilation.program import compile_
from pantarhei.window.step_changes import Changes
from strategies import A, a, b, c


class Scene:
    """A window that has a and b, and the conclusions b and c."""

    def __init__(self):
        self.journal, vocabulary = Journal(), Vocabulary(compile_([]))
        number = vocabulary.number_symbol(Symbol(A, 1))
        self.of = {name: (number, vocabulary.number(name), NONE) for name in (a, b, c)}
        self.model = plain_model(self.facts(a, b), vocabulary)
        self.conclusions = ConclusionSource(self.journal, Window(0), vocabulary, self.facts(b, c))
        self.whole = QuerySource(self.journal, Window(0), self.model)
        self.joined = JoinedSource(self.whole, self.conclusions, self.model)

    def facts(self, *names):
        return np.array([self.of[name] for name in names], np.int32).reshape(-1, 3)

    def signed(self, came, went):
        rows = [(*self.of[name], 1) for name in came] + [(*self.of[name], -1) for name in went]
        return np.array(rows, np.int32).reshape(-1, 4)

    def step(self, came=(), went=(), concluded=(), withdrawn=()):
        """What changes in the conclusions, and in the joined content, as names with their signs."""
        self.model.add(self.facts(*came), 0)
        self.model.cut(self.facts(*went))
        changes = Changes(self.model.take_changes())
        self.conclusions.update(self.signed(concluded, withdrawn))
        names = {fact: name for name, fact in self.of.items()}
        found = []
        for content in (self.conclusions, self.joined):
            noted = content.advance(changes, self.model, None)
            found.append({names[tuple(fact)]: sign for *fact, sign in noted.tolist()})
        return found

    def held(self, content):
        names = {fact: name for name, fact in self.of.items()}
        return {names[fact] for fact in as_tuples(content.model.facts())}


@pytest.fixture
def scene():
    return Scene()


def test_joined_each_fact_is_there_once(scene):
    assert scene.held(scene.conclusions) == {b, c} and scene.held(scene.joined) == {a, b, c}
    assert scene.conclusions.name == CONCLUSIONS_GRAPH and scene.joined.name is None


def test_what_the_other_has_neither_comes_nor_goes(scene):
    assert scene.step(went=[b]) == [{}, {}]
    assert scene.step(withdrawn=[b, c]) == [{b: -1, c: -1}, {b: -1, c: -1}]
    assert scene.step(came=[c], concluded=[c]) == [{c: 1}, {c: 1}]
    assert scene.step(went=[c, a]) == [{}, {a: -1}]
    assert scene.held(scene.joined) == {c}


def test_a_fact_that_changes_sides_in_one_step_stays(scene):
    assert scene.step(went=[a], concluded=[a]) == [{a: 1}, {}]
    assert scene.step(came=[a], withdrawn=[a]) == [{a: -1}, {}]


def test_going_back_they_are_as_they_were(scene):
    mark = scene.journal.savepoint()
    scene.step(came=[c], withdrawn=[c, b], went=[b])
    scene.journal.restore(mark)
    assert scene.held(scene.conclusions) == {b, c} and scene.held(scene.joined) == {a, b, c}


def test_all_that_it_holds_beside_the_window_model_is_counted(scene):
    assert scene.joined.bytes_used == scene.joined.model.bytes_used > 0
    assert scene.whole.bytes_used == 0


def test_where_other_rules_run_what_the_window_has_then_is_taken_over(scene):
    other = plain_model(scene.facts(), scene.model.vocabulary)
    scene.whole.model = other
    scene.joined.refill(other)
    assert scene.held(scene.joined) == {a, b, c}
    other.program = compile_([])
    scene.joined.refill(other)
    assert scene.held(scene.joined) == {b, c}
