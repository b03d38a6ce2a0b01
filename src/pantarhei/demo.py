"""`pantarhei demo`: three streams that contradict themselves, told step by step.

Every figure and every answer comes from the run that prints it. The streams and ontologies are those of a
source checkout: the one this package is installed from, or the current directory.
"""

from __future__ import annotations

import io
import os
import runpy
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import cast

from rdflib import RDF, RDFS, Graph, Namespace
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.progress import Progress
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

import pantarhei as pr
from pantarhei.language.rule import Argument
from pantarhei.language.term import Term, Triple, short
from pantarhei.language.time import TimePoint
from pantarhei.materialize.model import COMPILED
from pantarhei.owl.read import MissingFileError
from pantarhei.repair.result import Assertion

_NEEDED = ("ontologies/building.ttl", "examples/building/generate.py")
_WIDEST = 100
_GONE = "✗"

_OPENING = """\
[bold]pantarhei[/bold] reasons over streams. A window slides over timestamped facts; what follows from \
them by an OWL ontology is kept up to date as it slides; and facts that contradict one another are \
repaired as they arrive: new is better than old."""

_PEDALS = """\
A car reports which pedals are down, once a second, and the window reaches back two seconds. Gas pedal and \
brakes exclude each other, so the brakes of second 3 disprove the gas pedal of second 1, which is still in \
the window. (Proost & Bonte 2026, Example 3.)"""

_STAYS_REMOVED = """\
What was removed stays removed. A window of {range} seconds still reaches back to the gas pedal at second \
{now}, but a disproved report does not come back; had it, the car would be changing gear."""

_REACTOR = """\
Three probes on one vessel report whether it is cold, normal or hot, and they do not agree. Pump, relief \
valve and control mode report too, every half minute; the window holds one minute. What follows \
(overheating, an alarm) is withdrawn as soon as nothing supports it any more."""

_BUILDING = """\
{readings:,} readings of motion sensors, people counters, radiator valves, window contacts and badges in \
an office building, generated now. The building itself is background: {background:,} facts that hold at \
every time and that no repair touches. A window of five minutes moves by the minute. Nobody is in two \
places, and an occupied room is not empty."""

_NEXT = (
    ("what becomes of each axiom", "{command} check ontologies/building.ttl"),
    ("follow your own stream", "{command} run --help"),
    ("from Python, in ten lines", "README.md"),
    ("what a repair removes, and why", "docs/semantics.md"),
)


def main(small: bool = False, console: Console | None = None) -> None:
    """Show the three streams.

    Args:
        small: fewer readings in the building, so that the uncompiled kernel is done soon as well.
        console: where to; by default standard output.

    Raises:
        MissingFileError: there is no source checkout to read ontologies and streams from.
    """
    root = _checkout()
    console = console or _standard_output()
    console.print(_OPENING)
    _show_pedals(console, root)
    _show_reactor(console, root)
    _show_building(console, root, 4_000 if small else 20_000)
    _print_next(console)


def _checkout() -> Path:
    """The folder with `ontologies/` and `examples/`."""
    installed_from = Path(__file__).resolve().parents[2]
    for folder in (installed_from, Path.cwd()):
        if all((folder / name).is_file() for name in _NEEDED):
            return folder
    reason = "the demo shows the examples of a source checkout; run it in the folder that holds README.md"
    raise MissingFileError(_NEEDED[0], reason)


def _standard_output() -> Console:
    console = Console(highlight=False)
    if not console.encoding.lower().startswith("utf") and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    console.width = min(console.width, _WIDEST)
    return console


def _print_next(console: Console) -> None:
    here = Path(os.path.relpath(sys.executable))
    command = "pantarhei" if shutil.which("pantarhei") else f"{here} -m pantarhei"
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    for what, how in _NEXT:
        table.add_row(what, Text(how.format(command=command), "cyan"))
    console.print("\n[bold]Next[/bold]\n")
    console.print(_indented(table))


def _title(console: Console, number: int, title: str) -> None:
    console.print()
    console.rule(f"[bold]{number}  {title}", align="left", style="cyan")


# ---- words ---------------------------------------------------------------------------------------------


