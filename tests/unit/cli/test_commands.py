"""The commands: what comes of errors, and where the stream comes from."""

import errno
import re
import sys
import warnings
from inspect import signature
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from pantarhei.cli import commands
from pantarhei.cli.commands import StrictCommand, as_option, main, one_line, option_names
from pantarhei.cli.commands import app as app_of_commands
from pantarhei.cli.follow import FileSource
from pantarhei.errors import (
    MissingFileError,
    MissingImportError,
    OptionError,
    QueryError,
    QueryLengthError,
    QueryMemoryError,
    QueryTimeoutError,
    RegistrationMemoryError,
    SparkError,
    TemporalTextError,
    TimesCutWarning,
)
from pantarhei.errors.base import parameters_written
from pantarhei.temporal.rules import load_rules
from pantarhei.version import __version__


def invoke(*arguments):
    return CliRunner().invoke(app_of_commands, list(map(str, arguments)))


def run(*arguments):
    stream = "--stream", "-", "--stream-format", "nquads"
    return invoke("run", "--ontology", "o.ttl", *stream, "--range", "2", *arguments)


def failing(monkeypatch, error):
    """What a run comes to in which following the stream raises an error."""

    def follow(options, source):
        raise error

    monkeypatch.setattr("pantarhei.cli.follow.follow", follow)
    return run()


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (OptionError("on_error", "'no'", "one of two"), 2, "--on-error no is invalid"),
        (QueryError("it asks too much"), 1, "it asks too much"),
        (SparkError("one\ntwo"), 1, "two"),
        (MissingImportError("urn:x", "o.ttl"), 1, "--catalog"),
        (PermissionError(errno.EACCES, "Permission denied", "s.nq"), 1, "s.nq: Permission denied"),
    ],
)
def test_an_error_in_what_was_given_is_one_line_and_an_exit_code(monkeypatch, error, code, said):
    done = failing(monkeypatch, error)
    assert (done.exit_code, done.stdout) == (code, "")
    assert done.stderr.startswith("error: ") and said in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code"),
    [(KeyboardInterrupt(), 130), (BrokenPipeError(), 141), (OSError(errno.EPIPE, "?"), 141)],
)
def test_an_interrupt_and_a_closed_pipe_are_told_by_the_exit_code_alone(monkeypatch, error, code):
    closed = []
    monkeypatch.setattr(commands, "_close_quietly", lambda: closed.append(True))
    done = failing(monkeypatch, error)
    assert (done.exit_code, done.stderr) == (code, "") and bool(closed) == (code == 141)


def test_an_error_of_the_program_itself_is_not_hidden(monkeypatch):
    assert isinstance(failing(monkeypatch, ZeroDivisionError()).exception, ZeroDivisionError)


def test_drop_without_a_limit_is_wrong_usage_before_anything_is_read():
    done = run("--on-limit", "drop")
    text = "drop needs a limit; give --max-facts or --max-bytes"
    assert done.exit_code == 2 and text in " ".join(done.stderr.replace("│", " ").split())


def test_a_stream_is_read_here_unless_spark_is_asked_for(monkeypatch):
    sources = []
    monkeypatch.setattr("pantarhei.cli.follow.follow", lambda options, source: sources.append(source))
    assert run().exit_code == 0
    assert [type(source) for source in sources] == [FileSource]
    refused = run("--spark", "local[1]")
    assert refused.exit_code == 2 and len(sources) == 1


def test_the_names_of_options_are_those_of_both_commands():
    assert {"ontology", "on_error", "spark", "strict", "depth"} <= option_names()


def test_the_version_is_that_of_the_package():
    assert invoke("--version").stdout == f"pantarhei {__version__}\n"


