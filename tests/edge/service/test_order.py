"""`order: event` equals `pantarhei run` over the sorted file, whatever the order of arrival."""

import json
import random
import threading
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from pantarhei.cli.commands import app
from pantarhei.service.message_journal import read_journal
from pantarhei.service.writer import Writer
from service_tools import HOT, site, wait_until

BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATENESS = 2.0
WINDOWS = [{"range": "10s"}, {"range": "10s", "slide": "1s"}, {"range": "5s", "slide": "2s", "tick": "500ms"}]
RULES = """
@prefix : <http://example.org/> .
remember heard.
heard(S) :- asserted :value(S, V).
silent(S) :- heard(S) in [20 sec], not heard(S) in [4 sec].
alarm(S) :- :Hot(S) in [2 sec], not silent(S).
"""
MORE = """
clock: {order: event, allowed_lateness: 2s, max_ahead: null, idle: null}
sinks: {out: {file: out.ndjson}}
"""


def drawn(seed):
    """Readings of two sources, in the order of their arrival: each at most `LATENESS` seconds late."""
    draw = random.Random(seed)
    files = {}
    for name in ("a", "b"):
        pace, count = draw.choice([0.2, 1, 3]), draw.randint(20, 80)
        times = [round(draw.uniform(0, pace * count), draw.choice([0, 3])) for _ in range(count)]
        times.sort(key=lambda at: at + draw.uniform(0, LATENESS))
        sensors = "pqrs" if name == "a" else draw.choice(["qrst", "uvw"])
        files[name] = [
            {
                "at": (BEGIN + timedelta(seconds=at)).isoformat().replace("+00:00", "Z"),
                "id": draw.choice(sensors),
                "v": draw.choice([20, 29.5, 30, 31]),
            }
            for at in times
        ]
    return files


def write(path, readings):
    path.write_text("".join(f"{json.dumps(each)}\n" for each in readings))


def changes_of_service(folder, files, window):
    for name, readings in files.items():
        write(folder / f"{name}.jsonl", readings)
    (folder / "r.lars").write_text(RULES)
    sources = ", ".join(f"{name}: {{files: {name}.jsonl, mapping: m.yaml, follow: false}}" for name in files)
    more = MORE + "rules: r.lars" if len(window) > 1 else MORE
    writer = Writer(site(folder, f"{{{sources}}}", more, json.dumps(window).replace('"', "")))
    writer.start()
    running = threading.Thread(target=writer.run)
    running.start()
    last = max(datetime.fromisoformat(each["at"]) for readings in files.values() for each in readings)
    wait_until(lambda: writer.driver.at == last)
    writer.stopping.set()
    running.join()
    records = list(read_journal(folder / "state"))
    assert not any(record.dead for record in records)
    assert sum(len(record.messages) for record in records) == sum(map(len, files.values()))
    written = [json.loads(line) for line in (folder / "out.ndjson").read_text().splitlines()]
    found = [(each["name"], each["at"], each["change"], *sorted(each["row"].items())) for each in written]
    return sorted(found)


def changes_of_run(folder, files, window):
    readings = [each for part in files.values() for each in part]
    write(folder / "all.jsonl", sorted(readings, key=lambda each: datetime.fromisoformat(each["at"])))
    (folder / "hot.rq").write_text(f"PREFIX : <http://example.org/> {HOT}")
    common = ["run", "--ontology", "site.ttl", "--stream", "all.jsonl", "--mapping", "m.yaml"]
    common += [part for name, length in window.items() if name != "tick" for part in (f"--{name}", length)]
    rules = ["--rules", "r.lars"] + (["--tick", window["tick"]] if "tick" in window else [])
    hot = ("hot", ["--query", "hot.rq", "--emit", "changes"])
    found = []
    for name, more in [hot, ("conclusions", rules)] if len(window) > 1 else [hot]:
        done = CliRunner().invoke(app, [*common, *more, "-o", f"{name}.ndjson"])
        assert done.exit_code == 0, done.output
        found += [
            (name, row.pop("at"), row.pop("change"), *sorted(row.items()))
            for row in map(json.loads, (folder / f"{name}.ndjson").read_text().splitlines())
        ]
    return sorted(found)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 22))])
def test_the_order_of_events_equals_a_run_over_the_sorted_file(tmp_path, seed, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = drawn(seed)
    window = WINDOWS[seed % len(WINDOWS)]
    found = changes_of_service(tmp_path, files, window)
    assert len(found) > 10
    assert found == changes_of_run(tmp_path, files, window)
