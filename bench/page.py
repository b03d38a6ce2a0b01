"""Tables of docs/performance.md, written from the record of measurements between the page's markers.

`<!-- bench: NAME -->` and `<!-- end -->` enclose a generated section; NAME is a key of `TABLES`, `machine` or
`missed`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.measuring import Figure
from bench.record import RecordedRun
from bench.report import verdict

_SECTION = re.compile(r"(<!-- bench: (.*?) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Table:
    """Table of a workload.

    Args:
        corner: the heading of the rows, with the unit.
        columns: the headings of the columns, each with the text that replaces `{}` in the keys of the rows.
        rows: the names of the rows, each with the workload and the way of its figures.
    """

    corner: str
    columns: Mapping[str, str]
    rows: Mapping[str, tuple[str, str]]

    def text(self, figures: Mapping[tuple[str, str], Figure]) -> str:
        """Return the table in Markdown; cells without a figure are empty."""
        lines = [[self.corner, *self.columns]]
        for name, (workload, way) in self.rows.items():
            keys = ((workload.format(column), way.format(column)) for column in self.columns.values())
            lines.append([name, *(cell(figures.get(key)) for key in keys)])
        return _markdown(lines)


def _markdown(lines: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return a table without spaces; the first columns are aligned to the left, the others to the right."""
    head, *rows = lines
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    return "\n".join(f"|{'|'.join(line)}|" for line in (head, rule, *rows))


def _of(workload: str, **ways: str) -> dict[str, tuple[str, str]]:
    """Return rows of one workload; each `_` in a name becomes a space."""
    return {name.replace("_", " "): (workload, way) for name, way in ways.items()}


_SIZES = {size: size for size in ("1,000", "10,000", "100,000")}
_RULES = ("diamond", "box", "join", "ten joins", "cooling", "sensors")

TABLES: Mapping[str, Table] = {
    "batch": Table(
        "seconds",
        {"university, 100 k": "university 100 k", "1 M": "university 1.0 M", "Brick, 104 k": "Brick 104 k"},
        {
            "numbers, pantarhei: closure": ("batch, {}", "in ids: pantarhei, closed by column"),
            "numbers, pantarhei: window": ("batch, {}", "in ids: pantarhei, in a window model"),
            "numbers, Nemo": ("batch, {}", "in ids: Nemo, with its import of numbers"),
            "files, pantarhei": ("batch, {}", "end to end: pantarhei"),
            "files, Nemo": ("batch, {}", "end to end: Nemo, rules ready made"),
            "files, reasonable": ("batch, {}", "reasonable, load and reason"),
        },
    ),
    "imars": Table(
        "ms a step",
        _SIZES,
        _of(
            "IMaRS, window {}",
            pantarhei="ours, 1 %",
            DRed="DRed in the same engine, 1 %",
            recomputation="recompute, 1 %",
            Nemo="Nemo, anew",
            clingo="clingo, anew, linear rule",
        ),
    ),
    "rates": Table(
        "µs a reading",
        {rate: rate for rate in ("1", "10", "100", "1,000", "10,000")},
        {
            "changing, numbers": ("rates, changing", "{} a tick, interned columns"),
            "changing, Arrow": ("rates, changing", "{} a tick, Arrow, dictionaries"),
            "repeating, numbers": ("rates, repeating", "{} a tick, interned columns"),
            "repeating, Arrow": ("rates, repeating", "{} a tick, Arrow, dictionaries"),
        },
    ),
    "contradictions": Table(
        "µs a reading",
        {f"{share} %": f"{share} %" for share in (0, 1, 10, 100)},
        _of(
            "contradictions, {}",
            numbers="interned columns",
            Arrow="Arrow, dictionaries",
            clingo="clingo, solved anew",
        ),
    ),
    "axioms": Table(
        "",
        {size: size for size in ("10", "100", "1,000", "10,000")},
        {
            "other words, µs a reading": ("axioms, other words", "{} axioms"),
            "the same property, µs a reading": ("axioms, the same property", "{} axioms"),
            "loading, s": ("axioms, other words", "{} axioms, read, checked and compiled"),
        },
    ),
    "readings": Table(
        "µs a reading",
        {name: name for name in ("changing", "repeating", "fresh")},
        _of(
            "readings, {}",
            numbers="interned columns",
            Arrow="Arrow, dictionaries",
            rdflib="rdflib triples",
        ),
    ),
    "start": Table(
        "",
        {"seconds": ""},
        {
            "new process to its first window": ("start", "a fresh process to its first window"),
            "new process to its first answer": ("start", "a fresh process to its first SPARQL answer"),
            "load the university": ("loading, university", "load"),
            "load Brick 1.4": ("loading, Brick 1.4", "load"),
            "load 1,000 disjoint classes": ("loading, 1,000 disjoint classes", "load"),
        },
    ),
    "queries": Table(
        "",
        {"50 k facts": "50 k", "500 k facts": "500 k"},
        _of(
            "queries, {}",
            **{
                "pantarhei : pyoxigraph, median": "median, pantarhei : pyoxigraph",
                "rdflib : pantarhei, median": "median, rdflib : pantarhei",
                "point query, µs": "a point query",
                "push between queries, µs an observation": "push, asked between",
                "push without queries, µs an observation": "push, never asked",
            },
        ),
    ),
    "registered": Table(
        "µs a step",
        {"1 observation": "1", "25 observations": "25"},
        {
            f"{shape}, {name}": ("registered queries and Pathway, {} a step", f"{shape}{way}")
            for shape in ("star with filter", "join", "average by room")
            for name, way in (
                ("pantarhei", ""),
                ("decoded", ", with all changed rows decoded"),
                ("Pathway", ", Pathway"),
            )
        },
    ),
    "temporal": Table(
        "µs a report",
        {"pantarhei": "numbers", "ARES": "ARES", "clingo": "clingo"},
        {rule: ("temporal rules, window 20, 200 a tick", f"{rule}, {{}}, all answers") for rule in _RULES},
    ),
    "explaining": Table(
        "ms",
        {name: name for name in ("median", "99 of 100", "slowest")},
        _of("the building asked", explain="explain, {}", why_not="why_not, {}"),
    ),
    "spark": Table(
        "M rows a second",
        {name: name for name in ("shuffled", "clustered")},
        {
            "two cores": ("10 M rows", "local[2], {}"),
            "one core": ("10 M rows", "local[1], {}"),
        },
    ),
}


