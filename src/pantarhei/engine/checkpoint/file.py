"""Checkpoints on disk: written as a whole or not at all.

A checkpoint is written into a temporary file beside its place, forced to the disk, and renamed. At any point
of this the place holds the old checkpoint or the new one, whole. Temporary files of writers that were killed
are never read; the next writer to the same place removes them. A writer that is alive holds a lock on its
own.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from pathlib import Path

from pantarhei.engine.checkpoint.container import PREAMBLE_LENGTH, length_of
from pantarhei.errors import CheckpointError

try:
    import fcntl
except ImportError:  # Windows: nobody can tell whether a writer is alive, and so nothing is removed
    fcntl = None  # type: ignore[assignment]


def write_whole(path: Path, data: bytes) -> None:
    """Let `path` hold `data` in the place of what it holds; after an error it holds that still.

    A symbolic link is followed.

    Raises:
        CheckpointError: the file system does not let it.
    """
    if "\0" in str(path):
        raise CheckpointError(str(path).replace("\0", "\\0"), "there is a null character in the path")
    place = Path(os.path.realpath(path))
    try:
        _remove_leftovers(place)
        descriptor, temporary = _create_beside(place)
        try:
            with open(descriptor, "wb", closefd=True) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                os.replace(temporary, place)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _force(place.parent)
    except OSError as error:
        raise CheckpointError(str(path), f"it cannot be written: {_why(error)}") from error


def read_whole(path: Path) -> bytes:
    """The bytes of a checkpoint, as many as it says it has.

    Raises:
        CheckpointError: there is none, it is no checkpoint, or it has another length.
    """
    source = str(path)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
            raise CheckpointError(source, f"it is {kind}, and no checkpoint")
        with path.open("rb") as file:
            preamble = file.read(PREAMBLE_LENGTH)
            total, size = length_of(preamble, source), os.fstat(file.fileno()).st_size
            if total != size:
                raise CheckpointError(
                    source, f"it is damaged: it has {size} bytes in the place of {total}; use an older one"
                )
            return preamble + file.read(total - len(preamble))
    except FileNotFoundError as error:
        raise CheckpointError(source, "there is no such checkpoint") from error
    except (OSError, ValueError) as error:
        reason = _why(error) if isinstance(error, OSError) else str(error)
        raise CheckpointError(source, f"it cannot be read: {reason}") from error


def _why(error: OSError) -> str:
    return error.strerror or str(error)


def _create_beside(place: Path) -> tuple[int, str]:
    """A new temporary file for `place`, locked: its descriptor and path."""
    while True:
        path = str(place.with_name(f".{place.name}.{secrets.token_hex(8)}.tmp"))
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        _lock(descriptor, wait=True)
        if os.fstat(descriptor).st_nlink:
            return descriptor, path
        os.close(descriptor)  # before it was locked another writer took it for a leftover


def _remove_leftovers(place: Path) -> None:
    """Remove the temporary files of writers to `place` that are no more."""
    if fcntl is None:
        return
    pattern = re.compile(rf"\.{re.escape(place.name)}\.[0-9a-f]{{16}}\.tmp")
    for name in os.listdir(place.parent):
        if pattern.fullmatch(name):
            with contextlib.suppress(OSError):
                _remove_if_left(place.with_name(name))


def _remove_if_left(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if _lock(descriptor, wait=False):
            os.unlink(path)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, wait: bool) -> bool:
    """Whether the file is locked now; the lock goes with the descriptor, and with the process."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # another's, or the file system has no locks
        return False
    return True


def _force(folder: Path) -> None:
    """Force the names in `folder` to the disk, where a folder can be opened for that."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
