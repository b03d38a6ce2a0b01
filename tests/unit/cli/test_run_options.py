"""Options: the values they choose from, the defaults they have, and that each is given once."""

import inspect
from typing import get_args, get_type_hints

import pytest
import typer
from typer.testing import CliRunner

from pantarhei import StreamReasoner, Window, load_ontology, read_stream
from pantarhei.cli.run_options import EachOnce, Following
from pantarhei.materialize.model import Keep
from pantarhei.repair.choose import Method
from pantarhei.streams.write import FORMATS
from pantarhei.window.limits import OnLimit
from pantarhei.window.sliding import ReasonerClosed

app = typer.Typer()


@pytest.mark.parametrize(
    ("option", "taken"),
    [("closed", ReasonerClosed | None), ("repair", Method), ("keep", Keep), ("on_limit", OnLimit)],
)
def test_the_command_line_offers_what_the_library_takes(option, taken):
    assert get_type_hints(Following)[option] == taken


def test_the_command_line_offers_the_formats_that_are_written():
    chosen, _ = get_args(get_type_hints(Following)["format"])
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
    own, of_library = (inspect.signature(each).parameters[option].default for each in (Following, library))
    assert own == of_library


def test_the_window_is_that_of_the_library_unless_told(tmp_path):
    assert Following(tmp_path, "s.nq", "2").reasoning().window == Window(2)
    assert Following(tmp_path, "s.nq", "2", closed="right").reasoning().window == Window(2, closed="right")


@app.command(cls=EachOnce)
def command(one: str = "nothing", many: list[str] | None = None) -> None:
    typer.echo(f"{one} {many}")


def test_an_option_of_one_value_is_refused_the_second_time_and_the_error_names_it():
    done = CliRunner().invoke(app, ["--one", "a", "--one", "a"])
    assert done.exit_code == 2
    assert "--one" in done.output and "given 2 times" in done.output


def test_an_option_of_several_values_is_taken_as_often_as_it_is_given():
    done = CliRunner().invoke(app, ["--many", "a", "--one", "b", "--many", "c"])
    assert done.output == "b ['a', 'c']\n"
