"""Versions of answers are the answers after each report, in any order of reads."""

from collections import Counter
from random import Random

import pytest
from rdflib import Literal

from counts import seeds
from pantarhei.query.incremental.answer_versions import ReadAnswers, Version
from pantarhei.query.incremental.persistent_terms import Decoder
from threads import run


class Made:
    """A decoder that counts the terms that it makes."""

    def __init__(self):
        self.count = 0
        self.decoder = Decoder([], self.term)

    def term(self, number):
        self.count += 1
        return Literal(number)


def terms(answers):
    return Counter({tuple(map(Literal, row)): copies for row, copies in answers.items()})


def changes(random, answers):
    """A change of the answers, which it makes in them."""
    change = {}
    for _ in range(random.choice((0, 1, 2, 9))):
        row = (random.randrange(9), random.randrange(3))
        before = answers.get(row, 0) - change.get(row, 0)
        after = random.choice((0, 0, 1, 2))
        change[row] = after - before
        answers[row] = after
        if not after:
            del answers[row]
    return {row: weight for row, weight in change.items() if weight}


@pytest.mark.parametrize("seed", seeds(20, 200, long=20_000))
def test_each_version_is_the_answers_at_its_time(seed, monkeypatch):
    monkeypatch.setattr("pantarhei.query.incremental.answer_versions._MIN_HELD", 3)
    random, answers, version, made = Random(seed), {}, None, Made()
    known, read = [], ReadAnswers()
    for _ in range(30):
        if random.random() < 0.1:
            made = Made()  # terms have other numbers, which here are the same ones
        change = changes(random, answers)
        version = Version.after(version, change, answers, made.decoder)
        known.append((version, terms(answers)))
        if random.random() < 0.3:
            assert read.rows(answers, made.decoder) == terms(answers)
        if random.random() < 0.4:
            some, expected = random.choice(known)
            assert some.rows() == expected
    random.shuffle(known)
    assert all(some.rows() == expected for some, expected in known)


def test_a_version_costs_what_has_changed():
    made, answers = Made(), {(number,): 1 for number in range(1000)}
    version = Version.after(None, {}, answers, made.decoder)
    assert made.count == 0
    version.rows()
    for number in range(1000, 3000):
        change = {(number,): 1, (number - 1000,): -1}
        answers[number,] = 1
        del answers[number - 1000,]
        version = Version.after(version, change, answers, made.decoder)
        version.rows()
    assert made.count == 3000


def test_versions_that_nobody_reads_hold_no_more_than_the_answers():
    made, answers, version = Made(), {(number,): 1 for number in range(1000)}, None
    for number in range(1000, 20_000):
        change = {(number,): 1, (number - 1000,): -1}
        answers[number,] = 1
        del answers[number - 1000,]
        version = Version.after(version, change, answers, made.decoder)
        assert version.held <= 1000
    assert made.count == 0 and version.rows() == terms(answers)


def test_a_caller_may_change_what_it_gets():
    version = Version.after(None, {}, {(1,): 2}, Made().decoder)
    version.rows().clear()
    assert version.rows() == {(Literal(1),): 2}


def test_threads_read_versions_at_once():
    made, answers, versions = Made(), {}, [None]
    expected = []
    for number in range(200):
        answers[number,] = 1
        versions.append(Version.after(versions[-1], {(number,): 1}, answers, made.decoder))
        expected.append(terms(answers))

    def read(order):
        assert all(versions[place + 1].rows() == expected[place] for place in order)

    assert run([lambda: read(range(200)), lambda: read(range(199, -1, -1)), lambda: read(range(200))]) == []
