"""The demo: what it shows is right, and it runs wherever it may be run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

import demo
from pantarhei.cli import commands
from pantarhei.errors import InputError

ROOT = Path(__file__).parents[2]


def shown(width):
    console = Console(width=width, record=True, file=open(os.devnull, "w"), highlight=False)  # noqa: SIM115
    demo.main(small=True, spark=False, console=console)
    return console.export_text()


@pytest.fixture(scope="module")
def narrow():
    return shown(80)


def lines_with(text, part):
    return [" ".join(line.split()) for line in text.splitlines() if part in line]


def test_no_line_is_wider_than_the_terminal(narrow):
    assert max(map(len, narrow.splitlines())) <= 80


def test_the_pedals_are_as_in_the_paper(narrow):
    drawn = lines_with(narrow, "now = ")
    gas, gone, brakes = "gas ", "gas✗ ", "brakes "
    #   now:             0  1  2  3  4, then 4 again with a range of 4
    assert [line.count(gas) for line in drawn] == [1, 2, 2, 0, 0, 0]
    assert [line.count(gone) for line in drawn] == [0, 0, 0, 1, 0, 2]
    assert [line.count(brakes) for line in drawn] == [0, 0, 0, 1, 2, 2]
    assert lines_with(narrow, "✗ at 3 removed: the")
    assert lines_with(narrow, "Alex is halting driver")
    assert not lines_with(narrow, "is changing gear")


def test_the_reactor_tells_an_abox_that_contradicts_itself(narrow):
    assert "06:05:30 high✗ normal✗ closed✗ not known" in lines_with(narrow, "06:05:30")
    assert lines_with(narrow, "equally new)")


def test_the_building_answers_and_measures(narrow):
    assert [line for line in lines_with(narrow, "floor-1") if line.startswith("floor-1")]
    assert "4,000 readings in 11 minutes" in lines_with(narrow, "readings in")
    assert lines_with(narrow, "readings a CPU second of reasoning")
    assert lines_with(narrow, "of CPU to reason")


@pytest.mark.long
def test_it_tells_the_same_each_time(narrow):
    def without_figures(text):
        return text.partition("Measured in this run")[0]

    assert without_figures(shown(80)) == without_figures(narrow)


@pytest.mark.long
def test_it_fits_a_wide_terminal():
    assert max(map(len, shown(120).splitlines())) <= 120


def run_demo(*options, **environment):
    return subprocess.run(
        [sys.executable, "-m", "pantarhei", "demo", "--small", *options],
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, **environment},
    )


@pytest.mark.long
def test_it_runs_without_a_terminal():
    done = run_demo()
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout
    assert b"Traceback" not in done.stderr


@pytest.mark.long
def test_it_runs_where_only_ascii_can_be_shown():
    done = run_demo(PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr


def test_without_a_checkout_it_says_where_to_run_it(monkeypatch, tmp_path):
    monkeypatch.setattr(commands, "__file__", str(tmp_path / "site" / "pantarhei" / "cli" / "commands.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="source checkout"):
        commands._examples()
    monkeypatch.chdir(ROOT)
    assert commands._examples() == ROOT / "examples"
