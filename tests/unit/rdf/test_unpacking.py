"""Compressed files come unpacked, the rest as it is."""

from __future__ import annotations

import gzip
import io

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantarhei.errors import MalformedInputError
from pantarhei.rdf.unpacking import Unpacking, without_packing

TEXT = b"<urn:a> <urn:b> <urn:c> .\n" * 1000


def zstd(text):
    return pa.compress(text, codec="zstd", asbytes=True)


def read(file, size=1 << 16):
    unpacking = Unpacking(file, "a.nq")
    return list(iter(lambda: unpacking.read(size), b""))


@pytest.mark.parametrize("pack", [gzip.compress, zstd, bytes])
@pytest.mark.parametrize("size", [1, 100, 1 << 20])
def test_it_is_read_in_pieces_of_at_most_a_size(pack, size):
    pieces = read(io.BytesIO(pack(TEXT)), size)
    assert b"".join(pieces) == TEXT
    assert max(map(len, pieces)) <= size


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_several_that_were_put_together_are_one(pack):
    assert b"".join(read(io.BytesIO(pack(TEXT) + pack(b"more")))) == TEXT + b"more"


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_one_that_was_cut_off_is_an_error(pack):
    with pytest.raises(MalformedInputError, match=r"a\.nq: it cannot be unpacked"):
        read(io.BytesIO(pack(TEXT)[:-3]))


def test_what_is_not_compressed_comes_as_it_arrives():
    class Pipe:
        def __init__(self):
            self.pieces = [b"<", b"urn", b":a>"]

        def read1(self, size):
            return self.pieces.pop(0) if self.pieces else b""

    assert read(Pipe()) == [b"<", b"urn", b":a>"]


def test_text_files_are_read_as_they_are():
    assert Unpacking(io.StringIO("belt"), "a.nq").read(2) == "be"


@given(st.binary(max_size=50), st.sampled_from([b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b""]))
def test_any_bytes_are_given_or_a_typed_error(data, mark):
    try:
        unpacked = b"".join(read(io.BytesIO(mark + data)))
    except MalformedInputError:
        return
    assert unpacked == data or mark


@pytest.mark.parametrize(
    ("name", "bare"), [("a.nq.gz", "a.nq"), ("A.TTL.ZST", "A.TTL"), ("a.trig", "a.trig")]
)
def test_a_name_without_its_packing_tells_the_syntax(name, bare):
    assert without_packing(name) == bare
