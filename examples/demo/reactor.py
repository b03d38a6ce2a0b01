"""A reactor whose probes disagree: reports, repairs and conclusions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rdflib import Namespace
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

import pantarhei as pr
from demo.removals import GONE, one_of_each_kind, print_removals, removals_of
from demo.words import Assertion, Term, Triple, Wording, answers, clock, indented, short, title

_REACTOR = """\
Three probes on one vessel report low, normal or high temperature, and disagree. Pump, relief valve and \
control mode report too, every half minute; the window holds one minute. Conclusions (overheating, an \
alarm) are retracted when they lose their support."""

_REACTOR_NAMES = Namespace("http://example.org/reactor#")
_REACTOR_ROWS = 14
_VESSEL_ORDER = ("low", "normal", "high", "uncooled", "overheating", "alarming")


@dataclass(frozen=True, slots=True)
class _Report:
    """Report of the reactor, and the resulting state of the vessel."""

    update: pr.WindowUpdate
    arrived: Sequence[Triple]
    vessel: tuple[Term, ...]
    is_changed: bool


def show_reactor(console: Console, root: Path) -> None:
    title(console, 2, "A reactor whose probes disagree")
    console.print(_REACTOR)
    console.print()
    ontology = pr.load_ontology(root / "ontologies/reactor.ttl")
    words = Wording(ontology)
    reports = list(_reports(root, ontology))
    removed = frozenset[Assertion]().union(*(report.update.repair.removed for report in reports))
    changing = [report for report in reports if report.is_changed]
    removals = [removal for report in reports for removal in removals_of(report.update.repair)]
    shown, readings = changing[:_REACTOR_ROWS], sum(len(report.arrived) for report in reports)
    console.print(_reactor_table(shown, removed, words))
    console.print(f"  [dim]{GONE} removed by a repair, at once or later[/dim]\n")
    console.print(
        f"Of {len(reports)} reports, {len(changing)} changed something; these are the first {len(shown)}. "
        f"Repairs removed {len(removed)} of {readings} readings. One of each kind, with its conflict:\n"
    )
    print_removals(console, one_of_each_kind(removals))


def _reports(root: Path, ontology: pr.Ontology) -> Iterator[_Report]:
    reasoner = pr.StreamReasoner(ontology, pr.Window(range="PT1M", slide="PT30S"))
    query = (root / "examples/reactor/query.rq").read_text(encoding="utf-8")
    before: list[tuple[Term, ...]] = []
    for at, arrived in pr.read_stream(root / "examples/reactor/stream.trig"):
        update = reasoner.push(at, arrived)
        answered = sorted(answers(reasoner, query))
        vessel = tuple(state for what, state in answered if what == _REACTOR_NAMES.vessel)
        yield _Report(update, arrived, vessel, bool(update.repair.removed) or answered != before)
        before = answered


_REACTOR_COLUMNS = ("probeA", "probeB", "probeC", "pump", "valve", "mode")


def _reactor_table(reports: Iterable[_Report], removed: frozenset[Assertion], words: Wording) -> Padding:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    for header in ("time", *_REACTOR_COLUMNS, "so the vessel is"):
        table.add_column(header, no_wrap=header != "so the vessel is")
    for report in reports:
        at = report.update.at
        cells = {_column(triple): Text() for triple in report.arrived}
        for triple in report.arrived:
            value = _value(triple)
            cut = (at, triple) in removed
            cells[_column(triple)].append(
                f"{' ' if cells[_column(triple)] else ''}{value}{GONE if cut else ''}"
            )
            cells[_column(triple)].stylize("red" if cut else "green")
        table.add_row(clock(at), *(cells.get(name, "") for name in _REACTOR_COLUMNS), _vessel(report, words))
    return indented(table)


def _column(triple: Triple) -> str:
    subject, predicate, _ = triple
    return {"reliefPosition": "valve", "controlMode": "mode"}.get(short(predicate), short(subject))


def _value(triple: Triple) -> str:
    return short(triple[2]).removesuffix("Pump").lower().replace("automatic", "auto")


def _vessel(report: _Report, words: Wording) -> Text:
    states = [words.name(state).removesuffix(" temperature") for state in report.vessel]
    shown = ", ".join(sorted(states, key=_VESSEL_ORDER.index))
    alarm = _REACTOR_NAMES.Alarming in report.vessel
    return Text(shown or "not known", "bold red" if alarm else "" if shown else "dim")
