"""The time of a graph, in its name or stated of it."""

import pytest

from pantarhei.errors import OptionError, TimestampError
from pantarhei.io.graph_times import GraphTimes, time_in_name, time_properties


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("urn:at:7", 7),
        ("http://x.org/-2.5", -2.5),
        ("http://x.org/g?t=3", 3),
        ("http://x.org/room12", None),
        ("http://x.org/7/readings", None),
    ],
)
def test_a_time_is_the_whole_last_part_of_a_name(name, at):
    assert time_in_name(name) == at


def test_a_time_without_a_zone_is_an_error_with_advice():
    with pytest.raises(TimestampError, match="add the zone"):
        time_in_name("urn:at:2026-01-31T10:00:00")


@pytest.mark.parametrize("time", ["prov", "", 7, "urn: x"])
def test_the_option_is_a_word_or_a_whole_iri(time):
    assert time_properties("urn:x") == {"urn:x"} and not time_properties("graph")
    with pytest.raises(OptionError):
        time_properties(time)


def test_a_graph_has_one_time_however_it_is_written_also_when_it_has_been_used():
    times = GraphTimes()
    times.state("g", "1")
    times.state("g", "1.0")
    times.use("g", times.get("g"))
    assert times.get("g") == 1 and not times.unused()
    with pytest.raises(TimestampError, match="already"):
        times.state("g", "2")


def test_only_so_many_times_are_remembered(monkeypatch):
    monkeypatch.setattr(GraphTimes, "REMEMBERED", 2)
    times = GraphTimes()
    for number in range(4):
        times.use(number, number)
    assert [times.get(number) for number in range(4)] == [None, None, 2, 3]
