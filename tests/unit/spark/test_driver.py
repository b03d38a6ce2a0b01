"""The driver's part of a stream, fed with blocks as workers make them, without Spark."""

import random
from itertools import groupby, pairwise

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql.types import DoubleType, LongType, TimestampType
from rdflib import BNode

from counts import cases
from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.errors import CheckpointError, InvalidRowError
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.rule import Rule
from pantarhei.model.time import TimeKind
from pantarhei.spark.collectors import FactChanges
from pantarhei.spark.driver import CheckpointFolder, Counts, Driver, checkpoint_folder
from pantarhei.spark.file_system import LocalFolder
from pantarhei.spark.versions import schema_to_arrow
from pantarhei.spark.worker import BlockTableWriter, SkippedBlockWriter, SkippedRows, block_schema
from spark_streams import aboxes_of, rows_of, state_of
from strategies import EX, A, B, C, is_a, member, x

RULES = [Rule("sub", (is_a(A, x),), is_a(B, x)), Rule("disjoint", (is_a(B, x), is_a(C, x)), None)]
BLANK = [member(C, BNode("of the background"))]
TERMS_AND_CHANGE = ["subject", "predicate", "object", "change"]
NEVER = InvalidRowError(("timestamp=null",), "timestamp", "it is null")


class Stream:
    """A driver, and what came of it; `restarted` is what a later process makes of its note."""

    def __init__(
        self, lateness=None, reasoner=None, on_update=None, on_error="raise", background=(), **bounds
    ):
        self.ontology = Ontology.from_rules(RULES)
        self.reasoner = reasoner or StreamReasoner(self.ontology, Window(100), background)
        self.schema = schema_to_arrow(block_schema(LongType()))
        self.pushed, self.late, self.ahead = [], [], []
        self.driver = Driver(
            self.reasoner,
            TimeKind.INTEGER,
            lateness,
            on_error,
            on_update or (lambda update: self.pushed.append(update.at)),
            self.late.append,
            on_ahead=self.ahead.append,
            **bounds,
        )
        self.worker = ABoxMaterializer(self.reasoner.foundation)

    def blocks(self, *times, skipped=0):
        write = BlockTableWriter(self.schema)
        rows = rows_of((at, [member(A, EX[f"at{at}"]), member(A, EX.all)]) for at in times)
        rows += [(at, "_:b", "<urn:p>", '"1"') for at in times]
        made = [(at, self.worker.materialize(abox)) for at, abox in aboxes_of(rows).items()]
        tables = [write(pa.scalar(at, pa.int64()), each, None) for at, each in made[::-1]]  # in no order
        if skipped:
            tables.append(SkippedBlockWriter(self.schema)(SkippedRows(skipped, [NEVER])))
        return pa.concat_tables([self.schema.empty_table(), *tables])

    def apply(self, batch, *times, skipped=0, deliver=lambda: None):
        self.driver.apply(batch, self.blocks(*times, skipped=skipped), deliver)

    def restarted(self, lateness=None, background=None, **bounds):
        """In a process where the background's blank nodes are called otherwise."""
        saved = self.reasoner.snapshot(self.driver.note)
        reasoner = StreamReasoner.restore(saved, Ontology.from_rules(RULES), background=background)
        return Stream(lateness, reasoner, **bounds)


def test_aboxes_wait_until_the_watermark_has_passed_them_and_later_ones_are_late():
    stream = Stream(lateness=2)
    stream.apply(0, 5, 2, 3, 4)
    assert stream.pushed == [2]
    stream.apply(1, 4)  # a further part of one that waits
    stream.apply(2, 8, 2, 3)  # 3 is on the watermark still; within a batch order does not matter
    assert stream.pushed == [2, 3, 4, 5]
    assert [(late.at, late.abox.num_rows) for late in stream.late] == [(2, 3)]
    assert stream.late[0].abox.column_names == ["subject", "predicate", "object"]
    assert EX.at2.n3() in stream.late[0].abox.column("subject").to_pylist()
    stream.apply(3)
    stream.apply(4, 5, 9)
    assert [late.at for late in stream.late] == [2, 5]
    assert stream.driver.counts == Counts(aboxes=6, assertions=18, cut=0, late_aboxes=2, late=6)
    assert stream.driver.batch == 4
    stream.driver.flush()
    assert stream.pushed == [2, 3, 4, 5, 8, 9]
    stream.driver.flush()
    assert stream.driver.counts.aboxes == 8
    assert stream.reasoner.timestamps == (2, 3, 4, 5, 8, 9)


