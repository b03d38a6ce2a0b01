"""Operators between the strata: what they want is a matter of what holds, however often they are told."""

import numpy as np
import pytest
from rdflib import Namespace, Variable

from pantarhei.encoding.numbers import NONE, as_tuples, signed
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.rule import Atom, Rule
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.expiry_model import UNTIL_REMOVED, ExpiryModel
from pantarhei.temporal.operators import ConclusionBox, Negation

EX = Namespace("http://e/")
X = Variable("X")
DENIED, ASKED, FREE = SOURCE, TARGET, _ = range(3)


def rows(predicate, *subjects):
    return np.array([(predicate, each, NONE) for each in subjects], np.int32).reshape(-1, 3)


@pytest.fixture
def model():
    """Three predicates without rules between them."""
    names = [Atom(EX[name], (X,)) for name in "pqr"]
    program = compile_([Rule(str(i), (names[i],), names[i]) for i in range(3)])
    return ExpiryModel(program, Vocabulary(program), tick=0)


def say(model, given):
    model.add(given, UNTIL_REMOVED)


def unsay(model, given):
    model.lower(given, NONE)


def come_to(tick, box, model):
    model.come_to(tick)
    return box.come_to(tick, model)


def applied(model, wanted):
    unsay(model, wanted.going)
    say(model, wanted.coming)
    return [[subject for _, subject, _ in as_tuples(part)] for part in wanted]


# -- not -------------------------------------------------------------------------------------------


def test_free_is_what_is_asked_for_and_not_denied(model):
    negation = Negation(DENIED, ASKED, FREE, None, model)
    say(model, rows(ASKED, 1, 2))
    say(model, rows(DENIED, 2, 3))
    told = signed(np.concatenate([rows(ASKED, 1, 2), rows(DENIED, 2, 3)]), 1)
    assert applied(model, negation.react(told, model)) == [[1], []]
    assert applied(model, negation.react(told, model)) == [[], []]  # told twice, nothing is left to do
    say(model, rows(DENIED, 1))
    unsay(model, rows(DENIED, 2))
    assert applied(model, negation.react(signed(rows(DENIED, 1, 2), 1), model)) == [[2], [1]]
    unsay(model, rows(ASKED, 2))
    assert applied(model, negation.react(signed(rows(ASKED, 2), -1), model)) == [[], [2]]


def test_negation_waits_for_no_tick(model):
    negation = Negation(DENIED, ASKED, FREE, None, model)
    assert negation.next_due() is None and negation.watched == (DENIED, ASKED)
    assert [len(part) for part in negation.come_to(1, model)] == [0, 0]


# -- □ over conclusions ----------------------------------------------------------------------------

# size = 2      at:  0   1   2   3
# source             |===========         remembered: held always from 2 on
# target                     |====


def box_over_source():
    box = ConclusionBox(SOURCE, TARGET, 2, -10)
    box.begin({}, 0)
    return box


def test_a_remembered_conclusion_holds_always_once_it_has_stayed_long_enough(model):
    box = box_over_source()
    say(model, rows(SOURCE, 7))
    assert applied(model, box.react(signed(rows(SOURCE, 7), 1), model)) == [[], []]
    assert box.next_due() == 2
    assert applied(model, come_to(1, box, model)) == [[], []]
    assert applied(model, come_to(2, box, model)) == [[7], []]
    unsay(model, rows(SOURCE, 7))
    assert applied(model, box.react(signed(rows(SOURCE, 7), 1), model)) == [[], [7]]


def test_what_has_not_changed_is_told_in_vain(model):
    box = box_over_source()
    say(model, rows(SOURCE, 7))
    box.react(signed(rows(SOURCE, 7), 1), model)
    come_to(2, box, model)
    assert applied(model, box.react(signed(rows(SOURCE, 7), 1), model)) == [[], []]


def test_a_box_goes_on_with_what_ran_before(model):
    box = ConclusionBox(SOURCE, TARGET, 2, -10)
    assert as_tuples(box.begin({(SOURCE, 7, NONE): -3, (SOURCE, 8, NONE): -1}, 0)) == [(TARGET, 7, NONE)]
    assert box.next_due() == 1
