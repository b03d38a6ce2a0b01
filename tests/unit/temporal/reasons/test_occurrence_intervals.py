"""At which ticks something was so: by what was said, and by what rules conclude."""

import pytest

from pantarhei.proofs.step import EvidenceBasis
from pantarhei.temporal.reasons.occurrence_intervals import TickRun
from proof_contexts import EX, proof_context, reasoner_after

ALARM = "alarm(X) :- :Hot(X), not :Cold(X) always in [9]."


class Asked:
    """What is asked of the occasions after some ticks, with names for numbers."""

    def __init__(self, text, *pushed, **options):
        self.testimony = proof_context(reasoner_after(text, *pushed, **options))
        self.occasions = self.testimony._intervals()

    def pattern(self, terms):
        return tuple(None if term is None else self.testimony.vocabulary.number(EX[term]) for term in terms)

    def named(self, found):
        term = self.testimony.vocabulary.term
        return {" ".join(term(n).rpartition("/")[2] for n in key): value for key, value in found.items()}

    def said(self, name, *terms, is_asserted=False):
        found = self.named(self.occasions.input_runs(EX[name], self.pattern(terms), is_asserted))
        return {key: [(run.first, run.last, run.basis.value) for run in runs] for key, runs in found.items()}

    def concluded(self, name, *terms):
        return self.named(self.occasions.concluded(EX[name], self.pattern(terms)))


# range = 1     at:   0   1   2   3   4
# Hot(v)              x       x           held from 0 to 3
# Hot(w)                          x       held from 3 on
def test_a_state_was_so_from_when_it_came_to_when_it_went_and_until_now():
    asked = Asked(ALARM, "Hot", "", "Hot", "Hot(w)", "", range=1)
    assert asked.said("Hot", None) == {"v": [(0, 3, "held")], "w": [(3, 4, "held")]}
    assert asked.said("Hot", "w") == {"w": [(3, 4, "held")]}
    assert asked.said("Hot", "u") == asked.said("Cold", None) == asked.said("Unknown", None) == {}


def test_an_event_was_so_at_each_tick_at_which_it_was_asserted_runs_together():
    asked = Asked("alarm(X) :- asserted :Hot(X) in [9].", "Hot", "Hot", "", "Hot", range=1)
    assert asked.said("Hot", None, is_asserted=True) == {"v": [(0, 1, "asserted"), (3, 3, "asserted")]}


def test_what_is_remembered_was_so_until_the_tick_before():
    text = "remember alarm. alarm(X) :- asserted :Hot(X). late(X) :- alarm(X) in [9]."
    asked = Asked(text, "Hot", "", "Hot", "Hot")
    assert asked.said("alarm", None) == {"v": [(0, 0, "concluded"), (2, 2, "concluded")]}
    assert asked.concluded("alarm", None) == {"v": [3]}


def test_where_the_stream_says_too_what_is_remembered_each_tick_is_told_once():
    text = "remember alarm. alarm(X) :- asserted :Hot(X). late(X) :- alarm(X) always in [9]."
    asked = Asked(text, "Hot", "Hot alarm", "Hot", "")
    assert asked.said("alarm", None) == {"v": [(0, 2, "concluded")]}


@pytest.mark.parametrize(
    ("size", "first", "wanted"),
    [(1, 2, {}), (2, 1, {"v": [1]}), (3, 0, {"v": [0, 1]}), (9, -1, {"v": [0, 1]})],
)
def test_the_last_assertions_begin_at_a_tick(size, first, wanted):
    asked = Asked(f"near(X) :- :Hot(X) in [{size} #]. far(X) :- :Cold(X) in [1].", "Hot", "Hot", "Cold")
    begun, found = asked.occasions.among_last(size, EX.Hot, (None,))
    ticks = {
        key: [tick for run in runs for tick in run.newest(9)] for key, runs in asked.named(found).items()
    }
    assert (begun, ticks) == (first, wanted)


def test_what_has_two_or_more_arguments_is_found_by_any_of_them():
    text = "told(X, Y, X) :- :on(X, Y). near(Y, X) :- :on(X, Y)."
    asked = Asked(text, "on(v,w) on(u,w)")
    assert asked.said("on", None, "w") == {"v w": [(0, 0, "held")], "u w": [(0, 0, "held")]}
    assert asked.said("on", "u", None) == {"u w": [(0, 0, "held")]}
    assert asked.concluded("near", "w", None) == {"w v": [0], "w u": [0]}
    assert asked.concluded("told", None, "w", "u") == {"u w u": [0]}
    assert asked.concluded("told", None, None, "w") == asked.said("told", None, None, None) == {}


@pytest.mark.parametrize("terms", [(None,), (None, "w"), (None, "w", None)])
def test_what_heads_name_at_another_tick_has_that_tick(terms):
    arguments = ", ".join("XYX"[: len(terms)])
    text = f"alarm({arguments}) at T2 :- asserted :on(X, Y) at T in [5], T2 = T + 3."
    asked = Asked(text, "", "on(v,w)")
    found = dict(asked.occasions.dated(EX.alarm, asked.pattern(terms)))
    term = asked.testimony.vocabulary.term
    assert {key.split()[0]: int(term(time)) for key, time in asked.named(found).items()} == {"v": 4}
    nobody = asked.pattern((*terms[:-1], "nobody"))
    assert dict(asked.occasions.dated(EX.alarm, nobody)) == {}


#       2   3   4   5   6
# run       |=======|
def test_a_run_has_a_part_in_a_window():
    run = TickRun(3, 5, EvidenceBasis.HELD)
    assert run.within(4, 9) == TickRun(4, 5, EvidenceBasis.HELD) and run.within(0, 9) == run
    assert (run.length, run.within(6, 9).length, run.within(5, 5).length) == (3, 0, 1)
    assert list(run.newest(2)) == [4, 5] and list(run.newest(9)) == [3, 4, 5]
