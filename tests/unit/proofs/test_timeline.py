"""Pictures of a stream."""

import itertools
from datetime import UTC, datetime, timedelta, timezone
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from pantarhei.proofs.svg import AMBER, RED
from pantarhei.proofs.timeline import DrawnStep, timeline_svg
from svg_checks import HOSTILE, SVG, assert_apart

CUT = {1: 1, 2: 1}, ("at 3 removed: x is open (at 1, 2), contradicted by x is shut",), ((1, 3), (2, 3))
START = datetime(2026, 3, 2, 7, 0, 7, tzinfo=UTC)
STEPS = [
    DrawnStep(1, -1, 1, {1: 4}),
    DrawnStep(2, 0, 2, {1: 4, 2: 1}),
    DrawnStep(3, 1, 3, {1: 3, 2: 0, 3: 1}, *CUT),
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
    assert "at 3 removed: x is open (at 1, 2), contradicted by x is shut" in shown
    assert shown.count("✗1") == 2
    root = ElementTree.fromstring(timeline_svg(STEPS))
    assert len(list(root.iter(f"{SVG}path"))) == 2


def test_conflicts_that_are_not_repaired_have_another_colour():
    step = DrawnStep(2, 0, 2, {1: 1, 2: 1}, {}, ("x is open (at 1) contradicts x is shut (at 2)",), ((1, 2),))
    root = ElementTree.fromstring(timeline_svg([step]))
    (note,) = (text for text in root.iter(f"{SVG}text") if (text.text or "").startswith("x is open"))
    (link,) = root.iter(f"{SVG}path")
    assert note.get("fill") == link.get("stroke") == AMBER
    assert [text.text for text in root.iter(f"{SVG}text") if (text.text or "").startswith("✗")] == ["✗"]


def test_of_many_removals_the_first_are_shown():
    many = tuple(f"at 1 removed: x{n} is open (at 1)" for n in range(10))
    shown = texts([DrawnStep(1, 0, 1, {1: 1}, {1: 10}, many)])
    assert many[2] in shown and many[3] not in shown
    assert "and 7 more" in shown and "✗10" in shown


def test_steps_that_are_not_drawn_are_counted():
    assert "12 earlier steps not drawn" in texts(STEPS, earlier=12)


def test_texts_are_escaped():
    evil = ("</text><script>", "]]>", "<!--")
    root = ElementTree.fromstring(timeline_svg([DrawnStep(1, 0, 1, {1: 1}, {1: 1}, evil)]))
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
        present = st.sampled_from(list(kept) or [at])
        cut = draw(st.dictionaries(present, st.integers(1, 5_000), max_size=8))
        links = draw(st.lists(st.tuples(present, present), max_size=4))
        notes = draw(st.lists(HOSTILE, max_size=5))
        steps.append(DrawnStep(at, min(kept, default=at), at, kept, cut, tuple(notes), tuple(links)))
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
    note = f"at 1 removed: {'the sensor at the door of the first room ' * 12}"
    texts = ElementTree.fromstring(timeline_svg([DrawnStep(1, 0, 1, {1: 1}, {1: 1}, (note,))])).iter(
        f"{SVG}text"
    )
    lines = [text for text in texts if text.get("fill") == RED and not text.text.startswith("✗")]
    assert lines[0].text.startswith("at 1 removed: the sensor") and lines[1].text.endswith("…")
    assert lines[0][0].text == lines[1][0].text == note


def test_equal_steps_give_equal_pictures():
    assert timeline_svg(STEPS) == timeline_svg([*STEPS])