@pytest.mark.parametrize("lateness", [None, 3])
@pytest.mark.parametrize("seed", range(cases(3, among_all=60)))
def test_changes_up_to_the_reported_time_are_final_and_reports_sum_to_the_counts(lateness, seed):
    draw, reports, sums = random.Random(seed), [], []
    changes = FactChanges(TimeKind.INTEGER)
    stream = Stream(lateness, on_update=changes.note, on_error="skip")

    def final(until):
        rows = changes.table().select(TERMS_AND_CHANGE).filter(pc.less_equal(changes.table()["at"], until))
        summed = rows.group_by(TERMS_AND_CHANGE[:3]).aggregate([("change", "sum")])
        return sorted(tuple(row.values()) for row in summed.to_pylist())

    for batch in range(24):
        times = [max(0, batch + draw.randint(-4, 3)) for _ in range(draw.randint(0, 5))]
        stream.apply(batch, *times, skipped=draw.randint(0, 1))
        reports.append(stream.driver.report)
        if reports[-1].complete_until is not None:
            sums.append((reports[-1].complete_until, final(reports[-1].complete_until)))
    assert len({until for until, _ in sums}) > 2
    assert all(final(until) == expected for until, expected in sums)
    for name in ("aboxes", "assertions", "cut", "conflicts", "late", "skipped", "ahead"):
        assert sum(getattr(report, name) for report in reports) == getattr(stream.driver.counts, name)
    assert reports[-1].facts == len(stream.reasoner.materialization())


def test_parts_that_wait_are_one_abox_with_one_repair():
    #   batch      0   1   2           lateness 1
    #   at 2       b       c           a contradiction within one timestamp, for which both go
    def batch(at, *facts):
        made = stream.worker.materialize([member(what, EX.thing) for what in facts])
        return BlockTableWriter(stream.schema)(pa.scalar(at, pa.int64()), made, None)

    updates = []
    stream = Stream(1, on_update=updates.append)
    for number, (at, fact) in enumerate([(2, A), (3, B), (2, C), (4, B)]):
        stream.driver.apply(number, batch(at, fact), lambda: None)
    assert [(update.at, len(update.repair.removed)) for update in updates] == [(2, 2)]
    assert (stream.driver.report.cut, stream.driver.report.conflicts) == (2, 1)
    together = StreamReasoner(stream.ontology, Window(100))
    together.push(2, [member(A, EX.thing), member(C, EX.thing)])
    assert state_of(stream.reasoner)["assertions"] == state_of(together)["assertions"] == set()
    assert stream.driver.counts.aboxes == 2


def test_without_lateness_the_newest_time_takes_more_and_what_is_older_is_late():
    stream = Stream()
    stream.apply(0, 2, 1)
    stream.apply(1, 2, 1, 3)
    assert stream.pushed == [1, 2, 2, 3]
    assert [late.at for late in stream.late] == [1]


@pytest.mark.parametrize("background", [(), BLANK])
def test_what_waits_survives_a_restart(background):
    undisturbed, first = Stream(3, background=background), Stream(3, background=background)
    for stream in (undisturbed, first):
        stream.apply(0, 1, 2, 4)
        stream.apply(1, 4, 3)
    second = first.restarted(3, [member(C, BNode("of another process"))] if background else None)
    for stream in (undisturbed, second):
        stream.apply(2, 2, 8)
    assert first.pushed == []
    assert second.pushed == [1, 2, 3, 4] == undisturbed.pushed
    assert second.driver.counts == undisturbed.driver.counts
    assert (second.driver.batch, len(first.late)) == (2, 0)
    second.driver.flush()
    undisturbed.driver.flush()
    if not background:
        assert state_of(second.reasoner) == state_of(undisturbed.reasoner)
    assert state_of(second.reasoner)["assertions"] == state_of(undisturbed.reasoner)["assertions"]


