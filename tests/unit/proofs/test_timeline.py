"""Pictures of a stream."""

import itertools
from datetime import UTC, datetime, timedelta, timezone
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from pantarhei.proofs.svg import RED
from pantarhei.proofs.timeline import Contradicted, DrawnStep, timeline_svg
from svg_checks import HOSTILE, SVG, assert_apart

CUT = Contradicted("x is open", (1, 2), (("x is shut", 3),), "nothing is both an open and a shut")
START = datetime(2026, 3, 2, 7, 0, 7, tzinfo=UTC)
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
        *("svg", "title", "style", "rect", "text", "line", "circle")
    }


UNITS = {
    "microseconds": (START, timedelta(microseconds=1)),
    "milliseconds": (START, timedelta(milliseconds=1)),
    "seconds": (START, timedelta(seconds=1)),
    "days": (START, timedelta(days=1)),
    "a zone": (START.astimezone(timezone(timedelta(hours=5, minutes=45))), timedelta(minutes=7)),
    "integers": (0, 1),
    "large integers": (1_700_000_000_000_000_000, 1),
    "floats": (0.5, 0.1),
}


@st.composite
def steps_of_streams(draw):
    start, unit = UNITS[draw(st.sampled_from(sorted(UNITS)))]
    gaps = draw(st.lists(st.sampled_from([1, 2, 3, 40, 2_000]), min_size=1, max_size=20))
    many = draw(st.sampled_from([1, 1, 1, 50]))  # up to a thousand timestamps
    times = [start + unit * offset for offset in itertools.accumulate(gaps * many)]
    width, rows = draw(st.integers(1, 1000)), draw(st.integers(1, 6))
    steps = []
    for at in times[-rows:]:
        kept = {time: draw(st.integers(0, 3)) for time in times[-width:] if time <= at}
        found = tuple(
            Contradicted(
                draw(HOSTILE),
                tuple(draw(st.lists(st.sampled_from(list(kept)), min_size=1, max_size=8))),
                tuple((draw(HOSTILE), time) for time in list(kept)[:2]),
                draw(HOSTILE),
                draw(st.booleans()),
            )
            for _ in range(draw(st.integers(0, 5)))
            if kept
        )
        steps.append(DrawnStep(at, min(kept, default=at), at, kept, found))
    return steps


@given(steps_of_streams())
@settings(max_examples=60, deadline=None)
def test_texts_and_dots_do_not_overlap(steps):
    assert_apart(timeline_svg(steps, earlier=3))


def test_close_timestamps_are_one_dot_with_their_number():
    close = {START + timedelta(milliseconds=place): 1 for place in (0, 1, 2, 900)}
    root = ElementTree.fromstring(timeline_svg([DrawnStep(max(close), START, max(close), close)]))
    assert [dot[0].text for dot in root.iter(f"{SVG}circle")] == [
        "3 timestamps from 07:00:07.000 to 07:00:07.002: 3 assertions kept",
        "07:00:07.900: 1 assertion kept",
    ]
    shown = [text.text for text in root.iter(f"{SVG}text")]
    assert "3" in shown and "above a dot: the number of timestamps too close to be drawn apart" in shown


def test_a_cut_note_has_its_full_text_as_title():
    fact = "the sensor at the door of the first room " * 12
    svg = timeline_svg([DrawnStep(1, 0, 1, {1: 1}, (Contradicted(fact, (1,)),))])
    texts = ElementTree.fromstring(svg).iter(f"{SVG}text")
    notes = [text for text in texts if text.get("fill") == RED and text.text != "✗1"]
    assert notes[0].text.startswith("✗ the sensor") and notes[1].text.endswith("…")
    assert notes[1][0].text == f"✗ {fact} (1)"


def test_equal_steps_give_equal_pictures():
    assert timeline_svg(STEPS) == timeline_svg([*STEPS])
