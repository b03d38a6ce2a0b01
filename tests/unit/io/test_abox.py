"""Streams made in Python."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from rdflib import RDF, Graph, Literal, Namespace

from pantarhei.errors import InvalidTripleError, OptionError, TimestampError
from pantarhei.io import TimestampedABox, abox_stream

EX = Namespace("http://example.org/")
STOPPED = (EX.belt, RDF.type, EX.Stopped)
FAST = (EX.belt, EX.speed, Literal(5))


def test_graphs_and_iterables_are_aboxes():
    graph = Graph().add(STOPPED)
    assert list(abox_stream([(1, graph), (2, iter([FAST])), (3, [])])) == [
        TimestampedABox(1, (STOPPED,)),
        TimestampedABox(2, (FAST,)),
        TimestampedABox(3, ()),
    ]


def test_neighbours_with_the_same_timestamp_are_one_abox():
    assert list(abox_stream([(1, [STOPPED]), (1, [FAST]), (0, []), (1, [FAST])])) == [
        TimestampedABox(1, (STOPPED, FAST)),
        TimestampedABox(0, ()),
        TimestampedABox(1, (FAST,)),
    ]


def test_it_is_lazy():
    def endless():
        at = 0
        while True:
            yield at, [FAST]
            at += 1

    stream = abox_stream(endless())
    assert [next(stream).at for _ in range(3)] == [0, 1, 2]


@pytest.mark.parametrize("wrong", [(EX.belt, EX.speed), ("belt", EX.speed, EX.x), (Literal(1), EX.p, EX.x)])
def test_what_is_not_a_triple_is_refused(wrong):
    with pytest.raises(InvalidTripleError):
        list(abox_stream([(1, [wrong])]))


def test_timestamps_become_pythons_own():
    (first, second) = abox_stream([(np.float32(0.1), [STOPPED]), (0.1, [FAST])])
    assert (type(first.at), type(second.at)) == (float, float)
    assert first.at != second.at, "0.1 of 32 bits is another number"


@pytest.mark.parametrize(
    "times",
    [(1, 1.5), (1, datetime(2026, 1, 1, tzinfo=UTC)), (datetime(2026, 1, 1),), (1, 10**400), (1.5, 10**10)],
)
def test_a_timestamp_of_another_kind_is_refused(times):
    with pytest.raises(TimestampError):
        list(abox_stream((at, []) for at in times))


@pytest.mark.parametrize("abox", [7, None, b"sensors.ttl"])
def test_what_is_no_abox_is_refused(abox):
    with pytest.raises(InvalidTripleError, match=r"an ABox is an rdflib\.Graph"):
        list(abox_stream([(1, abox)]))


def test_what_is_no_stream_is_refused_at_once():
    with pytest.raises(OptionError, match=r"stream=.* pairs of a timestamp and an ABox"):
        abox_stream("stream.nq")
