"""Streams: which are asked for, and their elements one after another."""

import pytest
from rdflib import URIRef

from pantarhei.continuous.elements import chosen, in_order
from pantarhei.errors import MissingFileError, OptionError, TimestampError

S, T = URIRef("urn:s"), URIRef("urn:t")


def test_the_streams_that_are_asked_for_are_chosen():
    streams = {"urn:s": [(1, [])], T: [(2, [])]}
    assert chosen(streams, [T]) == {T: [(2, [])]}
    with pytest.raises(OptionError, match="<urn:u>"):
        chosen(streams, [S, URIRef("urn:u")])


def test_elements_come_by_their_time_and_of_one_time_in_the_order_of_the_streams():
    elements = in_order({S: [(1, "a"), (3, "b"), (3.5, "c")], T: [(1, "d"), (2.5, "e"), (3, "f")]})
    assert [(at, abox) for at, _, abox in elements] == [
        (1, "a"),
        (1, "d"),
        (2.5, "e"),
        (3, "b"),
        (3, "f"),
        (3.5, "c"),
    ]


@pytest.mark.parametrize("stream", ["missing.nq", 7])
def test_a_stream_that_is_none_is_refused_at_once(stream):
    with pytest.raises((OptionError, MissingFileError)):
        in_order({S: stream})


def test_an_item_that_is_no_pair_is_refused_when_it_comes():
    elements = in_order({S: [(1, []), 2]})
    next(elements)
    with pytest.raises(TimestampError):
        next(elements)
