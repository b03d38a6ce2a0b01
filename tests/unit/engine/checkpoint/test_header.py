"""The header: an entry that is missing or of another type is refused by its name."""

import struct

import pytest

from checkpoints import COLUMNS, HEADER, LISTED, ODD, signed, without
from pantarhei import StreamReasoner
from pantarhei.engine.checkpoint.container import (
    DIGEST_LENGTH,
    FIRST_WITH_CONCLUSIONS,
    FIRST_WITH_UNEXPECTED,
    pack,
)
from pantarhei.errors import CheckpointError


@pytest.mark.parametrize("name", HEADER)
def test_an_entry_of_the_header_that_is_missing_or_of_another_type_is_refused(name):
    for header in (without(HEADER, name), {**HEADER, name: 1.5}, {**HEADER, name: [{}]}):
        if name != "kind" or name in header:
            with pytest.raises(CheckpointError, match="makes no sense"):
                StreamReasoner.restore(pack(header, COLUMNS), ODD)


def test_a_number_in_the_header_has_at_most_64_bits_and_no_truth_value_stands_for_it():
    for bad in (1 << 63, True, "1"):
        with pytest.raises(CheckpointError, match="now is"):
            StreamReasoner.restore(pack({**HEADER, "now": bad}, COLUMNS), ODD)


def test_a_checkpoint_from_before_conclusions_could_be_joined_has_them_in_their_graph_alone():
    older = pack(without(LISTED.header, "conclusions"), LISTED.columns)[:-DIGEST_LENGTH]
    older = signed(older[:8] + struct.pack("<I", FIRST_WITH_CONCLUSIONS - 1) + older[12:])
    assert StreamReasoner.restore(older, ODD).options.conclusions == "graph"


def test_a_checkpoint_that_does_not_say_what_was_unexpected_begins_to_count():
    older = pack(without(LISTED.header, "unexpected"), LISTED.columns)[:-DIGEST_LENGTH]
    older = signed(older[:8] + struct.pack("<I", FIRST_WITH_UNEXPECTED - 1) + older[12:])
    assert not StreamReasoner.restore(older, ODD).unexpected()


@pytest.mark.parametrize(
    "said",
    [
        {"axioms": 1},
        {"axioms": "1", "unknown": [], "numbers": []},
        {"axioms": 0, "unknown": [['"a"', 1]], "numbers": []},
        {"axioms": 0, "unknown": [["<urn:a>", 7]], "numbers": []},
        {"axioms": 0, "unknown": [["urn:a", 1]], "numbers": []},
        {"axioms": 0, "unknown": 3, "numbers": []},
        {"axioms": 0, "unknown": [], "numbers": [["urn:p", "<urn:x>", None]]},
    ],
)
def test_what_was_unexpected_and_makes_no_sense_is_refused(said):
    with pytest.raises(CheckpointError, match="makes no sense"):
        StreamReasoner.restore(pack(HEADER | {"unexpected": said}, COLUMNS), ODD)
