"""Writes `shift.trig`: a shift of 24 minutes at the reactor, one report every 30 seconds.

The story is fixed, see `STORY`; the seed decides only which probes report besides the one whose turn it is.
The same seed gives the same bytes.

    python examples/reactor/shift.py --seed 7 --out examples/reactor/shift.trig
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, 14, 0, tzinfo=UTC)
STEP = timedelta(seconds=30)
REPORTS = 48

# What is true from a report on, until the next entry.
STORY: dict[str, dict[int, str]] = {
    "temperature": {0: "normal", 8: "high", 20: "normal", 26: "high", 42: "normal"},
    "pump": {0: "RunningPump", 10: "StoppedPump", 44: "RunningPump"},
}
SERVICED = 16  # somebody is at the vessel
SILENT = 30  # nothing arrives

HEADER = """\
# A shift of 24 minutes at the reactor, one report every 30 seconds; written by shift.py --seed {seed}.

@prefix : <http://example.org/reactor#> .
@prefix log: <http://example.org/reactor/log/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def reports(seed: int) -> Iterator[tuple[datetime, list[str]]]:
    """The time of each report that comes, and its statements in Turtle."""
    rng = random.Random(seed)
    for index in range(REPORTS):
        statements = [
            f":probe{probe} :reads :{_true_at(index, 'temperature')} ."
            for turn, probe in enumerate("ABC")
            if turn == index % 3 or rng.random() < 0.3
        ]
        statements.append(f":pump a :{_true_at(index, 'pump')} .")
        if index == SERVICED:
            statements.append(":vessel a :Serviced .")
        if index != SILENT:
            yield START + index * STEP, statements


def _true_at(index: int, what: str) -> str:
    entries = STORY[what]
    return entries[max(start for start in entries if start <= index)]


def trig(seed: int) -> str:
    """The whole stream as TriG."""
    parts = [HEADER.format(seed=seed)]
    for at, statements in reports(seed):
        name = f"log:{at:%H-%M-%S}"
        body = "".join(f"    {statement}\n" for statement in statements)
        time = f'{name} prov:generatedAtTime "{at:%Y-%m-%dT%H:%M:%SZ}"^^xsd:dateTime .'
        parts.append(f"{time}\n{name} {{\n{body}}}\n")
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
