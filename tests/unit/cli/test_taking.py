"""Commands made of dataclasses, whose options are each given once."""

import typer
from typer.testing import CliRunner

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
