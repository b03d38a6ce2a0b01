"""Picture of a repair: each removed fact and the facts that contradict it, on a time axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pantarhei.model.labels import Labels, labels_among
from pantarhei.model.message_text import disambiguate
from pantarhei.model.rule import names_of
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint
from pantarhei.proofs.interval_chart import FOUND, KEPT, REMOVED, ChartRow, ChartSection, chart_svg
from pantarhei.proofs.sentences import TimeFormat, denied_statement, sentence
from pantarhei.proofs.step import Assertion
from pantarhei.repair.removal_text import ConflictingAssertions, reasons

_UNKNOWN = "the conflict is not recorded"


def removals_svg(
    at: TimePoint,
    summary: str,
    removed: Iterable[Assertion],
    conflicts: Sequence[ConflictingAssertions],
    labels: Labels,
) -> str:
    """Return the picture of the removed facts; of the conflicts, if nothing was removed.

    Args:
        at: the time of the repair.
        summary: the numbers of conflicts and removed assertions.
        removed: the removed assertions.
        conflicts: the conflict sets.
    """
    times: dict[Triple, list[TimePoint]] = {}
    for time, triple in sorted(removed, key=lambda assertion: assertion[0]):
        times.setdefault(triple, []).append(time)
    why = reasons(conflicts, times)
    members = {member for conflict in conflicts for member in conflict.assertions}
    words = labels_among(
        labels, (term for _, fact in (*members, *((at, each) for each in times)) for term in fact)
    )
    groups: dict[object, list[Triple]] = {}
    for triple in sorted(times, key=lambda each: sentence(each, words)):
        conflict = why.get(triple)
        groups.setdefault(triple if conflict is None else conflict.assertions, []).append(triple)

    def sections() -> list[ChartSection]:
        if not groups:
            return [_section([], conflict, times, words, labels) for conflict in conflicts]
        return [_section(group, why.get(group[0]), times, words, labels) for group in groups.values()]

    shown = TimeFormat.of(
        [at], [*(time for time, _ in members), *(time for each in times.values() for time in each)]
    )
    rules = (rule for conflict in conflicts for rule in conflict.constraints)
    title = f"Repair at {shown(at)}: {summary}"
    return chart_svg(title, disambiguate(sections, names_of(rules)), [at])


def _section(
    group: Sequence[Triple],
    conflict: ConflictingAssertions | None,
    times: Mapping[Triple, Sequence[TimePoint]],
    words: Labels,
    labels: Labels,
) -> ChartSection:
    """Return the removed facts of a group above the other facts of their conflict.

    Args:
        group: removed facts with the same conflict.
        times: the timestamps of all removed facts.
        words: the labels of the facts' names.
        labels: the labels of all names.
    """
    rows = [ChartRow(sentence(fact, words), REMOVED, tuple(times[fact])) for fact in group]
    if conflict is None:
        return ChartSection(_UNKNOWN, tuple(rows))
    others = ((time, fact) for time, fact in conflict.assertions if fact not in group)
    for time, fact in sorted(others, key=lambda each: (each[0], sentence(each[1], words))):
        colour = KEPT if group else FOUND
        row = ChartRow(sentence(fact, words), colour, (time,))
        rows.append(ChartRow(row.label, REMOVED, tuple(times[fact])) if fact in times else row)
    denied = dict.fromkeys(denied_statement(rule, labels) for rule in conflict.constraints)
    against = "" if len(rows) > 1 else " (against the background)"
    return ChartSection(f"{'; '.join(denied)}{against}", tuple(rows), is_linked=True)
