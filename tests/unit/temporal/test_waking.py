"""Of many things those are asked that are due."""

from pantarhei.temporal.waking import Waking


class Sleeper:
    def __init__(self, due=None):
        self.due, self.asked = due, 0

    def next_due(self):
        self.asked += 1
        return self.due


def test_the_next_tick_is_the_first_at_which_any_is_due():
    assert Waking([Sleeper(), Sleeper(7), Sleeper(5)]).next_due() == 5
    assert Waking([Sleeper()]).next_due() is None


def test_those_that_are_due_are_told_once_until_they_are_looked_at():
    things = [Sleeper(4), Sleeper(9), Sleeper(3)]
    waking = Waking(things)
    assert waking.due(2) == [] and waking.due(4) == [0, 2] and waking.due(4) == []
    things[0].due = 6
    waking.look_at(0)
    assert waking.next_due() == 6


def test_what_is_due_at_another_tick_or_never_is_told_by_its_last_word():
    thing = Sleeper(4)
    waking = Waking([thing])
    for due in (8, None, 6):
        thing.due = due
        waking.look_at(0)
    assert waking.due(5) == [] and waking.due(6) == [0]


def test_what_is_not_due_is_not_asked():
    things = [Sleeper(1), *(Sleeper(100) for _ in range(1_000))]
    waking = Waking(things)
    for tick in range(1, 50):
        assert waking.due(tick) == [0]
        things[0].due = tick + 1
        waking.look_at(0)
    assert {thing.asked for thing in things[1:]} == {1}
