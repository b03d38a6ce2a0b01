"""Start of a driver: the newest usable checkpoint, or an empty window if the configuration has changed."""

from __future__ import annotations

import logging
from pathlib import Path

from pantarhei.errors import CheckpointError, CheckpointMismatchError, UpgradeError
from pantarhei.service.config import ServiceConfig
from pantarhei.service.decoding import Decoder
from pantarhei.service.driver import Driver, Knowledge
from pantarhei.service.journal import first_number, segments

LOG = logging.getLogger("pantarhei.service")
_CHECKPOINT = "checkpoint-"


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


def start_driver(
    config: ServiceConfig, knowledge: Knowledge, decoder: Decoder, most: int | None, with_repairs: bool
) -> Driver:
    """Return a driver with the newest usable checkpoint, before the replay of the journal.

    Args:
        most: the greatest number of a checkpoint that may be used; None for any.

    Raises:
        UpgradeError: the configuration has changed, and `upgrade` is `refuse`, or the journal is incomplete.
    """
    folder = config.path(config.state.folder)
    for path in reversed(checkpoints(folder)):
        if most is not None and checkpoint_number(path) > most:
            continue
        try:
            return Driver.restored(path, config, knowledge, decoder, with_repairs)
        except CheckpointMismatchError as error:
            if config.upgrade == "refuse":
                reason = "upgrade: refuse does not permit that"
                raise UpgradeError(str(folder), (error.what,), reason) from error
            LOG.info("%s has changed: the journal is processed again", error.what)
            break
        except CheckpointError as error:
            LOG.warning("%s is not usable: %s", path.name, error)
    driver = Driver.fresh(config, knowledge, decoder, with_repairs)
    if known := segments(folder):
        driver.number = first_number(known[0]) - 1
    return driver