def write_page(path: Path, runs: Sequence[RecordedRun]) -> None:
    """Write the figures of runs into the page's sections.

    Raises:
        KeyError: the page has a section that is not in `TABLES`.
    """
    figures = {(each.workload, each.way): each for run in runs for each in run.figures}

    def made(section: re.Match[str]) -> str:
        begin, name, end = section.groups()
        match name:
            case "machine":
                text = _machines(runs)
            case "missed":
                text = _missed(figures.values())
            case _:
                text = TABLES[name].text(figures)
        return f"{begin}\n{text}\n\n{end}"

    path.write_text(_SECTION.sub(made, path.read_text()))


def cell(figure: Figure | None) -> str:
    """Return a figure with three significant digits; a value that misses its target is emphasized."""
    if figure is None or figure.value is None:
        return ""
    value = figure.value
    number = f"{value:,.0f}" if abs(value) >= 100 else f"{value:#.3g}".rstrip(".")
    return f"**{number}**" if figure.missed else number


def _machines(runs: Sequence[RecordedRun]) -> str:
    """Return the runs as a table."""
    lines = [["date", "commit", "machine", "figures"]]
    for run in runs:
        about = run.circumstances
        workloads = sorted({re.split(r"[,:]", each.workload)[0] for each in run.figures})
        more = f", {len(workloads) - 2} more" if len(workloads) > 2 else ""
        machine = f"{about.get('processor', 'unknown')}, {about.get('cores', '?')} cores"
        date, commit = str(about["time"])[:10], str(about["commit"])[:8]
        lines.append([date, f"`{commit}`", machine, f"{', '.join(workloads[:2])}{more}"])
    return _markdown(lines, 4)


def _missed(figures: Iterable[Figure]) -> str:
    """Return the number of targets met, and for each kind of workload the figure that misses its target
    most.
    """
    with_target = [each for each in figures if verdict(each)[0]]
    kinds: dict[str, list[Figure]] = {}
    for each in with_target:
        if each.missed:
            kinds.setdefault(each.workload.partition(",")[0], []).append(each)
    lines = [["workload", "worst miss", "measured", "target", "misses"]]
    for missed in kinds.values():
        worst = max(missed, key=_excess)
        measured = f"{cell(worst).strip('*')} {worst.unit}"
        lines.append([worst.workload, worst.way, measured, verdict(worst)[0], str(len(missed))])
    met = sum(not each.missed for each in with_target)
    return f"{met} of {len(with_target)} targets are met.\n\n{_markdown(lines, 2)}"


def _excess(figure: Figure) -> float:
    """Return the factor by which a figure misses its target."""
    assert figure.value is not None
    if figure.at_most is not None:
        return figure.value / figure.at_most
    assert figure.at_least is not None
    return figure.at_least / figure.value
