"""Options: the values they choose from, the defaults they have, and that each is given once."""

import inspect
from datetime import timedelta
from functools import partial
from typing import get_args, get_type_hints

import pytest
import typer

from pantarhei import StreamReasoner, Window, load_ontology, read_stream
from pantarhei.cli.follow import FileSource
from pantarhei.cli.run_options import RunOptions
from pantarhei.engine.options import ConclusionsIn as InLibrary
from pantarhei.io.writers import FORMATS
from pantarhei.materialize.model import Keep
from pantarhei.repair.cut import Method
from pantarhei.window.retention import OnLimit
from pantarhei.window.sliding import Closed


@pytest.mark.parametrize(
    ("option", "taken"),
    [
        ("closed", Closed | None),
        ("conclusions", InLibrary | None),
        ("repair", Method),
        ("keep", Keep),
        ("on_limit", OnLimit),
    ],
)
def test_the_command_line_offers_what_the_library_takes(option, taken):
    assert get_type_hints(RunOptions)[option] == taken


def test_the_command_line_offers_the_formats_that_are_written():
    chosen, _ = get_args(get_type_hints(RunOptions)["format"])
    assert get_args(chosen) == FORMATS


@pytest.mark.parametrize(
    ("option", "library"),
    [
        *((option, StreamReasoner) for option in ("repair", "keep", "unique_names", "on_limit")),
        ("slide", Window),
        *((option, read_stream) for option in ("time", "on_error")),
        ("imports", load_ontology),
    ],
)
def test_the_defaults_are_those_of_the_library(option, library):
    own, of_library = (inspect.signature(each).parameters[option].default for each in (RunOptions, library))
    assert own == of_library


def test_the_window_is_that_of_the_library_unless_told(tmp_path):
    given = [str(tmp_path)], "s.nq", "2"
    assert RunOptions(*given).reasoning().window == Window(2)
    assert RunOptions(*given, closed="right").reasoning().window == Window(2, closed="right")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"idle": "5s", "range": "2"}, "the window has numbers"),
        ({"idle": "5"}, "not a duration above 0"),
        ({"idle": "0s"}, "not a duration above 0"),
        ({"idle": "soon"}, "soon"),
    ],
)
def test_ticks_in_a_silence_need_a_duration_and_a_window_of_time(given, problem):
    options = RunOptions(**{"ontology": ["o.ttl"], "stream": "-", "range": "1m", **given})
    with pytest.raises(typer.BadParameter, match=problem) as error:
        _ = options.silence
    assert error.value.param_hint == "--idle"


def test_ticks_in_a_silence_come_at_the_tick_the_slide_or_each_second():
    options = partial(RunOptions, ["o.ttl"], "-", "1m", idle="5s")
    assert options().silence == (timedelta(seconds=5), timedelta(seconds=1))
    assert options(slide="2s").silence.tick == timedelta(seconds=2)
    assert options(slide="2s", tick="1s").silence.tick == timedelta(seconds=1)
    assert RunOptions(["o.ttl"], "-", "1m").silence is None


def test_ticks_in_a_silence_are_for_pipes(tmp_path):
    (tmp_path / "s.nq").touch()
    options = RunOptions(["o.ttl"], str(tmp_path / "s.nq"), "1m", idle="5s")
    with pytest.raises(typer.BadParameter, match="the stream is a file"):
        FileSource(options, silence=options.silence)


@pytest.mark.parametrize("query", [None, "SELECT * { ?x a ?c }"])
def test_the_older_end_alone_is_for_windows_that_a_query_says(query, tmp_path):
    given = RunOptions([str(tmp_path)], "s.nq", "2", closed="left", query=query)
    with pytest.raises(
        typer.BadParameter, match="left is valid only for windows declared in a query"
    ) as raised:
        given.reasoning()
    assert raised.value.param_hint == "--closed"
    assert given.reasoning(Window(2)).window == Window(2)


def test_a_query_beside_rules_finds_conclusions_among_the_facts_unless_told(tmp_path):
    given, rules = ([str(tmp_path)], "s.nq", "2"), tmp_path / "r.lars"
    assert RunOptions(*given, rules=rules, query="q").reasoning().conclusions == "default"
    assert RunOptions(*given, rules=rules, query="q", conclusions="graph").reasoning().conclusions == "graph"
    assert RunOptions(*given, rules=rules).reasoning().conclusions == "graph"


@pytest.mark.parametrize("told", [{"rules": "r.lars"}, {"query": "q"}, {}])
def test_where_conclusions_are_found_is_told_with_rules_and_a_query_alone(told, tmp_path):
    with pytest.raises(typer.BadParameter, match="--rules and --query"):
        RunOptions([str(tmp_path)], "s.nq", "2", conclusions="default", **told).reasoning()
