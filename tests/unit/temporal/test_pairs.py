"""Numbers for pairs of terms: which they have, how long, and when they are free again."""

import numpy as np

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.temporal import pairs as room
from pantarhei.temporal.expiry_model import UNTIL_REMOVED
from pantarhei.temporal.pairs import Pairs

ASKED, LEFT, RIGHT = 0, 1, 2


class Asking:
    """A model where some pairs are asked for."""

    def __init__(self, *asked):
        self.asked = asked

    def present(self, rows):
        return np.array([tuple(row[1:]) in self.asked for row in rows.tolist()], bool)


def changed(*pairs):
    return np.array([(ASKED, *pair) for pair in pairs], np.int32)


def number_of(pairs, left, right, expiry):
    return int(pairs.numbers(np.array([(left, right)], np.int32), expiry)[0])


def links(pairs):
    rows, expiries = pairs.take_links()
    return {tuple(row): expiry for row, expiry in zip(rows.tolist(), expiries.tolist(), strict=True)}


def test_a_pair_without_an_expiry_is_free_when_no_rule_asks_for_it_any_more(monkeypatch):
    monkeypatch.setattr(room, "_FEW", 1)
    pairs = Pairs(ASKED, LEFT, RIGHT)
    number = number_of(pairs, 7, 8, NONE)
    coming, _ = pairs.react(changed((7, 8)), Asking((7, 8)))
    assert not links(pairs) and (LEFT, number, 7) in set(map(tuple, coming.tolist()))
    pairs.react(changed((7, 8)), Asking())
    assert set(map(tuple, pairs.over(1).tolist())) == {(LEFT, number, 7), (RIGHT, number, 8)}
    assert number_of(pairs, 5, 6, NONE) == number


def test_a_pair_has_one_number_and_is_told_what_it_is_as_long_as_something_is_said_of_it():
    pairs = Pairs(ASKED, LEFT, RIGHT)
    number = number_of(pairs, 7, 8, 5)
    assert number == FIRST_LITERAL - 1 and number_of(pairs, 8, 7, 5) != number
    assert links(pairs)[LEFT, number, 7] == 5
    assert number_of(pairs, 7, 8, 4) == number and links(pairs) == {}
    number_of(pairs, 7, 8, 9)
    assert links(pairs) == {(LEFT, number, 7): 9, (RIGHT, number, 8): 9}


def test_a_pair_that_rules_ask_for_is_told_without_an_end():
    pairs = Pairs(ASKED, LEFT, RIGHT)
    rows = pairs.react(changed((7, 8)), Asking((7, 8)))
    number = number_of(pairs, 7, 8, 3)
    assert rows.coming.tolist() == [[LEFT, number, 7], [RIGHT, number, 8]] and not len(rows.going)
    assert links(pairs)[RIGHT, number, 8] == 3 < UNTIL_REMOVED  # which raises nothing in the kernel


def test_numbers_become_free_when_nothing_is_said_and_nobody_asks(monkeypatch):
    monkeypatch.setattr(room, "_FEW", 2)
    pairs = Pairs(ASKED, LEFT, RIGHT)
    over, asked, lasting = number_of(pairs, 1, 2, 3), (3, 4), number_of(pairs, 5, 6, 9)
    pairs.react(changed(asked), Asking(asked))
    gone = pairs.over(4).tolist()
    assert gone == [[LEFT, over, 1], [RIGHT, over, 2]]
    assert number_of(pairs, 5, 6, NONE) == lasting and number_of(pairs, 8, 9, 20) == over
    pairs.react(changed(asked), Asking())
    number_of(pairs, 10, 11, 20), number_of(pairs, 12, 13, 20)
    assert len(pairs.over(30)) == 2 * 5