class _Words:
    """Facts and constraints in the words of an ontology's labels."""

    def __init__(self, ontology: pr.Ontology) -> None:
        self._labels = {term: str(label) for term, label in ontology.graph.subject_objects(RDFS.label)}

    def name(self, term: Argument) -> str:
        return self._labels.get(term) or short(term)

    def fact(self, triple: Triple) -> str:
        """`probeA reads high`, `pump is stopped pump`."""
        subject, predicate, object_ = triple
        verb = "is" if predicate == RDF.type else self.name(predicate)
        return f"{self.name(subject)} {verb} {self.name(object_)}"

    def constraint(self, rule: pr.Rule) -> str:
        """What a constraint forbids."""
        names = [self.name(atom.predicate) for atom in rule.body]
        match rule.name:
            case "cax-dw" | "cax-adc" if len(names) == 2:
                return f"nothing is both {names[0]} and {names[1]}"
            case "prp-fp" if len(names) == 2:
                return f"“{names[0]}” has one value"
        return rule.origin or str(rule)

    def constraints(self, rules: Iterable[pr.Rule]) -> str:
        return "; ".join(dict.fromkeys(map(self.constraint, rules)))


def _rows(reasoner: pr.StreamReasoner, query: str) -> list[tuple[Term, ...]]:
    """The answers of a SELECT query."""
    return [
        cast(tuple[Term, ...], tuple(row)) for row in cast(Iterable[Iterable[object]], reasoner.query(query))
    ]


def _clock(at: TimePoint) -> str:
    return f"{at:%H:%M:%S}".removesuffix(":00") if isinstance(at, datetime) else str(at)


# ---- why something was removed -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Removal:
    """A fact that a repair took out, and of its conflicts the one whose other facts are newest."""

    at: TimePoint
    newest: TimePoint
    fact: Triple
    others: tuple[Assertion, ...]
    rules: tuple[pr.Rule, ...]

    @property
    def kind(self) -> tuple[object, ...]:
        """Removals of one kind are told alike."""
        return tuple(rule.origin for rule in self.rules), len(self.others), self.at_once

    @property
    def at_once(self) -> bool:
        """Whether something that contradicts it is just as old."""
        return any(at == self.newest for at, _ in self.others)


def _removals(repair: pr.Repair) -> list[_Removal]:
    """What a repair removed, each fact once."""
    newest: dict[Triple, TimePoint] = {}
    for at, triple in repair.removed:
        newest[triple] = max(at, newest.get(triple, at))
    best: dict[Triple, tuple[list[TimePoint], _Removal]] = {}
    for conflict in repair.conflicts if newest else ():
        members = sorted(conflict.assertions, key=str)
        for _, triple in members:
            if triple in newest:
                others = tuple(assertion for assertion in members if assertion[1] != triple)
                ages = sorted(at for at, _ in others)
                told = _Removal(repair.at, newest[triple], triple, others, conflict.constraints)
                known = best.get(triple)
                if known is None or (known[0], str(others)) < (ages, str(known[1].others)):
                    best[triple] = ages, told
    return [best[triple][1] for triple in sorted(best, key=str)]


def _one_of_each_kind(removals: Iterable[_Removal]) -> list[_Removal]:
    first: dict[tuple[object, ...], _Removal] = {}
    for removal in removals:
        first.setdefault(removal.kind, removal)
    return list(first.values())


def _print_removals(console: Console, removals: Sequence[_Removal], words: _Words) -> None:
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for removal in removals:
        for index, line in enumerate(_reason(removal, words)):
            table.add_row(_clock(removal.at) if index == 0 else "", line)
    console.print(_indented(table))


def _reason(removal: _Removal, words: _Words) -> Iterator[RenderableType]:
    gone = f"{_GONE} {words.fact(removal.fact)}"
    yield Text.assemble((gone, "red"), f" (of {_clock(removal.newest)}) was removed:")
    for at, fact in removal.others:
        yield _indented(Text.assemble((words.fact(fact), "green"), f" (of {_clock(at)})"))
    against = words.constraints(removal.rules)
    if not removal.others:
        against = f"it contradicts the background: {against}"
    elif removal.at_once:
        against = f"{against}; equally old, so both go"
    yield _indented(Text(against, "dim"))


def _indented(line: RenderableType) -> Padding:
    return Padding(line, (0, 0, 0, 2))


# ---- 1: pedals -----------------------------------------------------------------------------------------


def _show_pedals(console: Console, root: Path) -> None:
    _title(console, 1, "A car stops at a traffic light")
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
    """Columns for a second of the drawing."""
    return (console.width - len(drive.MARGIN) - 1) // (drive.last + 1)


@dataclass(frozen=True, slots=True)
class _PedalStep:
    """One second: what arrived, what it did, what is kept, and what the query answers."""

    update: pr.WindowUpdate
    arrived: tuple[Triple, ...]
    kept: frozenset[Assertion]
    answers: tuple[str, ...]


