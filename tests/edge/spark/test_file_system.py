"""Folders on file systems of several kinds; all of them are local folders behind Hadoop's view of them."""

import contextlib
import json
import os
import pickle

import pytest

from counts import some
from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.errors import CheckpointError, CheckpointMismatchError, FileSystemError, OptionError
from pantarhei.model.rule import Rule
from pantarhei.spark import file_system, reason_stream, run
from pantarhei.spark.driver import CheckpointFolder
from pantarhei.spark.file_system import HadoopFolder, LocalFolder, folder_at, reason_of
from spark_streams import NOW, SCHEMA, SCHEMES, Folder, uri_over
from strategies import EX, A, B, is_a, x


@pytest.fixture(params=SCHEMES)
def uri(request, spark, tmp_path):
    return uri_over(spark, request.param, tmp_path)


def test_a_folder_has_the_files_that_were_written_last(spark, uri, tmp_path):
    folder = HadoopFolder(uri + "/", spark) / "a b%20ü"
    assert (folder.names(), folder.exists("one"), folder.is_file()) == ([], False, False)
    folder.make()
    for data in (b"", bytes(range(256)) * 500, b"last"):
        folder.write("one", data)
        assert folder.read("one") == folder.source("one") == data
    folder.write_text("two", "ü")
    (folder / "three").make()
    assert folder.names() == ["one", "three", "two"]
    assert folder.read_text("two") == (tmp_path / "a b%20ü" / "two").read_text() == "ü"
    assert (folder / "one").is_file() and not (folder / "three").is_file()
    assert folder.uri == str(folder) == f"{uri}/a b%20ü"
    folder.remove("one")
    folder.remove("one")
    assert folder.names() == ["three", "two"]


class Killed(BaseException):
    """Stands for the end of the process."""


class Until:
    """File system whose methods fail after a number of calls, for good.

    Args:
        java: the file system.
        calls: the number of calls.
        replaces: whether it renames to existing files; None if it raises an error instead.
    """

    def __init__(self, java, calls, replaces):
        self.java, self.calls, self.replaces = java, calls, replaces

    def __getattr__(self, name):
        def call(*arguments):
            self.calls -= 1
            if self.calls < 0:
                raise Killed
            if name == "rename" and not self.replaces and self.java.exists(arguments[1]):
                if self.replaces is None:
                    self.java.create(arguments[1], False)  # raises Java's error for existing files
                return False
            return getattr(self.java, name)(*arguments)

        return call


@pytest.mark.parametrize("replaces", [True, False, None])
@pytest.mark.parametrize("scheme", some(SCHEMES[:3], ["file"]))
def test_a_writer_killed_at_any_point_leaves_the_old_file_or_the_new_one(spark, scheme, replaces, tmp_path):
    uri = uri_over(spark, scheme, tmp_path)
    ends = []
    for before in (b"", b"old"):
        for calls in range(20):
            folder = HadoopFolder(f"{uri}/{before.decode()}{calls}", spark)
            folder.make()
            if before:
                folder.write("state", before)
            assert not folder._uploads_are_atomic
            folder._files = Until(folder._files, calls, replaces)
            with contextlib.suppress(Killed):
                folder.write("state", b"new")
            after = HadoopFolder(folder.uri, spark)
            after._files = Until(after._files, 100, replaces)
            after.make()
            ends.append(after.read("state") if after.exists("state") else b"")
            assert ends[-1] in (before, b"new")
            assert after.names() == (["state"] if ends[-1] else [])
            assert not list((tmp_path / f"{before.decode()}{calls}").glob("*pantarhei*"))
            if folder._files.calls >= 0:  # nothing was cut off
                break
        assert ends[-1] == b"new"
    assert ends.count(b"old") >= 3 and ends.count(b"") >= 3


@pytest.mark.long
def test_a_write_after_one_that_failed_midway_keeps_a_whole_file_at_each_point(spark, tmp_path):
    folder = HadoopFolder(f"file:{tmp_path}", spark)
    files = folder._files
    for first in range(12):
        for second in range(12):
            folder._files = files
            folder.make()
            folder.write("state", b"old")
            for calls, data in ((first, b"new"), (second, b"newer")):
                folder._files = Until(files, calls, replaces=False)
                with contextlib.suppress(Killed):
                    folder.write("state", data)
            folder._files = files
            folder.make()
            assert folder.read("state") in (b"old", b"new", b"newer")


def test_a_file_system_that_replaces_files_is_used_so(spark, tmp_path, monkeypatch):
    folder = HadoopFolder(uri_over(spark, "viewfs", tmp_path), spark)
    monkeypatch.setattr(file_system, "_REPLACING", {"viewfs"})
    for text in ("old", "new"):
        folder.write_text("state", text)
        assert folder.read_text("state") == text
    assert os.listdir(tmp_path) == ["state"]


