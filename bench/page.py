"""Tables of docs/performance.md, written from a result between the page's markers.

`<!-- bench: NAME -->` and `<!-- end -->` enclose a generated section; NAME is a key of `SECTIONS`. A section
without measured figures is left unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from bench.measuring import Figure
from bench.report import Circumstances, verdict

_SECTION = re.compile(r"(<!-- bench: (.*?) -->\n).*?(<!-- end -->)", re.DOTALL)


def write_page(path: Path, figures: Sequence[Figure], about: Circumstances) -> None:
    """Write the figures into the page's sections.

    Raises:
        KeyError: the page has a section that is not in `SECTIONS`.
    """

    def made(section: re.Match[str]) -> str:
        begin, name, end = section.groups()
        text = _circumstances(about) if name == "machine" else SECTIONS[name](figures)
        return f"{begin}\n{text}\n\n{end}" if text else section[0]

    path.write_text(_SECTION.sub(made, path.read_text()))


def _circumstances(about: Circumstances) -> str:
    entries = ", ".join(f"{name} {value}" for name, value in about.items())
    return f"Measured with: {entries}."


# -- tables --------------------------------------------------------------------------------------------------


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _plain(*prefixes: str) -> Callable[[Sequence[Figure]], str]:
    """Make a table for each workload with one of these prefixes, a line for each figure."""

    def section(figures: Sequence[Figure]) -> str:
        by_workload: dict[str, list[Figure]] = {}
        for each in figures:
            if each.workload.startswith(prefixes):
                by_workload.setdefault(each.workload, []).append(each)
        header = ("CPU", "wall", "target")
        return "\n\n".join(
            _table((workload, *header), map(_line, mine)) for workload, mine in by_workload.items()
        )

    return section


def _line(figure: Figure) -> tuple[str, str, str, str]:
    wall = "" if figure.wall is None else _value(figure.wall, figure.unit)
    return figure.way, _value(figure.value, figure.unit), wall, _target(figure)


def _target(figure: Figure) -> str:
    limit, met = verdict(figure)
    return f"{limit}: {'met' if met == 'met' else '**missed**'}" if limit else ""


def _value(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    number = f"{value:,.0f}" if abs(value) >= 100 else f"{value:#.3g}".rstrip(".")
    return f"{number} {unit}".strip()


def _pivot(
    corner: str, pattern: str, unit: str, columns: str, suffix: str
) -> Callable[[Sequence[Figure]], str]:
    """Make a table with a row for each `row` and a column for each `column` of `pattern`, matched on
    `workload: way`.
    """
    form = re.compile(pattern)

    def section(figures: Sequence[Figure]) -> str:
        cells: dict[str, dict[str, str]] = {}
        heads: dict[str, None] = {}
        for each in figures:
            matched = form.fullmatch(f"{each.workload}: {each.way}")
            if matched is None or each.unit != unit:
                continue
            parts: Mapping[str, str] = matched.groupdict()
            row = ", ".join(text for name, text in parts.items() if name != columns and text)
            target = _target(each)
            cells.setdefault(row, {})[parts[columns]] = _value(each.value, "") + (target and f" ({target})")
            heads[parts[columns]] = None
        if not cells:
            return ""
        header = (f"{corner}, {unit}", *(f"{head}{suffix}" for head in heads))
        return _table(
            header, ([row, *(found.get(head, "") for head in heads)] for row, found in cells.items())
        )

    return section


def _concatenated(*parts: Callable[[Sequence[Figure]], str]) -> Callable[[Sequence[Figure]], str]:
    return lambda figures: "\n\n".join(filter(None, (part(figures) for part in parts)))


_IMARS = r"IMaRS, window (?P<window>[\d,]+): (?P<way>.*), (?P<change>\d+) %"
_TIMES = r"IMaRS, window (?P<window>[\d,]+): (?P<way>.* : ours), (?P<change>\d+) %"
_ANEW = r"IMaRS, window (?P<window>[\d,]+): (?P<way>.*anew.*)"
_RATES = r"rates, (?P<variant>\w+): (?P<rate>[\d,]+) a tick, (?P<way>.*)"
_SIZES = r"axioms, (?P<what>.*): (?P<size>[\d,]+) axioms"
_SIZE_OF_QUERIES = r"queries, (?P<size>\d+ k): "
_QUERIES = rf"{_SIZE_OF_QUERIES}(?P<query>(LUBM|sensors) [^,]*)"
_REGISTERED = r"registered queries, (?P<size>\d+ k), (?P<each>\d+) a step: "
_TEMPORAL = r"temporal rules, window (?P<window>\d+, \d+ a tick): "
_SHARES = r"contradictions, (?P<share>\d+) %: (?P<way>.*)"
_SHAPES = r"contradictions, (?P<shape>.*): (?P<way>push, triples in and out|deciding alone)"

SECTIONS: Mapping[str, Callable[[Sequence[Figure]], str]] = {
    "batch": _plain("batch"),
    "imars": _concatenated(
        _pivot("window, way", _IMARS, "ms", "change", " % change"),
        _pivot("anew", _ANEW, "ms", "window", " assertions"),
        _pivot("window, ratio", _TIMES, "times", "change", " % change"),
    ),
    "rates": _concatenated(
        _pivot("readings a tick", _RATES, "µs a reading", "rate", ""),
        _pivot("anew", r"rates, (?P<variant>\w+): (?P<way>.*)", "ms", "variant", ""),
    ),
    "contradictions": _concatenated(
        _pivot("contradicting", _SHARES, "µs a reading", "share", " %"),
        _pivot("ratio", _SHARES, "times", "share", " %"),
        _pivot("by shape", _SHAPES, "µs an assertion", "way", ""),
        _plain("contradictions, building"),
    ),
    "growth": _plain("growth"),
    "texts": _plain("two windows"),
    "axioms": _concatenated(
        _pivot(
            "added axioms on",
            r"axioms, (?P<what>.*): (?P<size>[\d,]+) axioms",
            "µs a reading",
            "size",
            " axioms",
        ),
        _pivot("the ontology, read and compiled", f"{_SIZES}, read, .*", "s", "size", " axioms"),
        _pivot("growth", r"axioms, (?P<what>.*): (?P<ratio>.* : .*)", "times", "ratio", ""),
    ),
    "readings": _plain("readings"),
    "repairs": _plain("repairs"),
    "slides": _plain("slides"),
    "ticks": _plain("ticks", "first answer", "start"),
    "queries": _concatenated(
        _pivot("query", f"{_QUERIES}, (?P<who>[^:]*)", "ms", "who", ""),
        _pivot("ratio", f"{_QUERIES}, (?P<who>.* : .*)", "times", "who", ""),
        _pivot("all", f"{_SIZE_OF_QUERIES}(?P<what>median.*|the worst.*)", "times", "size", " facts"),
        _pivot("asking", f"{_SIZE_OF_QUERIES}(?P<what>a point query)", "µs", "size", " facts"),
        _pivot("pushing", f"{_SIZE_OF_QUERIES}(?P<what>push.*)", "µs an observation", "size", " facts"),
        _pivot("pushing, ratio", f"{_SIZE_OF_QUERIES}(?P<what>push.*)", "times", "size", " facts"),
    ),
    "explaining": _plain("the building asked"),
    "registered": _concatenated(
        _pivot("a step, observations", f"{_REGISTERED}(?P<what>.*)", "µs", "size", " facts"),
        _pivot(
            "share of what is allowed, observations", f"{_REGISTERED}(?P<what>.*)", "times", "size", " facts"
        ),
        _plain("registered queries together", "registered queries and", "one of"),
    ),
    "temporal": _concatenated(
        _pivot(
            "in numbers, a report", f"{_TEMPORAL}(?P<what>[^,]*), numbers, (?P<asks>.*)", "µs", "asks", ""
        ),
        _pivot(
            "through the public face, a report",
            f"{_TEMPORAL}(?P<what>[^,]*), public face, (?P<asks>.*)",
            "µs",
            "asks",
            "",
        ),
        _pivot(
            "all answers by others, a report",
            f"{_TEMPORAL}(?P<what>[^,]*), (?P<who>clingo|ARES), all answers",
            "µs",
            "who",
            "",
        ),
        _pivot("ratio", f"{_TEMPORAL}(?P<what>[^,]*), (?P<who>(clingo|ARES) : ours)", "times", "who", ""),
        _plain("temporal rules, many", "temporal rules, a long past", "temporal rules, small ticks"),
    ),
    "ingest": _plain("ingest", "tables"),
    "soak": _plain("soak"),
    "loading": _plain("loading", "thresholds", "building"),
}