class _Drive:
    """The pedals' stream second by second."""

    MARGIN = "   now = 0 "

    def __init__(self, root: Path, range_: int) -> None:
        ontology = pr.load_ontology(root / "ontologies/pedals.ttl")
        self.range, self.words = range_, _Words(ontology)
        self._reasoner = pr.StreamReasoner(ontology, pr.Window(range=range_, slide=1))
        self._query = (root / "examples/pedals/query.rq").read_text(encoding="utf-8")
        self._aboxes = dict(pr.read_stream(root / "examples/pedals/stream.trig"))
        self.last = max(at for at in self._aboxes if isinstance(at, int))

    def steps(self) -> Iterator[_PedalStep]:
        """Each second's step; in a second without a report, time passes."""
        for at in range(self.last + 1):
            arrived = self._aboxes.get(at, ())
            update = self._reasoner.push(at, arrived) if arrived else self._reasoner.advance(at)
            kept = frozenset(self._reasoner.assertions())
            yield _PedalStep(update, arrived, kept, _answers(_rows(self._reasoner, self._query), self.words))

    def seconds(self, cell: int) -> Text:
        """The drawing's scale."""
        return Text(
            "second".ljust(len(self.MARGIN)) + "".join(str(at).center(cell) for at in range(self.last + 1))
        )

    def line(self, step: _PedalStep, cell: int) -> Text:
        """A window drawn over the seconds, with what was reported in each."""
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
        return Text(pedal, "bold green") if (at, triple) in step.kept else Text(pedal + _GONE, "red")


def _answers(rows: Iterable[tuple[Term, ...]], words: _Words) -> tuple[str, ...]:
    """`who is what`, for answers in two columns."""
    by_who: dict[str, list[str]] = {}
    for who, what in sorted(rows):
        by_who.setdefault(words.name(who), []).append(words.name(what))
    return tuple(f"{who} is {', '.join(what)}" for who, what in by_who.items())


def _print_steps(console: Console, steps: Iterable[_PedalStep], words: _Words) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for header in ("window", "arrives", "removed, and why", "so now"):
        table.add_column(header, no_wrap=header in ("window", "arrives"))
    for step in steps:
        table.add_row(
            Text(f"[{step.update.start}, {step.update.end}]"),
            " ".join(words.name(triple[2]).split()[0] for triple in step.arrived) or "[dim]nothing",
            Text("\n").join(_cut_in_short(step.update, words)),
            "\n".join(step.answers),
        )
    console.print(_indented(table))


def _cut_in_short(update: pr.WindowUpdate, words: _Words) -> Iterator[Text]:
    for removal in _removals(update.repair):
        gone = f"{_GONE} {words.name(removal.fact[2])} of {removal.newest}"
        yield Text.assemble((gone, "red"), f": {words.constraints(removal.rules)}")


# ---- 2: reactor ----------------------------------------------------------------------------------------

_REACTOR_NAMES = Namespace("http://example.org/reactor#")
_REACTOR_ROWS = 14
_VESSEL_ORDER = ("low", "normal", "high", "uncooled", "overheating", "alarming")


@dataclass(frozen=True, slots=True)
class _Report:
    """One report of the reactor, and what the vessel is then."""

    update: pr.WindowUpdate
    arrived: tuple[Triple, ...]
    vessel: tuple[Term, ...]
    news: bool


def _show_reactor(console: Console, root: Path) -> None:
    _title(console, 2, "A reactor whose probes disagree")
    console.print(_REACTOR)
    console.print()
    ontology = pr.load_ontology(root / "ontologies/reactor.ttl")
    words = _Words(ontology)
    reports = list(_reports(root, ontology))
    gone = frozenset[Assertion]().union(*(report.update.repair.removed for report in reports))
    telling = [report for report in reports if report.news]
    removals = [removal for report in reports for removal in _removals(report.update.repair)]
    shown, readings = telling[:_REACTOR_ROWS], sum(len(report.arrived) for report in reports)
    console.print(_reactor_table(shown, gone, words))
    console.print(f"  [dim]{_GONE} removed by a repair, at once or later[/dim]\n")
    console.print(
        f"Of {len(reports)} reports, {len(telling)} changed something; these are the first {len(shown)}. "
        f"Repairs removed {len(gone)} of {readings} readings. One of each kind, with what contradicts it:\n"
    )
    _print_removals(console, _one_of_each_kind(removals), words)


