"""Writes `stream.trig`: twenty minutes in the life of a reactor vessel, one report every 30 seconds.

The story is fixed, see `STORY`; the seed decides only which probes report besides the one whose turn it is,
and when the slow probe C still tells what was true a minute ago. The same seed gives the same bytes.

    python examples/reactor/generate.py --seed 7 --out examples/reactor/stream.trig
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)
STEP = timedelta(seconds=30)
REPORTS = 40

# What is true from a report on, until the next entry.
STORY: dict[str, dict[int, str]] = {
    "temperature": {0: "normal", 10: "high", 22: "normal", 28: "low", 34: "normal"},
    "pump": {0: "RunningPump", 12: "StoppedPump", 20: "RunningPump"},
    "reliefPosition": {0: "closed", 16: "open", 24: "closed"},
    "controlMode": {0: "automatic", 14: "manual", 26: "automatic"},
}
SILENT = 18  # nothing arrives: an ABox without assertions
QUARREL = 30  # probes A and B differ in one and the same report
TWO_MODES = 36  # two values of a functional property in one and the same report

HEADER = """\
# Twenty minutes of a reactor vessel, one report every 30 seconds; written by generate.py --seed {seed}.
# Each report is a graph, and the default graph says when it was generated.

@prefix : <http://example.org/reactor#> .
@prefix log: <http://example.org/reactor/log/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def reports(seed: int) -> Iterator[tuple[datetime, list[str]]]:
    """Each report's time and its statements in Turtle."""
    rng = random.Random(seed)
    for index in range(REPORTS):
        statements = [] if index == SILENT else [*_readings(index, rng), *_settings(index)]
        yield START + index * STEP, statements


def _true_at(index: int, what: str) -> str:
    entries = STORY[what]
    return entries[max(start for start in entries if start <= index)]


def _readings(index: int, rng: random.Random) -> Iterator[str]:
    """The probe whose turn it is, and sometimes another one."""
    if index == QUARREL:
        yield from (":probeA :reads :low .", ":probeB :reads :normal .")
        return
    for turn, probe in enumerate("ABC"):
        if turn == index % 3 or rng.random() < 0.2:
            slow = probe == "C" and rng.random() < 0.8
            yield f":probe{probe} :reads :{_true_at(max(index - 2 * slow, 0), 'temperature')} ."


def _settings(index: int) -> Iterator[str]:
    """Pump and control mode in even reports, the relief valve in odd ones."""
    if index % 2:
        yield f":vessel :reliefPosition :{_true_at(index, 'reliefPosition')} ."
        return
    yield f":pump a :{_true_at(index, 'pump')} ."
    yield f":vessel :controlMode :{_true_at(index, 'controlMode')} ."
    if index == TWO_MODES:
        yield ":vessel :controlMode :manual ."


def trig(seed: int) -> str:
    """The whole stream as TriG."""
    parts = [HEADER.format(seed=seed)]
    for index, (at, statements) in enumerate(reports(seed)):
        name = f"log:report-{index:02}"
        time = f'{name} prov:generatedAtTime "{at:%Y-%m-%dT%H:%M:%SZ}"^^xsd:dateTime .'
        body = "".join(f"    {statement}\n" for statement in statements)
        graph = f"{name} {{\n{body}}}" if statements else "# No graph: nothing was reported."
        parts.append(f"{time}\n{graph}\n")
    return "\n".join(parts)


def main() -> None:
    """Writes the stream to a file or to standard output."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=7, help="decides which probes report when (default: 7)")
    parser.add_argument("--out", help="file to write; standard output if left out")
    options = parser.parse_args()
    text = trig(options.seed)
    if options.out is None:
        sys.stdout.write(text)
        return
    with open(options.out, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


if __name__ == "__main__":
    main()
