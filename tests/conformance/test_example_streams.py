"""The streams of the examples are what their generators write."""

import runpy
from pathlib import Path

import pytest

REACTOR = Path(__file__).parents[2] / "examples" / "reactor"


@pytest.mark.parametrize(("story", "name"), [("probes", "stream.trig"), ("shift", "shift.trig")])
def test_the_reactors_streams_come_out_again(story, name):
    stories = runpy.run_path(str(REACTOR / "generate.py"))["STORIES"]
    assert stories[story].trig(7) == (REACTOR / name).read_text(encoding="utf-8")
    assert stories[story].trig(8) != stories[story].trig(7)
