"""Whether the window and Spark's notes on the stream agree."""

import pytest

from pantarhei.errors import CheckpointError
from pantarhei.spark.progress import Progress, uri_of


def folder_with(path, offsets=(), commits=(), reasoner=True):
    for kind, batches in (("offsets", offsets), ("commits", commits)):
        (path / "spark" / kind).mkdir(parents=True)
        for batch in batches:
            (path / "spark" / kind / str(batch)).touch()
        (path / "spark" / kind / ".0.crc").touch()
    if reasoner:
        (path / "reasoner").touch()
    return Progress(path)


def test_a_new_folder_is_made_and_has_no_stream(tmp_path):
    progress = Progress(tmp_path / "not" / "there")
    assert (tmp_path / "not" / "there").is_dir()
    assert not progress.exists
    progress.check(-1)


@pytest.mark.parametrize(
    ("batch", "offsets", "commits"),
    [(-1, [], []), (-1, [0], []), (3, range(5), range(4)), (4, range(5), range(4)), (4, range(5), range(5))],
)
def test_a_window_may_be_one_batch_before_what_spark_has_committed_or_level_with_it(
    tmp_path, batch, offsets, commits
):
    progress = folder_with(tmp_path, offsets, commits)
    assert progress.exists
    progress.check(batch)


@pytest.mark.parametrize(
    ("batch", "offsets", "commits", "said"),
    [
        (2, range(5), range(4), r"window ends with batch 2, while .* is past batch 3: it is an older copy"),
        (-1, [0], [0], "is past batch 0"),
        (4, [], [], "does not know batch 4, which is in the window"),
        (4, range(3), range(2), "rows would be lost or come twice"),
    ],
)
def test_all_else_is_refused(tmp_path, batch, offsets, commits, said):
    with pytest.raises(CheckpointError, match=said):
        folder_with(tmp_path, offsets, commits).check(batch)


def test_a_lost_window_and_a_file_in_the_folders_place_are_refused(tmp_path):
    with pytest.raises(CheckpointError, match=r"it is lost, while .* says that the stream has been read"):
        _ = folder_with(tmp_path / "lost", [0], [], reasoner=False).exists
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match="it is a file; a stream's checkpoint is a folder"):
        Progress(tmp_path / "file")


def test_paths_stand_in_uris_as_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a b%20ü").mkdir()
    assert uri_of(Progress(tmp_path / "a b%20ü").spark) == f"file://{tmp_path}/a b%20ü/spark"
