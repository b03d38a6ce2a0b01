"""A stream's checkpoint on disk: the reasoner's file beside Spark's own folder, and whether they agree.

Spark notes in `spark/offsets` which rows make a batch before it runs, and in `spark/commits` that it ran. The
reasoner's file has the window and the number of the last batch in it. A batch is in the window at most one
before Spark has committed it.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pantarhei.errors import CheckpointError, OptionError

REASONER = "reasoner"
_SPARK = "spark"


def uri_of(folder: Path) -> str:
    """A folder as Spark wants it: Hadoop takes the path in a URI as it stands, `%20` too.

    >>> uri_of(Path("/a folder"))
    'file:///a folder'
    """
    return f"file://{folder.resolve()}"


def is_sharded(folder: Path) -> bool:
    """Whether a checkpoint is Spark's alone, as those of sharded streams are."""
    return (folder / "offsets").is_dir()


def local_folder(name: str, given: str | Path) -> Path:
    """The folder that a path or `file:` URI names.

    Raises:
        OptionError: it is a URI of something that the driver has not mounted.

    >>> local_folder("output", "file:///a%20b")
    PosixPath('/a b')
    """
    scheme = re.match("([A-Za-z][A-Za-z0-9+.-]+):/", str(given))
    if scheme is None:
        return Path(given)
    if scheme[1].lower() != "file":
        raise OptionError(name, repr(str(given)), "a folder on a file system that the driver has mounted")
    return Path(url2pathname(urlsplit(str(given)).path))


class Progress:
    """The folder of a stream's checkpoint.

    Args:
        folder: on a file system that the driver sees; made if it is not there.

    Raises:
        CheckpointError: it is a file, or the checkpoint of a sharded stream.
    """

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise CheckpointError(str(folder), "it is a file; a stream's checkpoint is a folder")
        if is_sharded(folder):
            raise CheckpointError(str(folder), "it is a sharded stream's; go on with the same shard_by")
        folder.mkdir(parents=True, exist_ok=True)
        self.reasoner = folder / REASONER
        self.spark = folder / _SPARK

    @property
    def exists(self) -> bool:
        """Whether a stream was here before.

        Raises:
            CheckpointError: one was, and its window is lost.
        """
        if self.reasoner.exists():
            return True
        if self._batches("offsets"):
            raise CheckpointError(
                str(self.reasoner),
                f"it is lost, while {self.spark} says that the stream has been read already; bring it back, "
                "or begin anew with an empty checkpoint folder",
            )
        return False

    def check(self, batch: int) -> None:
        """Refuse to go on where window and stream do not stand at the same place.

        Args:
            batch: the last one in the window.

        Raises:
            CheckpointError: Spark's folder is lost or belongs to another state of the window.
        """
        begun, committed = self._batches("offsets"), self._batches("commits")
        if batch >= 0 and batch not in begun:
            raise CheckpointError(
                str(self.spark),
                f"it does not know batch {batch}, which is in the window of {self.reasoner}: with it rows "
                "would be lost or come twice; bring it back, or begin anew with an empty checkpoint folder",
            )
        if committed and max(committed) > batch:
            raise CheckpointError(
                str(self.reasoner),
                f"its window ends with batch {batch}, while {self.spark} is past batch {max(committed)}: it "
                "is an older copy; bring back the newer one, or begin anew with an empty checkpoint folder",
            )

    def _batches(self, kind: str) -> set[int]:
        """The batches that Spark has noted. It forgets old ones, never the last."""
        folder = self.spark / kind
        return (
            {int(path.name) for path in folder.iterdir() if path.name.isdigit()} if folder.is_dir() else set()
        )