def test_the_demo_says_where_it_can_be_run(monkeypatch, tmp_path):
    monkeypatch.setattr(commands, "__file__", str(tmp_path / "a" / "b" / "c" / "d.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingFileError, match="README"):
        commands._examples()
    (tmp_path / "examples" / "demo").mkdir(parents=True)
    assert commands._examples() == tmp_path / "examples"


def test_a_warning_is_a_line_without_its_place_in_the_code(capsys):
    commands._warn("slow", UserWarning, "file.py", 7)
    assert capsys.readouterr() == ("", "warning: slow\n")


def test_a_closed_standard_input_is_an_empty_stream(monkeypatch, capsys, tmp_path):
    (tmp_path / "o.ttl").write_text("<urn:A> a <http://www.w3.org/2002/07/owl#Class> .")
    given = ["--ontology", str(tmp_path / "o.ttl"), "--stream", "-", "--stream-format", "nquads"]
    monkeypatch.setattr(sys, "argv", ["pantarhei", "run", *given, "--range", "5"])
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    with pytest.raises(SystemExit) as ended:
        main()
    sys.stdin.close()
    assert ended.value.code == 0 and "0 ABoxes" in capsys.readouterr().err


app = typer.Typer()


@app.command(cls=StrictCommand)
def command(one: str = "nothing", many: list[str] | None = None) -> None:
    typer.echo(f"{one} {many}")


def test_an_option_of_one_value_is_refused_the_second_time_and_the_error_names_it():
    done = CliRunner().invoke(app, ["--one", "a", "--one", "a"])
    assert done.exit_code == 2
    assert "--one" in done.output and "given 2 times" in done.output


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (("--repair", "exakt"), r"--repair.*'exakt' is not one of .*'off' \(did you mean exact\?\)"),
        (("--on-error", "ignore"), r"--on-error.*'ignore' is not one of 'raise', 'skip' *│"),
        (("--max-facts", "0"), "--max-facts.*'0' is invalid: input should be greater than or equal to 1"),
        (("--max-facts", "many"), "--max-facts.*'many' is invalid: input should be a valid integer"),
        (("--dead-letters", "x.ndjson"), "--dead-letters: nothing is skipped.*give --on-error skip"),
    ],
)
def test_an_invalid_value_is_named_without_the_words_of_a_library(given, text, monkeypatch):
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", 300)
    done = invoke(
        "run", "--ontology", "o.ttl", "--stream", "-", "--stream-format", "nquads", "--range", 5, *given
    )
    assert done.exit_code == 2 and "Value error" not in done.stderr
    assert re.search(text, done.stderr), done.stderr


def test_an_option_of_several_values_is_taken_as_often_as_it_is_given():
    done = CliRunner().invoke(app, ["--many", "a", "--one", "b", "--many", "c"])
    assert done.output == "b ['a', 'c']\n"


paths = typer.Typer()


@paths.command(cls=StrictCommand)
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
        (["--query", ""], "--query: it is empty; give FILE|TEXT"),
        (["--query="], "--query: it is empty; give FILE|TEXT"),
        (["--more", "a", "--more", ""], "--more: it is empty; give PATH"),
        ([""], "table: it is empty; give TABLE"),
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


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            OptionError("on_error", "'no'", 'raise or on_error="skip"'),
            "--on-error no is invalid",
        ),
        (OptionError("master", "'yarn'", "local[2]"), "--spark yarn is invalid"),
        (OptionError("unique_names", "False", "nothing"), "--no-unique-names is invalid"),
        (OptionError("shard_by", "'urn:x'", "a key"), "shard_by='urn:x' is invalid: expected a key"),
        (QueryTimeoutError(2.5), "stopped after 2.5 seconds; raise the limit (--query-timeout), or"),
        (
            RegistrationMemoryError(115_000, 156_297, 0, 45_000),
            "more than the limit --max-bytes 115000; raise the limit",
        ),
        (QueryLengthError(2_000, 1_000), "has 2_000 characters, more than the limit of 1_000; pass data"),
        (
            QueryMemoryError(1_000, 2_000, 5),
            "2_000 bytes for 5 rows at once, more than the limit of 1_000; query",
        ),
        (
            QueryMemoryError(1_000, 2_000),
            "2_000 bytes, more than the limit of 1_000; create fewer or shorter",
        ),
        (QueryError('the literal "range=1"'), 'the literal "range=1"'),
    ],
)
def test_messages_name_options_and_keep_given_values(error, text):
    with parameters_written(as_option):
        assert text in str(error)


def test_warnings_name_options():
    with parameters_written(as_option):
        assert "--precision exact refuses them" in str(TimesCutWarning("s.nq", "10:00"))


def test_a_message_of_several_lines_is_one():
    assert "\n" not in one_line(str(OptionError("range", "1\n2", "one number")))


def test_a_missing_prefix_is_not_an_argument_on_the_command_line():
    with parameters_written(as_option), pytest.raises(TemporalTextError) as raised:
        load_rules("ex:a(X) :- ex:b(X).")
    first, *_, last = str(raised.value).splitlines()
    assert first.endswith("expected a line @prefix ex: <http://…#> . above") and last.endswith("^")
    with pytest.raises(TemporalTextError, match=r"above, or prefixes=\{'ex': 'http://…#'\}"):
        load_rules("ex:a(X) :- ex:b(X).")
