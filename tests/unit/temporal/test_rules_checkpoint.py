"""What a checkpoint keeps of temporal rules reads back to the same, in whatever numbers terms have then."""

from datetime import UTC, datetime

import numpy as np
import pytest
from rdflib import XSD, BNode, Literal, Namespace

from pantarhei import Window, load_rules
from pantarhei.encoding.numbers import NO_FACTS, NONE, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.time import TimeKind
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.data_stream import Appended, AssertedPart, DataStream, state_changes
from pantarhei.temporal.numbered import NumberedTemporalProgram
from pantarhei.temporal.rules_checkpoint import data_of, narrow, rules_of, to_bytes
from pantarhei.temporal.tick_history import TickHistory, TickRecord
from pantarhei.temporal.ticks import Ticks
from pantarhei.temporal.translation import compile_rules
from pantarhei.temporal.tuples import TupleNumbers

EX = Namespace("http://e/")
RULES = load_rules(
    "remember alarm.\nalarm(X) :- hot(X) in [3], asserted level(X, 7).\nlate(X) :- alarm(X) in [4].\n",
    prefixes={"": str(EX)},
)
OBJECTS = [None, Literal("007", datatype=XSD.integer), BNode("b"), Literal('a "word"\n', lang="en")]


@pytest.mark.parametrize(
    "values", [[-5, 1 << 40], [-(1 << 60), 1 << 60], [0, 200], [-129, 127], [-1, 1 << 33]]
)
def test_numbers_on_both_sides_of_0_stay_integers(values):
    column = narrow(np.array(values, np.int64))
    assert column.dtype.kind in "iu" and column.tolist() == values


class Scene:
    """A vocabulary in which other terms come first, and the rules in its numbers."""

    def __init__(self, *strangers):
        self.vocabulary = Vocabulary(compile_([]))
        for name in strangers:
            self.vocabulary.number(EX[name])
            self.vocabulary.number_symbol(Symbol(EX[name], 2))
        program = compile_rules(RULES.rules, RULES.remembered, Ticks(Window(range=9), TimeKind.INTEGER))
        self.numbered = NumberedTemporalProgram(program, self.vocabulary)

    def stream(self, name, *objects):
        number = self.vocabulary.number
        return np.array(
            [
                (
                    self.vocabulary.number_symbol(Symbol(EX[name], 1 if each is None else 2)),
                    number(EX.x),
                    NONE if each is None else number(each),
                )
                for each in objects
            ],
            np.int32,
        ).reshape(-1, 3)

    def rules(self):
        (alarm,) = self.numbered.windows
        return np.array([(alarm, self.vocabulary.number(EX.x), NONE)], np.int32)

    def data(self):
        past = [
            TickRecord(
                3, self.stream("level", *OBJECTS[1:]), self.stream("hot", None), concluded=self.rules()
            ),
            TickRecord(5, removed=self.stream("hot", None), withdrawn=self.rules()),
        ]
        asserted = Appended(
            [
                AssertedPart(6, self.stream("level", OBJECTS[1])),
                AssertedPart(7, NO_FACTS, self.stream("level", OBJECTS[1])),
            ]
        )
        came = state_changes(self.stream("hot", None), NO_FACTS)
        return DataStream(-4, 7, TickHistory.of(-4, past), TupleNumbers(), self.rules(), came, asserted, 2)


def lists(data):
    return [
        *([said.tick, *(facts.tolist() for facts in said[1:])] for said in data.past),
        *(
            each.tolist() if isinstance(each, np.ndarray) else each
            for each in data._replace(past=0, changed=0, asserted=0, tuples=0)
        ),
        [facts.tolist() for facts in data.net_state_changes],
        [(abox.at, abox.facts.tolist(), abox.cut.tolist()) for abox in data.asserted],
        data.past.complete_from,
    ]


@pytest.mark.parametrize("strangers", [(), ("a", "b", "c")])
def test_what_was_said_reads_back_in_the_numbers_of_another_vocabulary(strangers):
    here, there = Scene(), Scene(*strangers)
    saved = to_bytes(RULES, here.data(), here.numbered, here.vocabulary)
    assert lists(data_of(saved, there.numbered, there.vocabulary)) == lists(there.data())


def test_the_same_is_the_same_bytes():
    here, there = Scene(), Scene("a", "b", "c")
    one, other = (to_bytes(RULES, each.data(), each.numbered, each.vocabulary) for each in (here, there))
    assert one == other


def test_before_the_first_tick_nothing_was_said():
    scene = Scene()
    saved = to_bytes(RULES, None, scene.numbered, scene.vocabulary)
    assert data_of(saved, scene.numbered, scene.vocabulary) is None


@pytest.mark.parametrize("start", [None, -3, 0.5, datetime(2026, 3, 2, 6, tzinfo=UTC)])
def test_the_rules_read_back_with_all_that_was_said_of_them(start):
    scene = Scene()
    rules = load_rules(str(RULES), start, feedback=True)
    back = rules_of(to_bytes(rules, None, scene.numbered, scene.vocabulary))
    assert back == rules and back.feedback and back.start == start
