"""Times of a stream with datetimes are no numbers."""

from datetime import UTC, datetime

import pytest
from rdflib import Graph

import pantarhei as pr

PREFIXES = {"": "http://example.org/"}
HALF_MINUTES = pr.Window("PT1M", slide="PT30S")


def reasoner(text, window):
    rules = pr.load_rules(text, prefixes=PREFIXES)
    return pr.StreamReasoner(pr.load_ontology(Graph()), window, temporal=rules)


@pytest.mark.parametrize(
    ("condition", "further", "said"),
    [
        ("T > 5", 0, "T > 5 compares a number with the time T, and the stream has datetimes"),
        ("T2 = T + 60", 0, "T2 = T + 60 computes with the time T, and the stream has datetimes"),
        ("c(X) at T - 1 in [1 min]", 8, "computes with the time"),
        ("c(X) at 3 in [1 min]", 0, "c(X) at 3 in [1 min] names a number"),
    ],
)
def test_times_are_not_taken_for_numbers(condition, further, said):
    text = f"a(X) :- b(X) at T in [1 min], {condition}."
    with pytest.raises(pr.TemporalRuleError) as told:
        reasoner(text, HALF_MINUTES)
    assert said in str(told.value) and "windows for lengths of time" in told.value.expected
    assert told.value.column == text.index(condition) + 1 + further
    reasoner(text.replace("[1 min]", "[2]"), pr.Window(5))


@pytest.mark.parametrize(
    "condition",
    ["c(X) at T2 in [1 min], T2 > T", "c(X, N), N > 5", 'T > "2026-01-01T00:00:00Z"^^xsd:dateTime'],
)
def test_times_are_compared_with_each_other_and_numbers_too(condition):
    reasoner(f"a(X) :- b(X) at T in [1 min], {condition}.", HALF_MINUTES)


DATE = '"2026-01-01T00:00:00Z"^^xsd:dateTime'


@pytest.mark.parametrize(
    ("condition", "further", "said"),
    [
        (f"c(X) at {DATE} in [2]", 0, "names a datetime, and the stream has numbers"),
        (f"T < {DATE}", 0, "compares a datetime with the time T, and the stream has numbers"),
    ],
)
def test_nor_numbers_for_times(condition, further, said):
    text = f"a(X) :- b(X) at T in [2], {condition}."
    with pytest.raises(pr.TemporalRuleError) as told:
        reasoner(text, pr.Window(5))
    assert said in str(told.value) and told.value.column == text.index(condition) + 1 + further
    reasoner(text.replace("[2]", "[1 min]"), HALF_MINUTES)


def test_a_stream_tells_by_its_first_timestamp_that_it_has_datetimes():
    made = reasoner("a(X) :- b(X) at T in [0], T > 5.", pr.Window(0))
    with pytest.raises(pr.TemporalRuleError, match="compares a number with the time T"):
        made.push(datetime(2026, 1, 1, tzinfo=UTC), [])
    made.push(3, [])