@pytest.mark.parametrize(("before", "after"), [(0, 5), (5, 0), (1, 2)])
def test_lateness_may_be_another_after_a_restart(before, after):
    first = Stream(before)
    first.apply(0, 4, 6, 9)
    second = first.restarted(after)
    second.apply(1, 5, 7, 10)
    second.driver.flush()
    pushed = first.pushed + second.pushed
    assert pushed == sorted(pushed)
    assert sorted(pushed + [late.at for late in second.late]) == [4, 5, 6, 7, 9, 10]
    assert second.driver.counts.aboxes + second.driver.counts.late_aboxes == 6


def test_what_is_too_far_ahead_waits_for_proof_and_survives_a_restart():
    stream = Stream(max_ahead=10)
    stream.apply(0, 1, 2)
    stream.apply(1, 500)
    stream = stream.restarted(max_ahead=10)
    stream.apply(2, 3)
    assert [(each.at, each.abox.num_rows) for each in stream.ahead] == [(500, 3)]
    stream.apply(3, 600)
    stream.apply(4, 601, 602, 603)  # three prove it
    assert stream.pushed == [3, 600, 601, 602, 603]
    assert (stream.driver.counts.ahead, stream.driver.counts.aboxes) == (1, 7)


def test_what_is_ahead_of_the_clock_is_handed_over_at_once():
    stream = Stream(max_ahead=10, clock=lambda: 5)
    stream.apply(0, 1, 15, 16)
    assert stream.pushed == [1, 15] and [each.at for each in stream.ahead] == [16]


def of_run(batches, lateness, max_ahead):
    """Times that a reasoner pushes, late ones and ones too far ahead, where `run` is given the batches."""
    late, ahead = [], []
    bounds = {} if max_ahead is None else {"max_ahead": max_ahead, "on_ahead": lambda at, _: ahead.append(at)}
    given = [(at, [member(A, EX.all)]) for batch in batches for at in batch]
    reasoner = StreamReasoner(Ontology.from_rules(RULES), Window(100))
    updates = reasoner.run(given, lateness, lambda at, _: late.append(at), **bounds)
    return [update.at for update in updates], late, ahead


@pytest.mark.parametrize("lateness", [0, 3])
@pytest.mark.parametrize("max_ahead", [None, 5])
def test_batches_come_to_what_run_comes_to_with_their_aboxes_in_order(lateness, max_ahead):
    rng = random.Random(f"{lateness} {max_ahead}")
    for _ in range(cases(15, 50, 500)):
        times = [n + rng.choice((0, 0, 0, -4, -2, 40)) for n in range(rng.randint(1, 12))]
        cuts = sorted(rng.sample(range(len(times) + 1), k=min(3, len(times))))
        batches = [sorted(set(times[i:j])) for i, j in pairwise([0, *cuts, len(times)])]
        stream = Stream(lateness, max_ahead=max_ahead)
        for number, batch in enumerate(batches):
            stream.apply(number, *batch)
        stream.driver.flush()
        left = [[each.at for each in given] for given in (stream.late, stream.ahead)]
        pushed, *left_by_run = of_run(batches, lateness, max_ahead)
        # Parts of one timestamp that wait are pushed together by the driver, one by one by `run`.
        assert ([at for at, _ in groupby(stream.pushed)], left) == (
            [at for at, _ in groupby(pushed)],
            left_by_run,
        )


class Broken(Exception):
    pass


def broken(*_):
    raise Broken


def break_at(time):
    def on_update(update):
        if update.at == time:
            raise Broken

    return on_update


