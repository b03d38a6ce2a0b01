"""Start of a driver: the newest usable checkpoint, or a replay of the journal with an empty window.

If the configuration has changed, or no checkpoint is usable, the writer decides where the replay begins, and
stores that in the file `beginning`: readers and later starts begin at the same record, and thus emit the same
changes.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from pathlib import Path
from typing import Any

from pantarhei.engine.checkpoint import read_checkpoint
from pantarhei.engine.checkpoint.container import write_whole
from pantarhei.errors import CheckpointError, CheckpointMismatchError, UpgradeError
from pantarhei.service.clients import LOG
from pantarhei.service.journal_driver import Beginning, JournalDriver, ServiceKnowledge, memory_of
from pantarhei.service.message_journal import (
    MessageJournal,
    first_number,
    merge_positions,
    read_journal,
    segments,
)

_CHECKPOINT, _BEGINNING = "checkpoint-", "beginning"


def checkpoints(folder: Path) -> list[Path]:
    """Return the checkpoints of a folder, oldest first."""
    found = (path for path in folder.glob(f"{_CHECKPOINT}*") if path.name[len(_CHECKPOINT) :].isdecimal())
    return sorted(found, key=checkpoint_number)


def checkpoint_number(path: Path) -> int:
    """Return the number of the last record in a checkpoint."""
    return int(path.name.removeprefix(_CHECKPOINT))


def checkpoint_path(folder: Path, number: int) -> Path:
    """Return the path of the checkpoint after a record."""
    return folder / f"{_CHECKPOINT}{number}"


def write_knowledge(knowledge: ServiceKnowledge, folder: Path) -> int:
    """Write knowledge to a file without a name, since it has secrets; return its descriptor.

    Readers restart with it, not with the files of the configuration, which may have been edited meanwhile.
    """
    descriptor, path = tempfile.mkstemp(dir=folder)
    os.unlink(path)
    with open(descriptor, "wb", closefd=False) as file:
        pickle.dump(knowledge, file)
    return descriptor


def read_written(descriptor: int) -> ServiceKnowledge:
    """Return the knowledge that `write_knowledge` has written."""
    found: ServiceKnowledge = pickle.loads(os.pread(descriptor, os.fstat(descriptor).st_size, 0))
    return found


def start_driver(
    knowledge: ServiceKnowledge, journal: MessageJournal | None = None, most: int | None = None
) -> JournalDriver:
    """Return a driver with the newest usable checkpoint, before the replay of the journal.

    Args:
        journal: the journal of the writer, which may change the folder; None for a reader.
        most: the greatest number of a checkpoint that may be used; None for any.

    Raises:
        UpgradeError: the configuration has changed, and `upgrade` is `refuse`.
        CheckpointError: the folder cannot be written.
    """
    config = knowledge.config
    folder = config.path(config.state.folder)
    known = [path for path in checkpoints(folder) if most is None or checkpoint_number(path) <= most]
    changed: CheckpointMismatchError | None = None
    for path in reversed(known):
        try:
            return JournalDriver.restored(path, knowledge)
        except CheckpointMismatchError as error:
            changed = error
            break
        except CheckpointError as error:
            LOG.warning("%s is not usable: %s", path.name, error)
    if changed is not None and config.upgrade == "refuse":
        reason = "upgrade: refuse does not permit that"
        raise UpgradeError(str(folder), (changed.what,), reason) from changed
    beginning = _read_beginning(folder, knowledge)
    if journal is not None:
        if beginning is None:
            beginning = _decide(knowledge, journal, changed)
            write_whole(folder / _BEGINNING, beginning.model_dump_json().encode())
        if changed is not None:  # those of the former configuration are of no use any more
            for path in known:
                path.unlink()
    return JournalDriver.fresh(knowledge, beginning)


def _read_beginning(folder: Path, knowledge: ServiceKnowledge) -> Beginning | None:
    """Return the stored beginning, if it is that of this configuration and its records exist."""
    try:
        saved = Beginning.model_validate_json((folder / _BEGINNING).read_bytes())
    except (OSError, ValueError):
        return None
    known = segments(folder)
    is_kept = not known or first_number(known[0]) <= saved.number + 1
    return saved if is_kept and saved.fingerprint == knowledge.fingerprint else None


def _decide(
    knowledge: ServiceKnowledge, journal: MessageJournal, changed: CheckpointMismatchError | None
) -> Beginning:
    """Return where a driver without checkpoint begins: after the last record, or at the first one."""
    note = {} if changed is None else read_checkpoint(changed.source).note
    kept: dict[str, Any] = {name: note.get(name, {}) for name in ("requested", "positions")}
    kept["fingerprint"] = knowledge.fingerprint
    if changed is not None and knowledge.config.upgrade == "fresh":
        LOG.info("%s has changed: the window is empty after record %d", changed.what, journal.number)
        at = None
        for record in read_journal(journal.folder):
            at = record.at
            merge_positions(kept["positions"], record.positions)
        return Beginning(number=journal.number, at=at, **kept)
    if changed is not None:
        LOG.info("%s has changed: the journal is processed again", changed.what)
    first = next(read_journal(journal.folder), None)
    if first is None or first.number == 1:
        return Beginning(number=journal.number if first is None else 0, **kept)
    until = first.at + memory_of(knowledge)
    text = "the journal begins with record %d: changes of the replay before %s are not emitted, since the %s"
    LOG.warning(text, first.number, until.isoformat(), "window is not complete until then")
    return Beginning(number=first.number - 1, until=until, through=journal.number, **kept)
