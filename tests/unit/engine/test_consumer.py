"""Who is told of steps: under one name each, once a step, and back to where it stood."""

import numpy as np
import pytest

from pantarhei.encoding.numbers import NONE, net_changes
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.consumer import NOTHING_PENDING, Consumers, known_bytes
from pantarhei.errors import OptionError
from pantarhei.materialize.kernel_values import LevelChanges
from pantarhei.materialize.model import WindowModel
from pantarhei.rules.compilation.program import compile_
from pantarhei.window.log import Changes, Entry

MODEL = object()  # which is handed on, and looked at by nobody here


class Noting:
    """A consumer that notes what it is told; `due_at` are the ticks it waits for."""

    needed_symbols, needs_levels, receives_each_step, bytes_used = None, False, False, 10

    def __init__(self, *due_at, fails=False):
        self.due_at, self.fails, self.told, self.given = due_at, fails, (), "nothing"

    def due(self, after, until):
        return min((tick for tick in self.due_at if after < tick <= until), default=None)

    def before(self, step, model):
        self.told += (step.now,)

    def apply(self, changes, model):
        self.told += (changes.fact_changes[:, 0].tolist(),)

    def mark(self):
        return self.told

    def back(self, mark):
        self.told = mark

    def renamed(self, renaming):
        self.told += ("renamed",)
        if self.fails:
            raise ZeroDivisionError

    def rebuilt(self, model, saved):
        self.given = saved

    def saved(self):
        return known_bytes(repr(self.told).encode())


class Now:
    def __init__(self, now):
        self.now = now


def changes(number, level=None):
    noted = np.array([(number, 0, NONE, 1)], np.int32)
    entries = () if level is None else (Entry(level, level, level, noted[:, :3], noted[:0, :3]),)
    return Changes(noted, entries)


def attached(**consumers):
    all_ = Consumers()
    for name, each in consumers.items():
        all_.attach(name, each, MODEL)
    return all_


def test_a_name_is_given_once():
    one, other = Noting(), Noting()
    consumers = attached(name=one)
    with pytest.raises(OptionError):
        consumers.attach("name", other, MODEL)
    assert list(consumers) == [one] and other.given == "nothing"
    assert consumers.bytes_used == 10 and not attached() and attached().bytes_used == 0


def test_levels_are_wanted_as_long_as_one_consumer_wants_them():
    wanting = Noting()
    wanting.needs_levels = True
    consumers = attached(one=Noting(), other=wanting)
    assert consumers.needs_levels
    wanting.needs_levels = False
    consumers.refresh()
    assert not consumers.needs_levels


def test_the_first_of_what_is_due_comes_first_and_only_to_whom_it_is_due():
    one, other = Noting(3, 9), Noting(5, 9)
    consumers = attached(one=one, other=other)
    assert [consumers.due(after, 9) for after in (0, 3, 5, 9)] == [3, 5, 9, None]
    for after, now in ((0, 3), (3, 5), (5, 9)):
        consumers.before(after, Now(now), MODEL)
    assert (one.told, other.told) == ((3, 9), (5, 9))


def test_what_waits_is_told_together_once():
    one = Noting()
    consumers = attached(one=one)
    told = consumers.deliver(NOTHING_PENDING.with_step(changes(1), None).with_step(changes(2), None), MODEL)
    assert one.told == ([1, 2],) and told.waiting == ()
    assert consumers.deliver(told, MODEL) == told and one.told == ([1, 2],)
    assert told.with_step(Changes(changes(1).fact_changes[:0]), None) is told, "nothing is no step"
    assert told.with_step(Changes(changes(1).fact_changes[:0]), Now(1)).waiting, "time has gone on"


def test_who_follows_steps_is_told_of_each_at_once_and_the_others_of_all_together():
    step, block = Noting(), Noting()
    step.receives_each_step = True
    consumers = attached(block=block, step=step)
    told = NOTHING_PENDING
    for number in (1, 2):
        told = consumers.deliver_steps(told.with_step(changes(number), None), MODEL)
    assert step.told == ([1], [2]) and block.told == ()
    assert consumers.deliver(told, MODEL) is NOTHING_PENDING
    assert step.told == ([1], [2]) and block.told == ([1, 2],)


def test_new_numbers_come_to_all_consumers_or_to_none():
    one, other = Noting(), Noting(fails=True)
    consumers = attached(one=one, other=other)
    with pytest.raises(ZeroDivisionError):
        consumers.renamed(None)
    assert (one.told, other.told) == ((), ())
    other.fails = False
    consumers.renamed(None)
    assert one.told == other.told == ("renamed",)


def test_what_a_checkpoint_had_is_given_to_the_consumer_of_that_name_and_kept_until_then():
    consumers = Consumers()
    consumers.restored({"one": b"1", "other": b"2"})
    one = Noting()
    consumers.attach("one", one, MODEL)
    assert one.given == b"1"
    assert {name: make(iter) for name, make in consumers.saved().items()} == {"one": b"()", "other": b"2"}


def facts(*numbers):
    return np.array([(number, 0, NONE) for number in numbers], np.int32).reshape(-1, 3)


def noted(*signed):
    """Facts that came, and with a minus in front those that went; none has the number 0."""
    return np.array([(abs(n), 0, NONE, np.sign(n)) for n in signed], np.int32).reshape(-1, 4)


def entry(level, asserted, cut=()):
    return Entry(level, level, level, facts(*asserted), facts(*cut))


def signs(changes):
    return {fact: sign for fact, _, _, sign in net_changes(changes.fact_changes).tolist()}


@pytest.mark.parametrize(
    "changes",
    [
        Changes(noted(1)),
        Changes(noted(), (entry(1, []),)),
        Changes(noted(), dropped=(entry(1, []),)),
        Changes(noted(), levels=LevelChanges(facts(1), np.array([1]), np.array([2]))),
    ],
)
def test_changes_are_empty_when_all_their_parts_are(changes):
    assert not changes.is_empty
    assert Changes(noted()).is_empty


def test_steps_told_together_have_an_abox_in_parts_once_as_it_was_last():
    steps = [
        Changes(noted(1), (entry(7, [1]),), (entry(3, []),)),
        Changes(noted(-1, 2), (entry(7, [1, 2]),), (entry(4, []),)),
        Changes(noted(1), (entry(8, [1]),)),
    ]
    together = Changes.together(steps)
    assert signs(together) == {1: 1, 2: 1}
    assert [(each.level, len(each.facts)) for each in together.entries] == [(7, 2), (8, 1)]
    assert [each.level for each in together.dropped] == [3, 4]


def test_levels_are_known_of_steps_together_only_where_each_of_them_noted_them():
    levels = LevelChanges(facts(1), np.array([NONE]), np.array([2]))
    with_levels, without = Changes(noted(1), levels=levels), Changes(noted(2))
    assert Changes.together([with_levels, without]).levels is None
    assert Changes.together([with_levels, with_levels]).levels is not None


def test_a_model_as_a_whole_comes_or_goes_with_its_levels():
    program = compile_([])
    model = WindowModel(program, "newest", Vocabulary(program))
    model.record_levels()
    model.add(facts(1, 2), 4)
    came, went = (Changes.of_all(model, sign) for sign in (1, -1))
    assert signs(came) == {1: 1, 2: 1} and signs(went) == {1: -1, 2: -1}
    assert came.levels.old.tolist() == went.levels.new.tolist() == [NONE, NONE]
    assert came.levels.new.tolist() == went.levels.old.tolist() == [4, 4]
