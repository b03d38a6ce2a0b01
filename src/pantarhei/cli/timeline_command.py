"""Command `pantarhei timeline`: a picture of the last steps of a stream, or of an interval."""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from pantarhei.cli.follow import FileSource, make_reasoner, read_knowledge
from pantarhei.cli.given_values import format_by_suffix, refuse_unwritable
from pantarhei.cli.run_options import TimelineOptions
from pantarhei.cli.run_report import RunCounts, reasons
from pantarhei.explain.timeline import Contradicted, DrawnStep, timeline_svg
from pantarhei.model.display_names import disambiguate
from pantarhei.model.rule import names_of
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint, kind_of, ticks_of
from pantarhei.proofs.sentences import Labels, denied_statement, labels_among, labels_of, sentence

if TYPE_CHECKING:
    import pantarhei as pr

_MOST_STEPS = 60
_MOST_OF_A_STEP = 20


def draw(options: TimelineOptions) -> None:
    """Process the stream, and draw its windows and repairs.

    Raises:
        PantarheiError: an option, the ontology or the stream is invalid.
        OSError: a file cannot be read or written.
    """
    refuse_unwritable(options.output, options.overwrite, "--overwrite")
    format_by_suffix(options.output, None, "svg", {".svg": "svg"}, None)
    (first, last), (ontology, background, _) = options.times, read_knowledge(options)
    reasoner = make_reasoner(options, ontology, background)
    labels = {**labels_of(background), **ontology.labels}
    drawn, count = deque[DrawnStep](maxlen=_MOST_STEPS), 0
    for update in FileSource(options, last).updates(reasoner, RunCounts()):
        if first is None or _is_from(update.at, first):
            count += 1
            drawn.append(_step(update, reasoner, labels))
    if not drawn:
        raise typer.BadParameter("the stream has no steps in that time", param_hint="--stream")
    text = timeline_svg(drawn, count - len(drawn)) + "\n"
    if options.output is None:
        sys.stdout.write(text)
    else:
        Path(options.output).write_text(text, encoding="utf-8")


def _is_from(at: TimePoint, first: TimePoint) -> bool:
    kind = kind_of(at)
    return ticks_of(at, kind) >= ticks_of(first, kind)


def _step(update: pr.WindowUpdate, reasoner: pr.StreamReasoner, labels: Labels) -> DrawnStep:
    kept = Counter(dict.fromkeys(reasoner.timestamps, 0))
    kept.update(at for at, _ in reasoner.assertions())
    rules = (rule for conflict in update.repair.conflicts for rule in conflict.constraints)
    found = disambiguate(lambda: tuple(_contradicted(update.repair, labels)), names_of(rules))
    return DrawnStep(update.at, update.start, update.end, dict(sorted(kept.items())), found)


def _contradicted(repair: pr.Repair, labels: Labels) -> Iterator[Contradicted]:
    """Yield the removed facts; conflicts if the repair is off."""
    times: dict[Triple, list[TimePoint]] = {}
    for at, triple in repair.removed:
        times.setdefault(triple, []).append(at)
    if not times:
        for found in islice(repair.conflicts, _MOST_OF_A_STEP):
            (at, triple), *_ = sorted(found.assertions, key=str)
            yield _contradiction(triple, [at], found, labels, is_cut=False)
        return
    why = reasons(repair, times)
    for triple in sorted(times, key=lambda triple: sentence(triple, labels)):
        _, conflict = why.get(triple, ("", None))
        yield _contradiction(triple, sorted(times[triple]), conflict, labels, is_cut=True)


def _contradiction(
    triple: Triple, times: list[TimePoint], conflict: pr.Conflict | None, labels: Labels, is_cut: bool
) -> Contradicted:
    """Return a fact with the facts that contradict it.

    Args:
        conflict: None if it is not recorded any more.
    """
    others = [] if conflict is None else sorted((a for a in conflict.assertions if a[1] != triple), key=str)
    words = labels_among(labels, [*triple, *(term for _, fact in others for term in fact)])
    constraints = () if conflict is None else conflict.constraints
    return Contradicted(
        sentence(triple, words),
        tuple(times),
        tuple((sentence(fact, words), at) for at, fact in others),
        "; ".join(dict.fromkeys(denied_statement(rule, labels) for rule in constraints)),
        is_cut,
    )