def test_without_java_in_this_process_only_paths_can_be_used(monkeypatch):
    monkeypatch.setattr(file_system, "is_remote", lambda: True)
    with pytest.raises(FileSystemError, match=r"s3a://bucket/out: Spark Connect .*; give a path"):
        folder_at("output", "s3a://bucket/out", None)
    assert str(folder_at("output", "out", None)) == "out"


def test_a_file_that_java_wrote_with_a_checksum_can_be_replaced_and_read(spark, uri, tmp_path):
    folder = HadoopFolder(f"{uri}/offsets", spark)
    folder._files.create(folder._path("7"), True).close()
    assert os.listdir(tmp_path / "offsets").count(".7.crc") == 1
    folder.write_text("7", "new")
    assert folder.read_text("7") == "new"  # Java verifies the checksum


@pytest.mark.parametrize(
    ("given", "path"),
    [("out", "out"), ("/a%20b", "/a%20b"), ("file:///a%20b", "/a b"), ("file:/a", "/a"), ("FILE:/a", "/a")],
)
def test_paths_and_file_uris_are_local(spark, given, path):
    found = folder_at("output", given, spark)
    assert isinstance(found, LocalFolder) and str(found) == path
    assert found.uri.startswith("file:///") and found.uri.endswith(path)


@pytest.mark.parametrize("given", ["", 5, "file://out", "file://host/out"])
def test_places_without_a_folder_are_refused(spark, given):
    with pytest.raises(OptionError, match=r"output=.* is invalid: expected"):
        folder_at("output", given, spark)


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        (
            "s3a://bucket/out",
            r"no connector for s3a .*; start .* --packages org.apache.hadoop:hadoop-aws:\d",
        ),
        ("abfss://a@b.example/out", r"--packages org.apache.hadoop:hadoop-azure:\d"),
        ("s3://bucket/out", r"no connector for s3 .*; outside of EMR, write s3a:// instead"),
        ("dbfs:/out", r"no connector for dbfs .*; it exists on Databricks only"),
        ("unheard://of/out", r"spark-submit --packages <its connector>"),
        ("hdfs:/out", r"Incomplete HDFS URI, no host"),
        ("hdfs://no.example.invalid:1/out", r"its server cannot be reached \(no.example.invalid\)"),
        ("viewfs://no.example.invalid/out", r"the file system refuses: IOException: .*Empty Mount table"),
    ],
)
def test_file_systems_that_cannot_be_used_are_named_with_a_remedy(spark, uri, reason):
    with pytest.raises(FileSystemError, match=reason) as raised:
        folder_at("output", uri, spark).make()
    text = str(raised.value)
    assert text.startswith(f"{uri}: ") and "\n" not in text
    assert str(pickle.loads(pickle.dumps(raised.value))) == text


def test_a_folder_without_permission_and_a_missing_file_are_named(spark, tmp_path):
    uri = uri_over(spark, "viewfs", tmp_path)
    root = uri.removesuffix("/at")
    with pytest.raises(FileSystemError, match=rf"^{root}/other: permission denied \(.*readonly.*; correct"):
        HadoopFolder(f"{root}/other", spark).make()
    with pytest.raises(FileSystemError, match=rf"^{uri}/none: it does not exist \(.*; correct the URI"):
        HadoopFolder(uri, spark).read("none")


def test_local_folders_raise_the_errors_of_the_operating_system_with_the_path(tmp_path):
    folder = LocalFolder(tmp_path / "file")
    (tmp_path / "file").touch()
    assert folder.is_file() and folder.names() == []
    for use in (folder.make, lambda: folder.read("one"), lambda: (folder / "one").make()):
        with pytest.raises(FileSystemError, match=rf"^{tmp_path}/file(/one)?: (Not a directory|File exists)"):
            use()
    with pytest.raises(FileSystemError, match="null character"):
        LocalFolder(tmp_path / "a\0b").make()


def test_a_failure_that_java_does_not_explain_is_given_as_it_is():
    failure = RuntimeError("out of\norder")
    assert reason_of(failure, "s3a://b", "3.5.0") == "the file system refuses: RuntimeError: out of"


TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
ONTOLOGY = Ontology.from_rules([Rule("sub", (is_a(A, x),), is_a(B, x))])


def follow(stream, place, ontology=ONTOLOGY, **options):
    """Follow a stream to its present end; output and checkpoint are in the folder `place`."""
    query = reason_stream(
        stream,
        ontology,
        Window(6),
        output=f"{place}/out",
        output_format="csv",
        checkpoint=f"{place}/state of it",
        trigger=NOW,
        **options,
    )
    query.await_termination()
    return query


