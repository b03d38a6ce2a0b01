"""N-Quads: plain lines by column, others parsed, all in their order."""

import io

import pytest

from pantarhei.errors import MalformedInputError
from pantarhei.io import nquads
from pantarhei.io.nquads import QuadsReader
from pantarhei.rdf.plain_quads import PlainRun
from pantarhei.rdf.statements import ByteFeed, Statement

PLAIN = "<urn:a> <urn:b> <urn:c> <urn:at:1> ."


def read(*lines, skip=None):
    feed = ByteFeed(io.BytesIO("".join(f"{line}\n" for line in lines).encode()))
    return list(QuadsReader("a.nq", "auto", skip).read(feed))


def test_few_lines_are_parsed():
    assert [found.line for found in read(PLAIN, PLAIN) if isinstance(found, Statement)] == [1, 2]


def test_of_many_the_plain_ones_are_runs_and_an_odd_one_is_parsed_where_it_stands(monkeypatch):
    monkeypatch.setattr(nquads, "FEWEST_BYTES", 1)
    monkeypatch.setattr(nquads, "canonical_lines", lambda text: None)
    first, odd, second = read(PLAIN, PLAIN, f"{PLAIN} # odd", PLAIN)
    assert isinstance(first, PlainRun) and isinstance(second, PlainRun) and isinstance(odd, Statement)
    assert [first.line, odd.line, second.line] == [1, 3, 4]


@pytest.mark.parametrize("fewest", [1, 1 << 13])
def test_a_malformed_line_is_named_or_left_out(monkeypatch, fewest):
    monkeypatch.setattr(nquads, "FEWEST_BYTES", fewest)
    with pytest.raises(MalformedInputError, match="line 2"):
        read(PLAIN, "oops", PLAIN)
    skipped = []
    read(PLAIN, "oops", PLAIN, skip=lambda line, *_: skipped.append(line))
    assert skipped == [2]
