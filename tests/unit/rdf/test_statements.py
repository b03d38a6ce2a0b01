"""Statements with their lines, and lines as they arrive."""

import io

import pytest

from pantarhei.errors import MalformedInputError
from pantarhei.rdf import statements
from pantarhei.rdf.statements import (
    ByteFeed,
    canonical_lines,
    line_blocks,
    lines_of_statements,
    parse_lines,
    read_trig,
)

GOOD = b"<urn:a> <urn:b> <urn:c> ."
LINES = [GOOD, b"oops", b'<urn:a> <urn:b> "unclosed .', GOOD, b"", GOOD]
TEXT = b"\n".join(LINES)
ONE, OTHER = b"<urn:a> <urn:p> <urn:b> .", b'_:c <urn:p> "# \\n" . # why'


class Pipe(io.BytesIO):
    """Gives a few bytes at a time, as a pipe does."""

    def read1(self, size=-1):
        return self.read(min(size, 7))


def test_each_statement_has_its_line_and_a_bad_line_spoils_no_other():
    skipped = []
    found = parse_lines(10, TEXT, "a.nq", lambda line, reason, text: skipped.append((line, text)))
    assert [line for line, _ in found] == [10, 13, 15]
    assert skipped == [(11, "oops"), (12, LINES[2].decode())]
    with pytest.raises(MalformedInputError, match="line 11"):
        list(parse_lines(10, TEXT, "a.nq", None))


@pytest.mark.parametrize("size", [1, 16, 1 << 16])
def test_blocks_are_whole_lines_with_the_number_of_the_first(size):
    blocks = list(line_blocks(ByteFeed(Pipe(TEXT)), "a.nq", size=size))
    assert b"".join(block for _, block in blocks) == TEXT
    assert all(block.endswith(b"\n") for _, block in blocks[:-1])
    line = 1
    for first, block in blocks:
        assert first == line
        line += block.count(b"\n")


def test_a_line_too_long_is_left_out_and_what_follows_is_read(monkeypatch):
    monkeypatch.setattr(statements, "LONGEST_LINE", 30)
    skipped = []
    feed = ByteFeed(Pipe(GOOD + b"\n" + b"x" * 100 + b"\n" + GOOD))
    blocks = list(line_blocks(feed, "a.nq", skip=lambda line, *_: skipped.append(line)))
    assert skipped == [2]
    assert (blocks[0][0], blocks[-1]) == (1, (3, GOOD))


def test_lines_are_written_anew_all_or_none():
    assert canonical_lines(b"<urn:a>   <urn:b>\t<urn:c>.\n") == GOOD + b"\n"
    assert canonical_lines(GOOD + b"\noops\n") is None


def test_an_error_in_trig_names_the_line():
    with pytest.raises(MalformedInputError) as raised:
        list(read_trig(ByteFeed(io.BytesIO(b"<urn:g> {\n<urn:a> <urn:b> <urn:c> .\n oops }")), "a.trig"))
    assert raised.value.line == 3


def test_empty_lines_and_comments_have_no_statement():
    lines = [b"# first", ONE, b"", b" \t# indented", b"  " + OTHER, b"\r", ONE + b"\r", b""]
    assert list(lines_of_statements(b"\n".join(lines))) == [2, 5, 7]


def test_lines_that_end_in_carriage_returns_alone_are_not_told():
    assert lines_of_statements(ONE + b"\r" + OTHER + b"\n") is None


def test_an_empty_document_has_no_lines():
    assert list(lines_of_statements(b"")) == []
    assert list(lines_of_statements(b"# nothing\n")) == []
