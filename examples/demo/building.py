"""An office building: thousands of readings, processed, queried and measured."""

from __future__ import annotations

import io
import runpy
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

from rdflib import RDF, Graph, Namespace
from rich.console import Console
from rich.padding import Padding
from rich.progress import Progress
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

import pantarhei as pr
from demo.removals import Removal, one_of_each_kind, print_removals, removals_of
from demo.words import Term, TimePoint, Wording, answers, clock, indented, short, title

_BUILDING = """\
{readings:,} readings of motion sensors, people counters, radiator valves, window contacts and badges in \
an office building, generated now. The building itself is background: {background:,} facts that always \
hold and that repairs never remove. The window holds five minutes and moves every minute. No person is in \
two places, and an occupied room is not empty."""

_BUILDING_NAMES = Namespace("http://example.org/building#")
_BARS = "▁▂▃▄▅▆▇█"


class Spent:
    """CPU seconds by activity."""

    def __init__(self) -> None:
        self.on: Counter[str] = Counter()

    @contextmanager
    def __call__(self, what: str) -> Iterator[None]:
        began = time.process_time()
        try:
            yield
        finally:
            self.on[what] += time.process_time() - began  # type: ignore[assignment]


class Day:
    """Stream of the building, from the first reading to the last, with its costs."""

    def __init__(self, root: Path, readings: int) -> None:
        self.readings, self.spent = readings, Spent()
        with self.spent("generate the readings"):
            generate = runpy.run_path(str(root / "examples/building/generate.py"))["generate"]
            background, stream = generate(readings=readings)
            self.nquads = "".join(f"{line}\n" for _, lines in stream for line in lines).encode()
        with self.spent("load ontology and background"):
            self.ontology = pr.load_ontology(root / "ontologies/building.ttl")
            self.background = Graph().parse(data="\n".join(background), format="turtle")
            self.reasoner = self.new_reasoner()
        self.words = Wording(self.ontology)
        self.floors = (root / "examples/building/floors.rq").read_text(encoding="utf-8")
        self.states = (root / "examples/building/query.rq").read_text(encoding="utf-8")
        self.minutes: list[TimePoint] = []
        self.occupied: list[int] = []
        self.removed = 0
        self.removals: list[Removal] = []

    def new_reasoner(self) -> pr.StreamReasoner:
        """Return a reasoner without readings."""
        window = pr.Window(range="PT5M", slide="PT1M")
        return pr.StreamReasoner(self.ontology, window, background=self.background)

    def run(self, console: Console) -> None:
        """Process the stream to its end."""
        aboxes = iter(pr.read_stream(io.BytesIO(self.nquads), format="nquads"))
        with _progress(console, self.readings) as advance:
            while True:
                with self.spent("parse the stream"):
                    abox = next(aboxes, None)
                if abox is None:
                    return
                with self.spent("reason"):
                    update = self.reasoner.push(*abox)
                with self.spent("report the repairs"):
                    self._note(update)
                advance(len(abox.triples))

    def _note(self, update: pr.WindowUpdate) -> None:
        room = (None, RDF.type, _BUILDING_NAMES.OccupiedRoom)
        self.minutes.append(update.at)
        self.occupied.append(sum(1 for _ in self.reasoner.graph.triples(room)))
        self.removed += len(update.repair.removed)
        self.removals += one_of_each_kind(removals_of(update.repair))

    def query(self, text: str) -> list[tuple[Term, ...]]:
        with self.spent("answer the queries"):
            return answers(self.reasoner, text)


@contextmanager
def _progress(console: Console, readings: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on a terminal."""
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("  processing the stream", total=readings)
        yield lambda count: progress.advance(task, count)


def show_building(console: Console, root: Path, readings: int) -> Day:
    title(console, 3, f"An office building: {readings:,} readings")
    day = Day(root, readings)
    console.print(_BUILDING.format(readings=readings, background=len(day.background)))
    day.run(console)
    _print_occupancy(console, day)
    floors, states = day.floors, day.states
    _print_floors(console, floors, day.query(floors))
    _print_states(console, day.query(states), day.words)
    console.print(
        f"\nRepairs removed {day.removed:,} readings in all. One of each kind, with its conflict:\n"
    )
    print_removals(console, one_of_each_kind(reversed(day.removals)))
    _print_figures(console, day)
    return day


def _print_occupancy(console: Console, day: Day) -> None:
    highest = max(day.occupied, default=0) or 1
    bars = "".join(_BARS[count * (len(_BARS) - 1) // highest] for count in day.occupied)
    first, last = clock(day.minutes[0]), clock(day.minutes[-1])
    console.print(f"\n  occupied rooms, minute by minute, at most {highest}:")
    console.print(f"  {first} [green]{bars}[/green] {last}")


def _print_floors(console: Console, query: str, rows: Iterable[Sequence[Term]]) -> None:
    console.print("\nQuery at the end:\n")
    shown = "\n".join(line for line in query.splitlines() if line and not line.startswith("#"))
    console.print(Padding(_sparql(shown), (0, 0, 1, 2)))
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("floor")
    table.add_column("rooms occupied")
    table.add_column("wasting heat")
    for floor, occupied, wasteful in rows:
        table.add_row(short(floor), _bar(int(str(occupied)), "green"), _bar(int(str(wasteful)), "red"))
    console.print(indented(table))


def _sparql(query: str) -> Syntax:
    return Syntax(query, "sparql", theme="ansi_dark", background_color="default", word_wrap=True)


def _bar(count: int, style: str) -> Text:
    return Text.assemble((f"{count:>2} "), ("█" * count, style))


def _print_states(console: Console, rows: Iterable[Sequence[Term]], words: Wording) -> None:
    """Show the answers of `query.rq` by state: their number, and a few of them."""
    console.print("\nRooms, floors and visitors by state:\n")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(justify="right", style="bold")
    table.add_column(no_wrap=True)
    table.add_column(style="dim", no_wrap=True, overflow="ellipsis")
    by_state = sorted(((words.name(state), short(what)) for what, state in rows))
    for state, members in groupby(by_state, key=lambda row: row[0]):
        names = [name for _, name in members]
        table.add_row(str(len(names)), state, ", ".join(names[:4]) + (", …" if len(names) > 4 else ""))
    console.print(indented(table))


def _print_figures(console: Console, day: Day) -> None:
    reasoner, spent = day.reasoner, day.spent.on
    work, seconds = reasoner.work, spent["reason"]
    console.print("\nMeasured in this run:\n")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(justify="right", style="bold")
    table.add_column()
    figures = [
        (f"{day.readings:,}", f"readings in {len(day.minutes)} minutes"),
        (f"{day.removed:,}", "of them removed by repairs"),
        (f"{reasoner.stats().undecided:,}", "facts removed undecided because a limit was reached"),
        (f"{len(reasoner.assertions()):,}", "readings kept in the window of the last five minutes"),
        (f"{len(reasoner.graph):,}", "facts in the window's materialization, the building's included"),
        (f"{work.firings:,}", "rule instances evaluated, from the first minute to the last"),
        (f"{day.readings / seconds:,.0f}" if seconds else "-", "readings a CPU second of reasoning"),
    ]
    for figure, meaning in figures:
        table.add_row(figure, meaning)
    for what, cost in spent.items():
        table.add_row(f"{cost:.2f} s", f"of CPU to {what}", style="cyan" if what == "reason" else "")
    console.print(indented(table))
