"""Write the streams of the reactor, with a report every 30 seconds: `stream.trig`, twenty minutes with
contradicting probes, and `shift.trig`, a shift of 24 minutes in which the reactor overheats.

The stories are fixed, see `PROBES` and `SHIFT`. The seed selects the probes that report in addition to the
scheduled one, and in the first story the reports of the slow probe C that are a minute out of date. Equal
seeds give equal bytes.

    python examples/reactor/generate.py probes --seed 7 --out examples/reactor/stream.trig
    python examples/reactor/generate.py shift --seed 7 --out examples/reactor/shift.trig
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

STEP = timedelta(seconds=30)

PREFIXES = """
@prefix : <http://example.org/reactor#> .
@prefix log: <http://example.org/reactor/log/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


@dataclass(frozen=True)
class Story:
    """Events at the reactor.

    Args:
        about: the comment at the head of the file, with a place for the seed.
        start: the time of the first report.
        reports: the number of reports.
        true: the facts that hold from a report on, until the next entry.
        chance: the probability that a probe reports out of turn.
        statements: function to the statements of a report, in Turtle; None if its time is not stated either.
        name: the format of graph names, with the number and time of the report.
    """

    about: str
    start: datetime
    reports: int
    true: dict[str, dict[int, str]]
    chance: float
    statements: Callable[[Story, int, random.Random], list[str] | None]
    name: str

    def true_at(self, index: int, what: str) -> str:
        """Return the value that holds at a report."""
        entries = self.true[what]
        return entries[max(start for start in entries if start <= index)]

    def probes(self, index: int, rng: random.Random) -> Iterator[str]:
        """Yield the scheduled probe, and sometimes another one."""
        return (each for turn, each in enumerate("ABC") if turn == index % 3 or rng.random() < self.chance)

    def trig(self, seed: int) -> str:
        """Return the whole stream as TriG."""
        rng, parts = random.Random(seed), [f"{self.about.format(seed=seed)}{PREFIXES}"]
        for index in range(self.reports):
            statements = self.statements(self, index, rng)
            if statements is None:
                continue
            at = self.start + index * STEP
            name = self.name.format(index=index, at=at)
            time = f'{name} prov:generatedAtTime "{at:%Y-%m-%dT%H:%M:%SZ}"^^xsd:dateTime .'
            body = "".join(f"    {statement}\n" for statement in statements)
            graph = f"{name} {{\n{body}}}" if statements else "# No graph: nothing was reported."
            parts.append(f"{time}\n{graph}\n")
        return "\n".join(parts)


# -- three probes that disagree --------------------------------------------------------------------

SILENT = 18  # no report: an ABox without assertions
QUARREL = 30  # probes A and B contradict each other in one report
TWO_MODES = 36  # two values of a functional property in one report


def _disagreeing(story: Story, index: int, rng: random.Random) -> list[str]:
    return [] if index == SILENT else [*_readings(story, index, rng), *_settings(story, index)]


def _readings(story: Story, index: int, rng: random.Random) -> Iterator[str]:
    if index == QUARREL:
        yield from (":probeA :reads :low .", ":probeB :reads :normal .")
        return
    for probe in story.probes(index, rng):
        slow = probe == "C" and rng.random() < 0.8
        yield f":probe{probe} :reads :{story.true_at(max(index - 2 * slow, 0), 'temperature')} ."


def _settings(story: Story, index: int) -> Iterator[str]:
    """Yield pump and control mode in even reports, the relief valve in odd ones."""
    if index % 2:
        yield f":vessel :reliefPosition :{story.true_at(index, 'reliefPosition')} ."
        return
    yield f":pump a :{story.true_at(index, 'pump')} ."
    yield f":vessel :controlMode :{story.true_at(index, 'controlMode')} ."
    if index == TWO_MODES:
        yield ":vessel :controlMode :manual ."


PROBES = Story(
    about="""\
# Twenty minutes of a reactor vessel, a report every 30 seconds; by generate.py probes --seed {seed}.
# Each report is a graph, and the default graph says when it was generated.
""",
    start=datetime(2026, 3, 2, 6, 0, tzinfo=UTC),
    reports=40,
    true={
        "temperature": {0: "normal", 10: "high", 22: "normal", 28: "low", 34: "normal"},
        "pump": {0: "RunningPump", 12: "StoppedPump", 20: "RunningPump"},
        "reliefPosition": {0: "closed", 16: "open", 24: "closed"},
        "controlMode": {0: "automatic", 14: "manual", 26: "automatic"},
    },
    chance=0.2,
    statements=_disagreeing,
    name="log:report-{index:02}",
)


# -- two minutes too hot ---------------------------------------------------------------------------

SERVICED = 16  # the vessel is serviced
LOST = 30  # no report


def _overheating(story: Story, index: int, rng: random.Random) -> list[str] | None:
    temperature = story.true_at(index, "temperature")
    statements = [f":probe{probe} :reads :{temperature} ." for probe in story.probes(index, rng)]
    statements.append(f":pump a :{story.true_at(index, 'pump')} .")
    if index == SERVICED:
        statements.append(":vessel a :Serviced .")
    return None if index == LOST else statements


SHIFT = Story(
    about="""\
# A shift of 24 minutes at the reactor, a report every 30 seconds; by generate.py shift --seed {seed}.
""",
    start=datetime(2026, 3, 2, 14, 0, tzinfo=UTC),
    reports=48,
    true={
        "temperature": {0: "normal", 8: "high", 20: "normal", 26: "high", 42: "normal"},
        "pump": {0: "RunningPump", 10: "StoppedPump", 44: "RunningPump"},
    },
    chance=0.3,
    statements=_overheating,
    name="log:{at:%H-%M-%S}",
)

STORIES = {"probes": PROBES, "shift": SHIFT}


def main() -> None:
    """Write the stream to a file or to standard output."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("story", choices=STORIES, help="which stream")
    parser.add_argument("--seed", type=int, default=7, help="decides which probes report when (default: 7)")
    parser.add_argument("--out", help="file to write; standard output if left out")
    options = parser.parse_args()
    text = STORIES[options.story].trig(options.seed)
    if options.out is None:
        sys.stdout.write(text)
        return
    with open(options.out, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


if __name__ == "__main__":
    main()
