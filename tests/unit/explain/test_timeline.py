"""Pictures of a stream."""

import itertools
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest

from pantarhei.explain.timeline import Contradicted, DrawnStep, TimeAxis, timeline_svg

SVG = "{http://www.w3.org/2000/svg}"
CUT = Contradicted("x is open", (1, 2), (("x is shut", 3),), "nothing is both an open and a shut")
STEPS = [
    DrawnStep(1, -1, 1, {1: 4}),
    DrawnStep(2, 0, 2, {1: 4, 2: 1}),
    DrawnStep(3, 1, 3, {1: 3, 2: 0, 3: 1}, (CUT,)),
]


def texts(steps, **more):
    return [text.text for text in ElementTree.fromstring(timeline_svg(steps, **more)).iter(f"{SVG}text")]


def test_each_step_has_its_window_and_its_partitions():
    root = ElementTree.fromstring(timeline_svg(STEPS))
    dots = [(float(dot.get("cx")), float(dot.get("r")), dot.get("fill")) for dot in root.iter(f"{SVG}circle")]
    first, second, third = sorted({x for x, _, _ in dots})
    assert [x for x, _, _ in dots] == [first, first, second, first, second, third]
    assert dots[0][1] == 6.5 > dots[2][1]
    assert dots[4][2] == "#ffffff"  # nothing of it is kept
    bars = [line for line in root.iter(f"{SVG}line") if line.get("stroke-width") == "2"]
    assert max(float(bar.get("x2")) for bar in bars) == third
    assert min(float(bar.get("x1")) for bar in bars) == first  # what is before the first time is not drawn


def test_what_was_removed_is_told_with_what_contradicts_it():
    shown = texts(STEPS)
    assert "✗ x is open (1, 2)" in shown
    assert "against x is shut (3): nothing is both an open and a shut" in shown
    assert shown.count("✗1") == 2
    root = ElementTree.fromstring(timeline_svg(STEPS))
    assert len(list(root.iter(f"{SVG}path"))) == 2


def test_what_is_only_found_is_marked_otherwise():
    found = Contradicted("x is open", (1,), (), "nothing is open", is_cut=False)
    shown = texts([DrawnStep(1, 0, 1, {1: 1}, (found,))])
    assert "! x is open (1)" in shown and "against the background: nothing is open" in shown
    assert not [text for text in shown if text.startswith("✗") and text != "✗"]


def test_of_many_removals_the_first_are_told():
    many = tuple(Contradicted(f"x{n} is open", (1,)) for n in range(10))
    shown = texts([DrawnStep(1, 0, 1, {1: 1}, many)])
    assert "✗ x2 is open (1)" in shown and "✗ x3 is open (1)" not in shown
    assert "and 7 more" in shown and "✗10" in shown


def test_steps_that_are_not_drawn_are_counted():
    assert "12 earlier steps not drawn" in texts(STEPS, earlier=12)


def test_texts_are_escaped():
    evil = Contradicted("</text><script>", (1,), (("]]>", 1),), "<!--")
    root = ElementTree.fromstring(timeline_svg([DrawnStep(1, 0, 1, {1: 1}, (evil,))]))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        *("svg", "title", "rect", "text", "line", "circle")
    }


DAY = datetime(2026, 3, 2, 7, 0, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("length", "between", "marks"),
    [
        (timedelta(minutes=10), timedelta(minutes=1), 10),
        (timedelta(minutes=2), timedelta(seconds=30), 4),
        (timedelta(days=40), timedelta(days=4), 10),
        (timedelta(milliseconds=4), timedelta(milliseconds=1), 5),
    ],
)
def test_marks_are_round_times(length, between, marks):
    found = [at for at, _ in TimeAxis.over([DAY, DAY + length], 0, 100).marks()]
    assert len(found) == marks
    assert {later - earlier for earlier, later in itertools.pairwise(found)} == {between}
    midnight = datetime(1970, 1, 1, tzinfo=UTC)
    assert all((at - midnight) % between == timedelta() for at in found)


@pytest.mark.parametrize(
    ("last", "marks"), [(4, [0, 1, 2, 3, 4]), (35, [0, 5, 10, 15, 20, 25, 30, 35]), (0, [0])]
)
def test_numbers_are_marked_by_ones_twos_and_fives(last, marks):
    assert [at for at, _ in TimeAxis.over([0, last], 0, 100).marks()] == marks


def test_floats_and_integers_stand_on_one_axis():
    axis = TimeAxis.over([0, 0.5, 2], 10, 30)
    assert [axis.x(at) for at in (0, 0.5, 1, 2, 4)] == [10, 15, 20, 30, 50]


def test_a_single_time_stands_in_the_middle():
    assert TimeAxis.over([DAY], 0, 100).x(DAY) == 50
