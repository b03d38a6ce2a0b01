"""Canonical models that Spark has made, joined across timestamps as if the stream had been read here."""

import pytest

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.cli import follow_on_spark
from pantarhei.cli.follow_on_spark import SparkSource
from pantarhei.cli.run_options import RunOptions
from pantarhei.cli.run_report import RunCounts
from pantarhei.errors import MalformedInputError, OptionError, TimestampError
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.rule import Rule
from pantarhei.model.time import TimeKind
from pantarhei.spark.materialize_files import FileCounts, MaterializedFiles
from strategies import A, B, C, a, b, is_a, member, x

ONTOLOGY = Ontology.from_rules(
    [Rule("sub", (is_a(A, x),), is_a(B, x)), Rule("disjoint", (is_a(B, x), is_a(C, x)), None)]
)
ABOXES = {3: [member(C, a)], 1: [member(A, a), member(A, b)], 2: []}  # in no order


def reasoner(window=2):
    return StreamReasoner(ONTOLOGY, Window(window))


@pytest.fixture
def source(monkeypatch, tmp_path):
    """A source whose files Spark is said to have read and closed; gives what it was asked for."""

    def made(error=None, range="2", **options):
        (tmp_path / "stream.nq").write_text("<urn:a> <urn:p> <urn:b> <urn:1> .\n")

        def close_files(files, kind, foundation, master):
            asked.append((kind, master))
            maker, account = ABoxMaterializer(reasoner().foundation), FileCounts(error=error)
            for at, triples in ABOXES.items():
                account.note(at, at, len(triples))
            closed = {at: maker.materialize(triples) for at, triples in ABOXES.items() if triples}
            return MaterializedFiles(closed, account)

        monkeypatch.setattr(follow_on_spark, "materialize_files", close_files)
        given = RunOptions([str(tmp_path)], str(tmp_path / "stream.nq"), range, **options)
        return SparkSource(given, "local[2]")

    asked = []
    made.asked = asked
    return made


def test_updates_are_in_time_order_and_those_of_a_stream_that_is_read_here(source):
    counts, here = RunCounts(), reasoner()
    found = list(source().updates(reasoner(), counts))
    expected = [here.push(at, ABOXES[at]) for at in sorted(ABOXES)]
    assert [(update.at, update.delta, update.repair) for update in found] == [
        (update.at, update.delta, update.repair) for update in expected
    ]
    assert (counts.aboxes, counts.assertions) == (3, 3)


def test_the_window_may_be_said_by_the_query(source):
    updates = list(source(range=None).updates(reasoner(), RunCounts()))
    assert [update.at for update in updates] == sorted(ABOXES)


def test_spark_is_asked_once_for_the_kind_of_time_that_the_files_have(source):
    list(source().updates(reasoner(), RunCounts()))
    assert source.asked == [(TimeKind.INTEGER, "local[2]")]


def test_an_error_in_the_files_is_raised_before_anything_is_pushed(source):
    error, untouched = MalformedInputError("a.nq", 1, "why"), reasoner()
    failing = source(error)
    with pytest.raises(MalformedInputError):
        list(failing.updates(untouched, RunCounts()))
    assert untouched.timestamps == () and failing.account.error is error


def test_a_window_of_another_kind_than_the_times_is_refused_before_spark_works(source):
    with pytest.raises(TimestampError):
        list(source().updates(reasoner("PT5M"), RunCounts()))
    assert source.asked == []


def test_standard_input_and_a_time_that_is_none_are_refused_at_once(source):
    with pytest.raises(OptionError, match="cannot read standard input"):
        SparkSource(RunOptions(["o.ttl"], "-", "2"), "local[2]")
    with pytest.raises(OptionError, match="clock"):
        source(time="clock")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_ahead", "5"),
        ("dead_letters", "left.ndjson"),
        ("base", "http://e/"),
        ("zone", "UTC"),
        ("context", ["urn:c=c.jsonld"]),
    ],
)
def test_options_that_have_no_effect_on_spark_are_refused_at_once(source, name, value):
    with pytest.raises(OptionError) as refused:
        source(**{name: value})
    assert refused.value.option == name and source.asked == []
