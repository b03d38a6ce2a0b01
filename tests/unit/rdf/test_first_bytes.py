"""What documents begin with: byte order marks, and compressed files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pickle
import zipfile
from pathlib import Path

import pytest

import pantarhei as pr
from pantarhei.errors import CompressedInputError, MissingFileError
from pantarhei.rdf.first_bytes import BYTE_ORDER_MARK, is_undecided, plain_text, refuse_unreadable

TEXT = b"<urn:a> <urn:b> <urn:c> .\n"


def zipped():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.nt", TEXT)
    return file.getvalue()


PACKED = {
    "gzip": gzip.compress(TEXT),
    "bzip2": bz2.compress(TEXT),
    "xz": lzma.compress(TEXT),
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
    decided = next(size for size in range(1, 10) if not is_undecided(packed[:size]))
    with pytest.raises(CompressedInputError):
        plain_text(packed[:decided], "a.nt")
    assert plain_text(packed[: decided - 2], "a.nt") == packed[: decided - 2]


@pytest.mark.parametrize("text", [TEXT, b"BASE <urn:x>", b"\n", "ü".encode(), b"(", b""])
def test_text_is_text_with_and_without_a_byte_order_mark(text):
    assert plain_text(text, "a.nt") == plain_text(BYTE_ORDER_MARK + text, "a.nt") == text


def test_what_is_there_and_plain_is_not_refused(tmp_path):
    path = tmp_path / "a.nt"
    path.write_bytes(TEXT)
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
