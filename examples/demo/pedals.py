"""The pedals of Proost & Bonte 2026, Example 3, drawn second by second."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

import pantarhei as pr
from demo.removals import GONE, removals_of
from demo.words import Assertion, Term, Triple, Wording, answers, indented, title

_PEDALS = """\
A car reports its pressed pedals every second; the window holds the last two seconds. Gas pedal and brakes \
exclude each other, so the brakes of second 3 contradict the gas pedal of second 1, which is still in the \
window and is removed. (Proost & Bonte 2026, Example 3.)"""

_STAYS_REMOVED = """\
A removed fact stays removed. A window of {range} seconds still includes the gas pedal at second {now}, \
but a removed report is not restored; if it were, the car would be changing gear."""


def show_pedals(console: Console, root: Path) -> None:
    title(console, 1, "A car stops at a traffic light")
    console.print(_PEDALS)
    console.print()
    drive = _Drive(root, range_=2)
    steps = list(drive.steps())
    console.print(drive.seconds(_cell(console, drive)))
    for step in steps:
        console.print(drive.line(step, _cell(console, drive)))
    console.print()
    _print_steps(console, steps, drive.words)
    longer = _Drive(root, range_=4)
    *_, last = longer.steps()
    console.print()
    console.print(_STAYS_REMOVED.format(range=longer.range, now=last.update.at))
    console.print()
    console.print(longer.line(last, _cell(console, longer)))


def _cell(console: Console, drive: _Drive) -> int:
    """Return the width of a second in the drawing."""
    return (console.width - len(drive.MARGIN) - 1) // (drive.last + 1)


@dataclass(frozen=True, slots=True)
class _PedalStep:
    """One second: reports, repair, kept reports, and answers of the query."""

    update: pr.WindowUpdate
    arrived: Sequence[Triple]
    kept: frozenset[Assertion]
    answers: tuple[str, ...]


class _Drive:
    """Stream of the pedals, second by second."""

    MARGIN = "   now = 0 "

    def __init__(self, root: Path, range_: int) -> None:
        ontology = pr.load_ontology(root / "ontologies/pedals.ttl")
        self.range, self.words = range_, Wording(ontology)
        self._reasoner = pr.StreamReasoner(ontology, pr.Window(range=range_, slide=1))
        self._query = (root / "examples/pedals/query.rq").read_text(encoding="utf-8")
        self._aboxes = dict(pr.read_stream(root / "examples/pedals/stream.trig"))
        self.last = max(at for at in self._aboxes if isinstance(at, int))

    def steps(self) -> Iterator[_PedalStep]:
        """Yield the step of each second; in a second without a report only time advances."""
        for at in range(self.last + 1):
            arrived = self._aboxes.get(at, ())
            update = self._reasoner.push(at, arrived) if arrived else self._reasoner.advance(at)
            kept = frozenset(self._reasoner.assertions())
            yield _PedalStep(
                update, arrived, kept, _statements(answers(self._reasoner, self._query), self.words)
            )

    def seconds(self, cell: int) -> Text:
        """Return the scale of the drawing."""
        return Text(
            "second".ljust(len(self.MARGIN)) + "".join(str(at).center(cell) for at in range(self.last + 1))
        )

    def line(self, step: _PedalStep, cell: int) -> Text:
        """Draw a window over the seconds, with the reports of each."""
        line = Text(f"   now = {step.update.at} ")
        for at in range(self.last + 1):
            if not step.update.start <= at <= step.update.at:  # type: ignore[operator]
                line.append(" " * cell)
                continue
            inner = self._second(at, step)
            room = cell - 2 - len(inner)
            line.append("[" if at == step.update.start else "─", "cyan")
            line.append("─" * (room // 2), "cyan").append(inner).append("─" * (room - room // 2), "cyan")
            line.append("]" if at == step.update.at else "─", "cyan")
        return line

    def _second(self, at: int, step: _PedalStep) -> Text:
        reports = self._aboxes.get(at, ())
        parts = [self._report(at, triple, step) for triple in reports] or [Text("·", "dim")]
        return Text(" ").join([Text(""), *parts, Text("")])

    def _report(self, at: int, triple: Triple, step: _PedalStep) -> Text:
        pedal = self.words.name(triple[2]).split()[0]
        return Text(pedal, "bold green") if (at, triple) in step.kept else Text(pedal + GONE, "red")


def _statements(rows: Iterable[tuple[Term, ...]], words: Wording) -> tuple[str, ...]:
    """Return `who is what` for answers with two columns."""
    by_who: dict[str, list[str]] = {}
    for who, what in sorted(rows):
        by_who.setdefault(words.name(who), []).append(words.name(what))
    return tuple(f"{who} is {', '.join(what)}" for who, what in by_who.items())


def _print_steps(console: Console, steps: Iterable[_PedalStep], words: Wording) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for header in ("window", "arrives", "removed, and why", "so now"):
        table.add_column(header, no_wrap=header in ("window", "arrives"))
    for step in steps:
        table.add_row(
            Text(f"[{step.update.start}, {step.update.end}]"),
            " ".join(words.name(triple[2]).split()[0] for triple in step.arrived) or "[dim]nothing",
            Text("\n").join(Text(f"{GONE} {each.text}", "red") for each in removals_of(step.update.repair)),
            "\n".join(step.answers),
        )
    console.print(indented(table))