def files_of(folder):
    """Return the texts of the visible files."""
    return {path.name: path.read_text() for path in sorted(folder.glob("[!.]*"))}


@pytest.mark.parametrize("scheme", some(SCHEMES, ["viewfs"]))
def test_a_stream_that_failed_before_its_checkpoint_resumes_exactly_once(
    spark, scheme, tmp_path, monkeypatch
):
    incoming, out = Folder(tmp_path / "in"), tmp_path / "out"
    for at in range(2):
        incoming.write([(at, EX[f"a{at}"].n3(), TYPE, A.n3())])
    save, place = CheckpointFolder.save, uri_over(spark, scheme, tmp_path)

    def fail(folder, reasoner, note):
        if note["batch"] == 1:
            raise CheckpointError("the test", "it ends here")
        save(folder, reasoner, note)

    with monkeypatch.context() as patch, pytest.raises(CheckpointError, match="it ends here"):
        patch.setattr(CheckpointFolder, "save", fail)
        follow(incoming.stream(spark), place)
    written = files_of(out)
    assert list(written) == ["batch-0000000000.csv", "batch-0000000001.csv"]
    query = follow(incoming.stream(spark), place)
    assert (query.batch, query.counts.aboxes, files_of(out)) == (1, 2, written)


def test_the_answers_of_a_table_are_written_to_a_uri(spark, tmp_path):
    place = uri_over(spark, "viewfs", tmp_path)
    df = spark.createDataFrame([(1, EX.a.n3(), TYPE, A.n3())], SCHEMA)
    options = {
        "query": f"SELECT ?who {{ ?who a <{B}> }}",
        "types": {"who": "name"},
        "output_format": "ndjson",
    }
    assert len(list(run(StreamReasoner(ONTOLOGY, Window(6)), df, output=f"{place}/out", **options))) == 1
    assert [json.loads(text)["who"] for text in files_of(tmp_path / "out").values()] == [str(EX.a)]


@pytest.mark.long
@pytest.mark.parametrize("scheme", SCHEMES)
def test_shards_resume_on_every_file_system(spark, scheme, tmp_path):
    incoming, place = Folder(tmp_path / "in"), uri_over(spark, scheme, tmp_path)
    for at in range(2):
        incoming.write([(at, EX.a.n3(), TYPE, A.n3())])
        follow(incoming.stream(spark), place, shard_by="subject", shards=2)
    with pytest.raises(CheckpointError, match="it belongs to a sharded stream"):
        follow(incoming.stream(spark), place)
    files = files_of(tmp_path / "out")
    assert list(files) == ["batch-0000000000.csv"]  # a holds already, at 1
    assert files["batch-0000000000.csv"].count(EX.a.n3()) == 2


def test_checkpoints_of_other_streams_are_refused_with_their_uri(spark, tmp_path):
    incoming, place = Folder(tmp_path / "in"), uri_over(spark, "viewfs", tmp_path)
    incoming.write([(1, EX.a.n3(), TYPE, A.n3())])
    follow(incoming.stream(spark), place)
    state = f"{place}/state of it"
    with pytest.raises(CheckpointMismatchError, match=f"{state}/reasoner: .* other rules"):
        follow(incoming.stream(spark), place, Ontology.from_rules([]))
    with pytest.raises(CheckpointError, match=f"{state}: it belongs to a stream without shards"):
        follow(incoming.stream(spark), place, shard_by="subject", shards=1)
    (tmp_path / "state of it" / "reasoner").write_text("damaged")
    with pytest.raises(CheckpointError, match=f"{state}/reasoner: it is not a checkpoint"):
        follow(incoming.stream(spark), place)
    (tmp_path / "state of it" / "reasoner").unlink()
    with pytest.raises(CheckpointError, match=rf"{state}/reasoner: it is missing, but {state}/spark shows"):
        follow(incoming.stream(spark), place)
    (tmp_path / "state of it" / "offsets").mkdir()
    with pytest.raises(CheckpointError, match=f"{state}: it belongs to a sharded stream"):
        follow(incoming.stream(spark), place)
    (tmp_path / "file").touch()
    with pytest.raises(
        CheckpointError, match=f"{place}/file: it is a file; a stream's checkpoint is a folder"
    ):
        reason_stream(incoming.stream(spark), ONTOLOGY, Window(6), checkpoint=f"{place}/file")
    with pytest.raises(
        OptionError, match=f"output='{place}/out' .* a folder without files of another stream"
    ):
        reason_stream(incoming.stream(spark), ONTOLOGY, Window(6), output=f"{place}/out")
