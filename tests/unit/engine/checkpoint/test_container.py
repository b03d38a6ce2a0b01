"""The bytes of a checkpoint: what is cut, flipped, added or said of lengths that is not so, is noticed."""

import json
import os
import signal
import stat
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import pantarhei.engine.checkpoint.container as file_module
from checkpoints import ONTOLOGY, signed, simple
from pantarhei import Ontology, StreamReasoner
from pantarhei.engine.checkpoint.container import DIGEST_LENGTH, FORMAT, MAGIC, pack
from pantarhei.errors import CheckpointError
from pantarhei.version import __version__
from strategies import A, C, b, member


def test_a_checkpoint_cut_short_anywhere_is_refused():
    whole = simple().snapshot()
    for length in range(len(whole)):
        with pytest.raises(CheckpointError, match=r"damaged|not a checkpoint"):
            StreamReasoner.restore(whole[:length], ONTOLOGY)


def test_a_flipped_bit_anywhere_is_noticed():
    whole = simple().snapshot()
    for place in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        with pytest.raises(CheckpointError, match=r"damaged|not a checkpoint"):
            StreamReasoner.restore(bytes(flipped), ONTOLOGY)


def test_a_checkpoint_with_more_behind_it_is_refused(tmp_path):
    path = tmp_path / "state"
    path.write_bytes(simple().snapshot() + b"\n")
    for source in (path, path.read_bytes()):
        with pytest.raises(CheckpointError, match="instead of"):
            StreamReasoner.restore(source, ONTOLOGY)


def test_another_format_says_who_wrote_it_and_what_to_do():
    newer = pack({}, {})[:-DIGEST_LENGTH].replace(__version__.encode(), b"9.8.7")
    newer = newer[:8] + struct.pack("<I", FORMAT + 1) + newer[12:]
    with pytest.raises(
        CheckpointError,
        match=rf"by pantarhei 9.8.7 in version {FORMAT + 1} .*use the pantarhei that wrote it",
    ):
        StreamReasoner.restore(signed(newer), ONTOLOGY)


def test_a_checkpoint_of_the_first_format_is_refused_with_the_version_that_wrote_it():
    first = Path(__file__).parent / "of_format_1.checkpoint"
    expected = r"by pantarhei 0.1.0 \(before its release\) in version 1 .*push the window's ABoxes"
    with pytest.raises(CheckpointError, match=expected):
        StreamReasoner.restore(first, ONTOLOGY)


@pytest.mark.parametrize(
    "columns",
    [
        [["facts.predicate", "u4", 1 << 60]],
        [["facts.predicate", "u4", -1]],
        [["facts.predicate", "u4", "1"]],
        [["facts.predicate", "object", 1]],
        [["facts.predicate"]],
        [[["a"], "u1", 0]],
        [],
        7,
    ],
)
def test_lengths_that_lie_allocate_nothing(columns):
    text = json.dumps({"columns": columns}).encode()
    body = struct.pack("<8sIQQ", MAGIC, FORMAT, 0, len(text)) + text + b"0123"
    with pytest.raises(CheckpointError, match="cannot be read"):
        StreamReasoner.restore(signed(body), ONTOLOGY)


@pytest.mark.parametrize(
    "text",
    [b"[" * 100_000, b'{"columns": ' + b"9" * 10_000 + b"}", b"\xff", b"[]", b"{}", b'{"columns": NaN}'],
)
def test_a_header_that_is_no_json_object_is_refused(text):
    body = struct.pack("<8sIQQ", MAGIC, FORMAT, 0, len(text)) + text
    with pytest.raises(CheckpointError, match="cannot be read"):
        StreamReasoner.restore(signed(body), ONTOLOGY)


ROOT = Path(__file__).parents[4]


def test_a_huge_file_that_claims_to_be_a_checkpoint_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "state"
    with path.open("wb") as file:
        file.write(simple().snapshot())
        file.truncate(1 << 40)  # takes no room on the disk
    with pytest.raises(CheckpointError, match="1099511627776 bytes instead of"):
        StreamReasoner.restore(path, ONTOLOGY)


def test_a_checkpoint_that_is_not_there(tmp_path):
    with pytest.raises(CheckpointError, match="the file does not exist") as caught:
        StreamReasoner.restore(tmp_path / "none", ONTOLOGY)
    assert caught.value.source == str(tmp_path / "none")
    with pytest.raises(CheckpointError, match="cannot be written"):
        simple().checkpoint(tmp_path / "none" / "state")


