"""`pantarhei run --idle`: time follows the machine's clock while a pipe is silent."""

import json
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from service_tools import MAPPING, ONTOLOGY, wait_until

RULES = """
@prefix : <http://example.org/> .
remember heard.
heard(S) :- asserted :value(S, V).
silent(S) :- heard(S) in [10 min], not heard(S) in [500 ms].
"""
pytestmark = pytest.mark.long
HEADS = {"csv": "at,id,v\n"}


def reading(form, at, name, value):
    if form == "jsonl":
        return json.dumps({"at": at, "id": name, "v": value}) + "\n"
    if form == "csv":
        return f"{at},{name},{value}\n"
    base = "http://example.org/"
    return (
        f'<{base}{name}> <{base}value> "{value}"^^<http://www.w3.org/2001/XMLSchema#decimal> <{base}{at}> .\n'
    )


class Run:
    """Process of `run` with a pipe, and the lines of its output."""

    def __init__(self, folder, form, *more):
        for name, text in {"o.ttl": ONTOLOGY, "m.yaml": MAPPING, "r.lars": RULES}.items():
            (folder / name).write_text(text)
        self._output, self._form = folder / "out.csv", form
        mapping = [] if form == "nquads" else ["--mapping", "m.yaml"]
        given = ["--stream", "-", "--stream-format", form, *mapping, "--ontology", "o.ttl", "-o", "out.csv"]
        window = ["--range", "1m", "--slide", "100ms", "--rules", "r.lars"]
        command = [sys.executable, "-m", "pantarhei", "run", *given, *window, *more]
        pipes = dict.fromkeys(("stdin", "stderr"), subprocess.PIPE)
        self.process = subprocess.Popen(command, text=True, cwd=folder, **pipes)
        self.write(HEADS.get(form, ""))

    def write(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def read(self, name, value=20, ago=0.0):
        """Write a reading; return its time."""
        at = datetime.now(UTC) - timedelta(seconds=ago)
        self.write(reading(self._form, at.isoformat().replace("+00:00", "Z"), name, value))
        return at

    def silent(self):
        """Times and sensors of the silences that have begun."""
        text = self._output.read_text() if self._output.exists() else ""
        return re.findall(r"^(\S+?),\+,.*silent\W.*?(\w)\W*$", text, re.MULTILINE)


@pytest.mark.parametrize("form", ["jsonl", "csv", "nquads"])
def test_a_rule_on_silence_fires_while_a_pipe_is_silent(tmp_path, form):
    run = Run(tmp_path, form, "--idle", "200ms", "--allowed-lateness", "100ms")
    last = run.read("a")
    wait_until(run.silent)
    [(at, name)] = run.silent()
    late = (datetime.fromisoformat(at) - last).total_seconds()
    assert name == "a" and 0.5 <= late <= 1
    run.read("b")  # later messages are processed after a silence
    wait_until(lambda: [each for _, each in run.silent()] == ["a", "b"])
    run.process.send_signal(signal.SIGTERM)
    _, errors = run.process.communicate(timeout=20)
    assert run.process.returncode == 143 and "Fatal" not in errors
    assert errors.startswith("2 ABoxes, 2 assertions")
