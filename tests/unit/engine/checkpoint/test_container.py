"""The bytes of a checkpoint: what is cut, flipped, added or said of lengths that is not so, is noticed."""

import json
import struct
from pathlib import Path

import pytest

from checkpoints import ONTOLOGY, signed, simple
from pantarhei import StreamReasoner
from pantarhei.engine.checkpoint.container import DIGEST_LENGTH, FORMAT, MAGIC, pack
from pantarhei.errors import CheckpointError
from pantarhei.version import __version__


def test_a_checkpoint_cut_short_anywhere_is_refused():
    whole = simple().snapshot()
    for length in range(len(whole)):
        with pytest.raises(CheckpointError, match=r"damaged|no checkpoint"):
            StreamReasoner.restore(whole[:length], ONTOLOGY)


def test_a_flipped_bit_anywhere_is_noticed():
    whole = simple().snapshot()
    for place in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        with pytest.raises(CheckpointError, match=r"damaged|no checkpoint"):
            StreamReasoner.restore(bytes(flipped), ONTOLOGY)


def test_a_checkpoint_with_more_behind_it_is_refused(tmp_path):
    path = tmp_path / "state"
    path.write_bytes(simple().snapshot() + b"\n")
    for source in (path, path.read_bytes()):
        with pytest.raises(CheckpointError, match="in the place of"):
            StreamReasoner.restore(source, ONTOLOGY)


def test_another_format_says_who_wrote_it_and_what_to_do():
    newer = pack({}, {})[:-DIGEST_LENGTH].replace(__version__.encode(), b"9.8.7")
    newer = newer[:8] + struct.pack("<I", FORMAT + 1) + newer[12:]
    with pytest.raises(CheckpointError, match=rf"by pantarhei 9.8.7 in version {FORMAT + 1} .*go on with"):
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