def test_a_folder_is_no_checkpoint(tmp_path):
    with pytest.raises(CheckpointError, match="folder"):
        StreamReasoner.restore(tmp_path, ONTOLOGY)
    with pytest.raises(CheckpointError, match="cannot be written"):
        simple().checkpoint(tmp_path)
    assert list(tmp_path.parent.glob(".*.tmp")) == []


def test_a_file_that_nobody_writes_to_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CheckpointError, match="a special file"):
        StreamReasoner.restore(tmp_path / "pipe", ONTOLOGY)


def test_where_nothing_can_be_written_the_old_checkpoint_stays(tmp_path, monkeypatch):
    path, reasoner = tmp_path / "state", simple()
    reasoner.checkpoint(path)
    before = path.read_bytes()
    reasoner.push(3, [member(A, b)])

    def refused(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    for name in ("open", "fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(file_module.os, name, refused)
            with pytest.raises(CheckpointError, match="cannot be written: Permission denied"):
                reasoner.checkpoint(path)
        assert path.read_bytes() == before
        assert [each.name for each in tmp_path.iterdir()] == ["state"]
    assert reasoner.push(4, [member(C, b)]).repair.removed == {(3, member(A, b))}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is refused to root")
def test_a_read_only_folder(tmp_path):
    path, reasoner = tmp_path / "state", simple()
    reasoner.checkpoint(path)
    before = path.read_bytes()
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        with pytest.raises(CheckpointError, match="cannot be written"):
            reasoner.checkpoint(path)
    finally:
        tmp_path.chmod(stat.S_IRWXU)
    assert path.read_bytes() == before


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "state"
    link.symlink_to(tmp_path / "real" / "state")
    simple().checkpoint(link, {"n": 1})
    simple().checkpoint(link, {"n": 2})
    assert link.is_symlink()
    assert StreamReasoner.restore(link, ONTOLOGY).note == {"n": 2}


CHILD = """
import os, signal, sys
import pantarhei.engine.checkpoint.container as file_module
from pantarhei import Ontology, StreamReasoner, Window
from rdflib import RDF, URIRef

path, point = sys.argv[1:]
reasoner = StreamReasoner(Ontology.from_rules([]), Window(9))
reasoner.push(1, [(URIRef("urn:a"), RDF.type, URIRef("urn:A"))])
reasoner.checkpoint(path, {"n": 1})
reasoner.push(2, [(URIRef("urn:b"), RDF.type, URIRef("urn:A"))])

def die(*args):
    os.kill(os.getpid(), signal.SIGKILL)

def then_die(function):
    def call(*args):
        function(*args)
        die()
    return call

place, name = point.split()
function = getattr(os, name)
setattr(file_module.os, name, die if place == "before" else then_die(function))
reasoner.checkpoint(path, {"n": 2})
"""


@pytest.mark.parametrize(
    ("point", "expected"),
    [("before fsync", 1), ("after fsync", 1), ("before replace", 1), ("after replace", 2)],
)
def test_a_writer_that_is_killed_leaves_the_old_checkpoint_or_the_new_one(tmp_path, point, expected):
    path, ontology = tmp_path / "state", Ontology.from_rules([])
    ended = subprocess.run([sys.executable, "-c", CHILD, str(path), point], cwd=ROOT)
    assert ended.returncode == -signal.SIGKILL
    restored = StreamReasoner.restore(path, ontology)
    assert restored.note == {"n": expected}
    assert restored.timestamps == tuple(range(1, expected + 1))
    left = list(tmp_path.glob(".state.*.tmp"))
    assert len(left) == (expected == 1)
    restored.checkpoint(path, {"n": 3})
    assert [each.name for each in tmp_path.iterdir()] == ["state"]
    assert StreamReasoner.restore(path, ontology).note == {"n": 3}


def test_the_temporary_file_of_a_writer_that_is_alive_is_left_alone(tmp_path):
    path = tmp_path / "state"
    descriptor, temporary = file_module._create_beside(path)
    stranger = tmp_path / ".state.notes.tmp"
    stranger.write_text("mine")
    simple().checkpoint(path)
    assert Path(temporary).exists() and stranger.exists()
    os.close(descriptor)
    simple().checkpoint(path)
    assert not Path(temporary).exists() and stranger.exists()
