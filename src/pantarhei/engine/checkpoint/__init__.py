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
from pantarhei.engine.checkpoint.container import UNPACED, Json, Pacer, read_whole, unpack, write_whole
from pantarhei.engine.checkpoint.repairs import RepairTable
from pantarhei.engine.checkpoint.saved_state import Checkpoint, State, save
from pantarhei.errors import OptionError

__all__ = [
    "UNPACED",
    "Checkpoint",
    "GivenBackground",
    "Json",
    "Pacer",
    "RepairTable",
    "State",
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


def read_checkpoint(source: str | os.PathLike[str] | bytes | bytearray | memoryview) -> Checkpoint:
    """Read a checkpoint from a path, or from bytes.

    Raises:
        CheckpointError: the file is missing, or the checkpoint is damaged or invalid.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        return Checkpoint(unpack(bytes(source), f"of {len(source)} bytes"))
    return Checkpoint(unpack(read_whole(Path(source)), str(source)))
