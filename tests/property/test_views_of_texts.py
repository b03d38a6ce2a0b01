"""Texts with several windows over one stream: what they report over views of one model is what evaluating
their windows anew does, at every step.
"""

import pytest

from counts import seeds
from pantarhei.continuous import build
from pantarhei.errors import InconsistentOntologyError
from stream_texts import Case, told


def compared(seed, count, monkeypatch):
    """How many steps were compared of a random case: 0 where it is evaluated anew in any case."""
    case = Case(seed)
    try:
        views = case.made()._driven
    except InconsistentOntologyError:
        return 0
    if views.plan().startswith("Re-evaluated"):
        return 0
    with monkeypatch.context() as patched:
        patched.setattr(build, "views_of", lambda asked: "it is to be compared")
        anew = case.made()._driven
    steps = 0
    looks = anew._spec.policy.closes or anew._spec.policy.tick == "timestamp"
    for tick, abox in case.steps(count):
        at = case.time(tick)
        if abox is None and (steps == 0 or not looks):
            continue  # streams begin with something, and what looks after ABoxes only does not look then
        expected, found = told(anew, at, abox), told(views, at, abox)
        assert found == expected, f"{seed}: {case.text}\n{case.alignment} at {at}"
        assert views.rows() == anew.rows(), f"{seed}: {case.text}\n{case.alignment} at {at}"
        steps += 1
        if case.random.random() < 0.2:
            case.shake(views._reasoner, tick)
    return steps


@pytest.mark.parametrize("seed", seeds(20, 120, long=4_000))
def test_texts_report_over_views_what_they_do_when_they_are_evaluated_anew(seed, monkeypatch):
    compared(seed, 14, monkeypatch)