@pytest.mark.parametrize("where", ["on_update", "on_late", "deliver"])
def test_a_batch_that_fails_anywhere_leaves_no_trace_and_may_come_again(where):
    undisturbed = Stream(1)
    stream = Stream(1, on_update=break_at(6) if where == "on_update" else None)
    for each in (undisturbed, stream):
        each.apply(0, 3, 5)
    before = stream.reasoner.snapshot(stream.driver.note), state_of(stream.reasoner)
    if where == "on_late":
        stream.driver._on_late = broken
    with pytest.raises(Broken):
        stream.apply(1, 6, 7, 8, 2, deliver=broken if where == "deliver" else lambda: None)
    assert (stream.reasoner.snapshot(stream.driver.note), state_of(stream.reasoner)) == before
    assert stream.driver.batch == 0
    stream.driver._on_update, stream.driver._on_late = stream.pushed.append, stream.late.append
    for each in (undisturbed, stream):
        each.apply(1, 6, 7, 8, 2)
        each.driver.flush()
    assert state_of(stream.reasoner) == state_of(undisturbed.reasoner)
    assert stream.driver.note == undisturbed.driver.note


def test_what_waits_is_taken_in_whole_or_not_at_all():
    stream = Stream(9, on_update=break_at(3))
    stream.apply(0, 1, 2, 3)
    with pytest.raises(Broken):
        stream.driver.flush()
    assert stream.driver.counts == Counts() and not stream.reasoner.timestamps
    stream.driver._on_update = stream.pushed.append
    stream.driver.flush()
    assert stream.driver.counts.aboxes == 3


def test_rows_that_workers_left_out_fail_the_batch_or_are_counted_and_logged(caplog):
    stream = Stream(on_error="skip")
    stream.apply(0, 1, skipped=3)
    stream.apply(1, skipped=2)
    assert stream.driver.counts == Counts(aboxes=1, assertions=3, skipped=5)
    assert [message.partition(":")[0] for message in caplog.messages] == [
        f"skipped {count} rows that are not timestamped triples" for count in (3, 2)
    ]
    strict = Stream()
    with pytest.raises(InvalidRowError, match="column timestamp of the row"):
        strict.apply(0, 1, skipped=1)
    assert strict.driver.batch == -1 and not strict.reasoner.timestamps


@pytest.mark.parametrize("time", [LongType(), DoubleType(), TimestampType()])
def test_blocks_have_a_column_for_each_thing_an_interpretation_is_made_of(time):
    assert block_schema(time).fieldNames() == [
        *("timestamp", "facts", "asserted", "classes", "properties", "names", "literals"),
        *("contradictory", "foundation", "skipped", "examples"),
    ]


def folder_with(path, offsets=(), commits=(), reasoner=True):
    for kind, batches in (("offsets", offsets), ("commits", commits)):
        (path / "spark" / kind).mkdir(parents=True)
        for batch in batches:
            (path / "spark" / kind / str(batch)).touch()
        (path / "spark" / kind / ".0.crc").touch()
    if reasoner:
        (path / "reasoner").touch()
    return CheckpointFolder(LocalFolder(path))


def test_a_new_folder_is_made_and_has_no_stream(tmp_path):
    progress = CheckpointFolder(LocalFolder(tmp_path / "not" / "there"))
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
        (4, [], [], "has no batch 4, which is in the window"),
        (4, range(3), range(2), "rows would be lost or processed twice"),
    ],
)
def test_all_else_is_refused(tmp_path, batch, offsets, commits, said):
    with pytest.raises(CheckpointError, match=said):
        folder_with(tmp_path, offsets, commits).check(batch)


def test_a_lost_window_and_a_file_in_the_folders_place_are_refused(tmp_path):
    with pytest.raises(CheckpointError, match=r"it is missing, but .* shows that the stream has been read"):
        _ = folder_with(tmp_path / "lost", [0], [], reasoner=False).exists
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match="it is a file; a stream's checkpoint is a folder"):
        checkpoint_folder(tmp_path / "file", None)


def test_paths_stand_in_uris_as_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a b%20ü").mkdir()
    assert checkpoint_folder("a b%20ü", None).uri == f"file://{tmp_path}/a b%20ü"