def _reports(root: Path, ontology: pr.Ontology) -> Iterator[_Report]:
    reasoner = pr.StreamReasoner(ontology, pr.Window(range="PT1M", slide="PT30S"))
    query = (root / "examples/reactor/query.rq").read_text(encoding="utf-8")
    before: list[tuple[Term, ...]] = []
    for at, arrived in pr.read_stream(root / "examples/reactor/stream.trig"):
        update = reasoner.push(at, arrived)
        answers = sorted(_rows(reasoner, query))
        vessel = tuple(state for what, state in answers if what == _REACTOR_NAMES.vessel)
        yield _Report(update, arrived, vessel, bool(update.repair.removed) or answers != before)
        before = answers


_REACTOR_COLUMNS = ("probeA", "probeB", "probeC", "pump", "valve", "mode")


def _reactor_table(reports: Iterable[_Report], gone: frozenset[Assertion], words: _Words) -> Padding:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    for header in ("time", *_REACTOR_COLUMNS, "so the vessel is"):
        table.add_column(header, no_wrap=header != "so the vessel is")
    for report in reports:
        at = report.update.at
        cells = {_column(triple): Text() for triple in report.arrived}
        for triple in report.arrived:
            value = _value(triple)
            cut = (at, triple) in gone
            cells[_column(triple)].append(
                f"{' ' if cells[_column(triple)] else ''}{value}{_GONE if cut else ''}"
            )
            cells[_column(triple)].stylize("red" if cut else "green")
        table.add_row(_clock(at), *(cells.get(name, "") for name in _REACTOR_COLUMNS), _vessel(report, words))
    return _indented(table)


def _column(triple: Triple) -> str:
    subject, predicate, _ = triple
    return {"reliefPosition": "valve", "controlMode": "mode"}.get(short(predicate), short(subject))


def _value(triple: Triple) -> str:
    return short(triple[2]).removesuffix("Pump").lower().replace("automatic", "auto")


def _vessel(report: _Report, words: _Words) -> Text:
    states = [words.name(state).removesuffix(" temperature") for state in report.vessel]
    said = ", ".join(sorted(states, key=_VESSEL_ORDER.index))
    alarm = _REACTOR_NAMES.Alarming in report.vessel
    return Text(said or "not known", "bold red" if alarm else "" if said else "dim")


# ---- 3: building ---------------------------------------------------------------------------------------

_BUILDING_NAMES = Namespace("http://example.org/building#")
_BARS = "▁▂▃▄▅▆▇█"


class _Spent:
    """CPU seconds, by what they were spent on."""

    def __init__(self) -> None:
        self.on: Counter[str] = Counter()

    @contextmanager
    def __call__(self, what: str) -> Iterator[None]:
        began = time.process_time()
        try:
            yield
        finally:
            self.on[what] += time.process_time() - began  # type: ignore[assignment]


class _Day:
    """The building's stream from the first reading to the last, with what it costs."""

    def __init__(self, root: Path, readings: int) -> None:
        self.readings, self.spent = readings, _Spent()
        with self.spent("generate the readings"):
            generate = runpy.run_path(str(root / "examples/building/generate.py"))["generate"]
            background, stream = generate(readings=readings)
            self._nquads = "".join(f"{line}\n" for _, lines in stream for line in lines).encode()
        with self.spent("load ontology and background"):
            ontology = pr.load_ontology(root / "ontologies/building.ttl")
            graph = Graph().parse(data="\n".join(background), format="turtle")
            window = pr.Window(range="PT5M", slide="PT1M")
            self.reasoner = pr.StreamReasoner(ontology, window, background=graph)
        self.words, self.background = _Words(ontology), len(graph)
        self.minutes: list[TimePoint] = []
        self.occupied: list[int] = []
        self.removed = 0
        self.removals: list[_Removal] = []

    def run(self, console: Console) -> None:
        """Follow the stream to its end."""
        aboxes = iter(pr.read_stream(io.BytesIO(self._nquads), format="nquads"))
        with _progress(console, self.readings) as advance:
            while True:
                with self.spent("parse the stream"):
                    abox = next(aboxes, None)
                if abox is None:
                    return
                with self.spent("reason"):
                    update = self.reasoner.push(*abox)
                with self.spent("tell what happened"):
                    self._note(update)
                advance(len(abox.triples))

    def _note(self, update: pr.WindowUpdate) -> None:
        room = (None, RDF.type, _BUILDING_NAMES.OccupiedRoom)
        self.minutes.append(update.at)
        self.occupied.append(sum(1 for _ in self.reasoner.graph.triples(room)))
        self.removed += len(update.repair.removed)
        self.removals += _one_of_each_kind(_removals(update.repair))

    def query(self, text: str) -> list[tuple[Term, ...]]:
        with self.spent("answer the queries"):
            return _rows(self.reasoner, text)


