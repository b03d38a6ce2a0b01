"""Commands made of dataclasses, whose options are each given once."""

from inspect import signature
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from pantarhei.cli import commands
from pantarhei.cli.taking import EachOnce

app = typer.Typer()


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


paths = typer.Typer()


@paths.command(cls=EachOnce)
def reading(
    table: Annotated[str, typer.Argument(metavar="TABLE")] = "-",
    query: Annotated[str | None, typer.Option(metavar="FILE|TEXT")] = None,
    more: Annotated[list[Path] | None, typer.Option(metavar="PATH")] = None,
    length: Annotated[str, typer.Option(metavar="DURATION")] = "1",
    word: str = "",
) -> None:
    typer.echo(f"{table} {query} {more} {length!r} {word!r}")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--query", ""], "--query: it is an empty text, and FILE|TEXT is expected"),
        (["--query="], "--query: it is an empty text, and FILE|TEXT is expected"),
        (["--more", "a", "--more", ""], "--more: it is an empty text, and PATH is expected"),
        ([""], "table: it is an empty text, and TABLE is expected"),
    ],
)
def test_an_empty_text_is_no_path(given, said):
    done = CliRunner().invoke(paths, given, env={"COLUMNS": "120"})
    assert done.exit_code == 2
    assert said in done.output


def test_an_empty_text_may_be_a_word():
    assert CliRunner().invoke(paths, ["--word", "", "--length", ""]).output == "- None None '' ''\n"


@pytest.mark.parametrize("command", [commands.run, commands.explain, commands.timeline, commands.check])
def test_each_option_that_takes_a_path_says_so(command):
    without = [
        name
        for name, each in signature(command).parameters.items()
        if each.annotation.__metadata__[0].metavar is None and "Path" in str(each.annotation.__origin__)
    ]
    assert without == []
