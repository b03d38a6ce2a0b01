"""Checkpoints: the state of a stream reasoner as bytes, from which a later process can continue.

`container` defines the format and the file, `saved_state` the content. Nothing in a checkpoint is executed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from pantarhei.engine.checkpoint.abox_columns import GivenBackground
from pantarhei.engine.checkpoint.blocks import BlockChanges, BlockWriter, StoredBlocks
from pantarhei.engine.checkpoint.container import (
    IN_BLOCKS,
    UNPACED,
    Json,
    Pacer,
    read_whole,
    unpack,
    write_whole,
)
from pantarhei.engine.checkpoint.repairs import RepairTable
from pantarhei.engine.checkpoint.saved_state import Checkpoint, State, save
from pantarhei.errors import CheckpointError, OptionError

__all__ = [
    "UNPACED",
    "BlockChanges",
    "BlockWriter",
    "Checkpoint",
    "GivenBackground",
    "Json",
    "Pacer",
    "RepairTable",
    "State",
    "StoredBlocks",
    "checked_note",
    "read_checkpoint",
    "save",
    "write_whole",
]


def checked_note(note: Mapping[str, Json]) -> dict[str, Json]:
    """Return a copy of `note`, which must be JSON.

    Raises:
        OptionError: the note is not JSON.
    """
    expected = "a mapping of texts to JSON values: texts, numbers, lists, dictionaries, True, False, None"
    try:
        found = json.loads(json.dumps(dict(note), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise OptionError("note", repr(note), expected) from error
    if found != note:
        raise OptionError("note", repr(note), expected)
    return cast("dict[str, Json]", found)


def read_checkpoint(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview | StoredBlocks,
) -> Checkpoint:
    """Read a checkpoint from a path, from bytes, or from blocks.

    Raises:
        CheckpointError: the file is missing, or the checkpoint is damaged or invalid.
    """
    if isinstance(source, StoredBlocks):
        return source.read()
    if isinstance(source, bytes | bytearray | memoryview):
        contents = unpack(bytes(source), f"of {len(source)} bytes")
    else:
        contents = unpack(read_whole(Path(source)), str(source))
    if contents.version == IN_BLOCKS:
        raise CheckpointError(contents.source, "it is one part of a checkpoint in blocks; restore all parts")
    return Checkpoint(contents)
