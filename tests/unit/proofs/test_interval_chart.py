"""Charts of facts over time."""

from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from pantarhei.proofs.interval_chart import CONCLUDED, KEPT, REMOVED, ChartRow, ChartSection, chart_svg
from svg_checks import HOSTILE, SVG, assert_apart

START = datetime(2026, 3, 2, 7, tzinfo=UTC)
OPEN = ChartRow("x is open", REMOVED, (1, 2))
SHUT = ChartRow("x is shut", KEPT, (3,))


def drawn(*sections, **more):
    return ElementTree.fromstring(chart_svg("Repair at 3", sections, **more))


def texts(root):
    return [text.text for text in root.iter(f"{SVG}text")]


def test_removed_facts_are_crosses_linked_to_what_contradicts_them():
    root = drawn(ChartSection("nothing is both", (OPEN, SHUT), is_linked=True))
    crosses, dots = (list(root.iter(f"{SVG}{name}")) for name in ("path", "circle"))
    assert [cross[0].text for cross in crosses] == ["1", "2"] and [dot[0].text for dot in dots] == ["3"]
    (link,) = (line for line in root.iter(f"{SVG}line") if line.get("stroke") == REMOVED)
    assert link.get("x2") == dots[0].get("cx")
    assert texts(root) == [
        *("1", "2", "3"),
        *("Repair at 3", "nothing is both", "✗", "x is open", "●", "x is shut"),
    ]


def test_intervals_are_bars_and_open_ones_reach_the_end():
    row = ChartRow("x is hot", CONCLUDED, (), ((START, START + timedelta(minutes=2)), (START, None)))
    root = drawn(ChartSection("hot", (row,)), further_times=[START + timedelta(minutes=10)])
    closed, open_ = (bar for bar in root.iter(f"{SVG}rect") if bar.get("fill") == CONCLUDED)
    assert (closed[0].text, open_[0].text) == ("from 07:00 to 07:02", "from 07:00")
    assert float(open_.get("width")) > 4.5 * float(closed.get("width"))


def test_many_sections_and_rows_are_counted():
    rows = tuple(ChartRow(f"x{n}", KEPT, (n,)) for n in range(40))
    assert "and 28 more" in texts(drawn(ChartSection("many", rows)))
    assert "and 5 more" in texts(drawn(*[ChartSection("one", (OPEN,))] * 35))


@st.composite
def sections(draw):
    unit = draw(st.sampled_from([timedelta(milliseconds=1), timedelta(seconds=1), timedelta(days=1), 1, 0.1]))
    start = START if isinstance(unit, timedelta) else 0
    offsets = st.integers(0, 300)
    found = []
    for _ in range(draw(st.integers(1, 4))):
        rows = []
        for _ in range(draw(st.integers(1, 5))):
            times = tuple(start + unit * n for n in draw(st.lists(offsets, max_size=30)))
            ends = draw(st.lists(st.tuples(offsets, offsets), max_size=4))
            spans = tuple((start + unit * min(pair), start + unit * max(pair)) for pair in ends)
            rows.append(ChartRow(draw(HOSTILE), draw(st.sampled_from([KEPT, REMOVED])), times, spans))
        found.append(ChartSection(draw(HOSTILE), tuple(rows), draw(st.booleans())))
    return found, start


@given(sections(), HOSTILE)
@settings(max_examples=60, deadline=None)
def test_texts_and_dots_do_not_overlap(given_sections, title):
    found, start = given_sections
    assert_apart(chart_svg(title, found, [start]))
