"""Compressed files come unpacked, the rest as it is."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pickle
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pantarhei as pr
from pantarhei.errors import CompressedInputError, MalformedInputError, MissingFileError
from pantarhei.rdf.decompression import (
    BYTE_ORDER_MARK,
    DecompressedFile,
    needs_more_bytes,
    plain_text,
    refuse_unreadable,
    without_compression,
)

TEXT = b"<urn:a> <urn:b> <urn:c> .\n" * 1000


def zstd(text):
    return pa.compress(text, codec="zstd", asbytes=True)


def read(file, size=1 << 16):
    unpacking = DecompressedFile(file, "a.nq")
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
    assert DecompressedFile(io.StringIO("belt"), "a.nq").read(2) == "be"


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
    assert without_compression(name) == bare


TEXT_OF_FIRST_BYTES = b"<urn:a> <urn:b> <urn:c> .\n"


def zipped():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.nt", TEXT_OF_FIRST_BYTES)
    return file.getvalue()


PACKED = {
    "gzip": gzip.compress(TEXT_OF_FIRST_BYTES),
    "bzip2": bz2.compress(TEXT_OF_FIRST_BYTES),
    "xz": lzma.compress(TEXT_OF_FIRST_BYTES),
    "zstd": bytes.fromhex("28b52ffd2401090000") + b"a",
    "zip": zipped(),
}
each_compression = pytest.mark.parametrize(("compression", "packed"), PACKED.items(), ids=list(PACKED))


@each_compression
def test_what_is_compressed_is_refused_by_its_name(compression, packed):
    with pytest.raises(CompressedInputError, match=rf"a\.nt: it is compressed \({compression}\)") as raised:
        plain_text(packed, "a.nt")
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.source, again.compression) == ("a.nt", compression)
    assert (again.line, again.reason, str(again)) == (None, raised.value.reason, str(raised.value))


@each_compression
def test_it_is_undecided_until_a_mark_is_whole(compression, packed):
    decided = next(size for size in range(1, 10) if not needs_more_bytes(packed[:size]))
    with pytest.raises(CompressedInputError):
        plain_text(packed[:decided], "a.nt")
    assert plain_text(packed[: decided - 2], "a.nt") == packed[: decided - 2]


@pytest.mark.parametrize("text", [TEXT_OF_FIRST_BYTES, b"BASE <urn:x>", b"\n", "ü".encode(), b"(", b""])
def test_text_is_text_with_and_without_a_byte_order_mark(text):
    assert plain_text(text, "a.nt") == plain_text(BYTE_ORDER_MARK + text, "a.nt") == text


def test_what_is_there_and_plain_is_not_refused(tmp_path):
    path = tmp_path / "a.nt"
    path.write_bytes(TEXT_OF_FIRST_BYTES)
    refuse_unreadable(path)
    path.write_bytes(b"")
    refuse_unreadable(path)


def test_what_is_no_file_is_refused_but_a_pipe_is_not_waited_for(tmp_path):
    for path in (tmp_path, tmp_path / "none.nt"):
        with pytest.raises(MissingFileError, match=str(path)):
            refuse_unreadable(path)
    os.mkfifo(tmp_path / "pipe")
    refuse_unreadable(tmp_path / "pipe")


@pytest.mark.parametrize(
    "read",
    [
        pr.load_ontology,
        pr.read_stream,
        pr.load_rules,
        lambda path: pr.read_records(path, {}),
        lambda path: pr.read_records([path], {}),
        lambda path: pr.read_records("here.csv", path),
        lambda path: pr.StreamReasoner(pr.Ontology.from_rules([]), pr.Window(1)).checkpoint(path),
        lambda path: pr.StreamReasoner.restore(path, pr.Ontology.from_rules([])),
    ],
)
@pytest.mark.parametrize("name", ["a\0.ttl", "a\0.csv", "\0", "a\0*.nq"])
def test_a_path_with_a_null_character_is_an_error_of_ours(read, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.csv").touch()
    with pytest.raises(pr.PantarheiError):
        read(name)
    with pytest.raises(pr.PantarheiError):
        read(Path(name))