@contextmanager
def _progress(console: Console, readings: int) -> Iterator[Callable[[int], None]]:
    """A bar while the stream is followed, where there is a terminal."""
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("  following the stream", total=readings)
        yield lambda count: progress.advance(task, count)


def _show_building(console: Console, root: Path, readings: int) -> None:
    _title(console, 3, f"An office building: {readings:,} readings")
    day = _Day(root, readings)
    console.print(_BUILDING.format(readings=readings, background=day.background))
    day.run(console)
    _print_occupancy(console, day)
    floors = (root / "examples/building/floors.rq").read_text(encoding="utf-8")
    states = (root / "examples/building/query.rq").read_text(encoding="utf-8")
    _print_floors(console, floors, day.query(floors))
    _print_states(console, day.query(states), day.words)
    console.print(
        f"\nRepairs removed {day.removed:,} readings in all. One of each kind, with what contradicts it:\n"
    )
    _print_removals(console, _one_of_each_kind(reversed(day.removals)), day.words)
    _print_figures(console, day)


def _print_occupancy(console: Console, day: _Day) -> None:
    highest = max(day.occupied, default=0) or 1
    bars = "".join(_BARS[count * (len(_BARS) - 1) // highest] for count in day.occupied)
    first, last = _clock(day.minutes[0]), _clock(day.minutes[-1])
    console.print(f"\n  occupied rooms, minute by minute, at most {highest}:")
    console.print(f"  {first} [green]{bars}[/green] {last}")


def _print_floors(console: Console, query: str, rows: Iterable[Sequence[Term]]) -> None:
    console.print("\nAsked at the end:\n")
    shown = "\n".join(line for line in query.splitlines() if line and not line.startswith("#"))
    console.print(Padding(_sparql(shown), (0, 0, 1, 2)))
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("floor")
    table.add_column("rooms occupied")
    table.add_column("wasting heat")
    for floor, occupied, wasteful in rows:
        table.add_row(short(floor), _bar(int(str(occupied)), "green"), _bar(int(str(wasteful)), "red"))
    console.print(_indented(table))


def _sparql(query: str) -> Syntax:
    return Syntax(query, "sparql", theme="ansi_dark", background_color="default", word_wrap=True)


def _bar(count: int, style: str) -> Text:
    return Text.assemble((f"{count:>2} "), ("█" * count, style))


def _print_states(console: Console, rows: Iterable[Sequence[Term]], words: _Words) -> None:
    """The answers of `query.rq`, counted, with a few of each."""
    console.print("\nAnd every room, floor and visitor in a state worth knowing:\n")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(justify="right", style="bold")
    table.add_column(no_wrap=True)
    table.add_column(style="dim", no_wrap=True, overflow="ellipsis")
    by_state = sorted(((words.name(state), short(what)) for what, state in rows))
    for state, members in groupby(by_state, key=lambda row: row[0]):
        names = [name for _, name in members]
        table.add_row(str(len(names)), state, ", ".join(names[:4]) + (", …" if len(names) > 4 else ""))
    console.print(_indented(table))


def _print_figures(console: Console, day: _Day) -> None:
    reasoner, spent = day.reasoner, day.spent.on
    work, seconds = reasoner.work, spent["reason"]
    console.print(f"\nMeasured in this run ({'compiled' if COMPILED else 'uncompiled'} kernel):\n")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(justify="right", style="bold")
    table.add_column()
    figures = [
        (f"{day.readings:,}", f"readings in {len(day.minutes)} minutes"),
        (f"{day.removed:,}", "of them removed by repairs"),
        (f"{len(reasoner.assertions()):,}", "readings kept in the window of the last five minutes"),
        (f"{len(reasoner.graph):,}", "facts that hold in it, with those of the building itself"),
        (f"{work.firings:,}", "rule instances tried to derive them, from the first minute to the last"),
        (f"{day.readings / seconds:,.0f}" if seconds else "-", "readings a CPU second of reasoning"),
    ]
    for figure, meaning in figures:
        table.add_row(figure, meaning)
    for what, cost in spent.items():
        table.add_row(f"{cost:.2f} s", f"of CPU to {what}", style="cyan" if what == "reason" else "")
    console.print(_indented(table))
