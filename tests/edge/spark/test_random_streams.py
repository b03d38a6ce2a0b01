"""Random streams in shards on Spark: at each complete time the shards hold together what one reasoner holds.

Programs, keys, second keys and options are those of `test_sharding.py`. Each start may choose another number
of shards. `PANTARHEI_BATCHES` sets the number of batches.
"""

import os
import random
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from pantarhei import Ontology
from pantarhei.spark import reason_stream
from random_shards import COUNTS, STREAM_CASES, StreamCheck, setups
from spark_streams import NOW, Folder, rows_of

BATCHES = int(os.environ.get("PANTARHEI_BATCHES", "60"))


class SparkCheck(StreamCheck):
    """A random stream in shards on Spark, and one reasoner with the rows that are on time and valid."""

    def __init__(self, spark, path, setup, pool, rnd):
        super().__init__(setup, pool, rnd)
        self.spark, self.path = spark, path
        self.folder, self.written, self.read = Folder(path / "in"), [], 0

    def run(self, **options):
        """Start the stream again and again."""
        at = self.rnd.randint(-5, 5)
        for _ in range(self.rnd.randint(2, 4)):
            for _ in range(self.rnd.choice((1, 1, 2, 3))):
                rows = []
                for _ in range(self.rnd.choice((1, 1, 2, 4))):
                    at += self.rnd.choice((0, 1, 1, 2, 5))
                    rows += [(at, fact) for fact in self.facts(self.rnd.choice((1, 2, 5)))]
                    if self.rnd.random() < 0.3:
                        rows += [(at - self.rnd.randint(1, 5), fact) for fact in self.facts(1)]
                self.written.append(self.rnd.sample(rows, len(rows)))
                self.folder.write(rows_of((when, [fact]) for when, fact in self.written[-1]))
            self.start(self.rnd.choice((self.setup.shards, self.rnd.randint(1, 5))), options)
            if self.rnd.random() < 0.3:
                self.query.flush()
                self.follow()
        self.query.flush()
        self.follow()
        assert not self.held
        counts = self.query.counts
        assert (counts.late, counts.skipped, counts.assertions) == (self.late, self.skipped, self.asserted)
        COUNTS["late on Spark"] += self.late

    def start(self, shards, options):
        self.changes, self.reports = {}, []
        COUNTS["starts"] += 1
        self.query = reason_stream(
            self.folder.stream(self.spark),
            shard_by=self.setup.key,
            shards=shards,
            hot_keys=self.setup.hot_keys or None,
            keep=self.setup.options.keep,
            unique_names=self.setup.options.unique_names,
            on_error=self.setup.on_error,
            allowed_lateness=self.lateness if self.setup.waits else None,
            sink=lambda rows, batch: self.changes.update({batch: rows.collect()}),
            on_batch=self.reports.append,
            checkpoint=self.path / "checkpoint",
            trigger=NOW,
            **options,
        )
        self.query.await_termination()
        self.follow()

    def follow(self):
        """Compare the batches that were run since the last call."""
        for report in self.reports:
            text = (self.path / "checkpoint" / "offsets" / str(report.batch)).read_text()
            (position,) = re.findall(r'"logOffset":(\d+)', text)
            rows = self.written[int(position)] if int(position) >= self.read else []
            self.read = int(position) + 1
            closed = None if report.complete_until is None else report.complete_until + 1
            changes = ((at, terms, change) for _, at, *terms, change in self.changes.get(report.batch, ()))
            self.check(changes, rows, closed, report, report.complete_until)
            COUNTS["batches on Spark"] += 1
            COUNTS["removed on Spark"] += report.cut
        self.reports.clear()


def check_stream(spark, rules, background, pool, streaming, promised, unique_names, number):
    rnd = random.Random(number)
    found = list(setups(rules, background, streaming, promised, unique_names, rnd))
    if not found:
        return
    setup = rnd.choice(found)
    with tempfile.TemporaryDirectory() as folder:
        check = SparkCheck(spark, Path(folder), setup, pool, rnd)
        if check.valid:
            check.run(
                ontology=Ontology.from_rules(rules),
                window=setup.options.window,
                background=background,
                streaming=streaming,
                colocated=setup.report.colocated,
            )


@pytest.mark.long
@pytest.mark.timeout(300 + 5 * BATCHES)
def test_the_changes_of_shards_on_spark_add_up_to_one_model_at_each_complete_time(spark):
    COUNTS.clear()

    @settings(max_examples=20 * BATCHES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(STREAM_CASES)
    def check(case):
        COUNTS["drawn"] += 1
        if COUNTS["drawn"] > 2 * BATCHES and COUNTS["batches on Spark"] < BATCHES:  # the first are small
            check_stream(spark, *case)

    check()
    print({name: number for name, number in COUNTS.items() if not isinstance(name, tuple)})
    assert COUNTS["batches on Spark"] >= BATCHES and COUNTS["facts"] >= BATCHES
    assert COUNTS["starts"] >= BATCHES / 8 and COUNTS["late on Spark"] >= BATCHES / 60
