"""Output of `pantarhei run --rules`: deltas of conclusions, or answer streams with `--models`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import typer

from pantarhei.io.writers import AnswerWriter, Cell, TableWriter, time_text
from pantarhei.model.message_text import DisplayNames, disambiguate
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.model.time import TimePoint, in_zone_of, show_time
from pantarhei.temporal.conclusion_sets import TickConclusions
from pantarhei.temporal.rules import TemporalRules, load_rules
from pantarhei.temporal.text.rule_terms import is_absolute

if TYPE_CHECKING:
    import pantarhei as pr
    from pantarhei.model.term import Triple
    from pantarhei.temporal.answer_sets import AnswerStream
    from pantarhei.window.sliding import Window


def read_rules(path: Path, ontology: pr.Ontology | None, feedback: bool = False) -> TemporalRules:
    """Read temporal rules from a file; the prefixes of the ontology are predeclared.

    Args:
        feedback: whether the conclusions of a tick are to be asserted at the next tick.

    Raises:
        InputError: the file cannot be read.
        TemporalRuleError: a rule is malformed or not supported.
    """
    prefixes = None if ontology is None else declared_prefixes(ontology)
    return load_rules(path, prefixes=prefixes, feedback=feedback)


def check_feedback(feedback: bool, rules: Path | None) -> None:
    """Check that `--feedback` is given with `--rules`. Raises `BadParameter`."""
    if feedback and rules is None:
        problem = "it asserts conclusions of temporal rules; give --rules FILE"
        raise typer.BadParameter(problem, param_hint="--feedback")


def declared_prefixes(ontology: pr.Ontology) -> dict[str, str]:
    """Return the prefixes of an ontology whose namespaces are absolute IRIs."""
    declared = ontology.graph.namespaces()
    return {prefix: str(iri) for prefix, iri in declared if is_absolute(iri)}


class RunOutput(ABC):
    """Output of a run: writes the results of each update.

    Attributes:
        prefixes: prefixes for the display of answers.
        window: window of the reasoner; None for the window of the options.
        background: background facts in addition to those of the options.
    """

    prefixes: Mapping[str, str] = MappingProxyType({})
    window: Window | None = None
    background: tuple[Triple, ...] = ()

    def begin(self, reasoner: pr.StreamReasoner) -> None:  # noqa: B027, most outputs have nothing to prepare
        """Prepare the output, such as by registering a query; called before the first update."""

    @abstractmethod
    def write(self, update: pr.WindowUpdate, writer: AnswerWriter) -> None:
        """Write the results of an update."""

    def end(self, writer: AnswerWriter) -> None:  # noqa: B027, most outputs have no results due at the end
        """Write the results that are reported at the end of the stream only."""


class ConclusionOutput(RunOutput):
    """Inserted and deleted conclusions of temporal rules at each tick.

    A table has a line for each conclusion, with `+` for inserted and `-` for deleted ones. Other formats have
    the columns `change`, `predicate`, `argument1` and so on, up to the highest arity.

    Args:
        names: prefixes and labels for tables.
    """

    def __init__(self, rules: TemporalRules, names: DisplayNames) -> None:
        self._names = names
        self._arity = max((len(rule.head.atom.arguments) for rule in rules.rules), default=0)

    def write(self, update: pr.WindowUpdate, writer: AnswerWriter) -> None:
        """Write the conclusions deleted and then those inserted at each tick of the update."""
        for turn in update.conclusions.turns:
            at = in_zone_of(turn.at, update.at)
            if isinstance(writer, TableWriter):
                for line in disambiguate(lambda: _lines(turn, at), self._names):  # noqa: B023, called at once
                    writer.line(line)
            else:
                writer.report(at, self._columns(turn))

    def _columns(self, turn: TickConclusions) -> dict[str, list[Cell]]:
        signed = [("-", atom) for atom in sorted(turn.removed, key=_as_written)]
        signed += [("+", atom) for atom in sorted(turn.added, key=_as_written)]
        columns: dict[str, list[Cell]] = {
            "change": [sign for sign, _ in signed],
            "predicate": [atom.predicate for _, atom in signed],
        }
        for place in range(self._arity):
            columns[f"argument{place + 1}"] = [_argument(atom, place) for _, atom in signed]
        return columns


def _as_written(atom: TemporalAtom) -> tuple[str, ...]:
    return (atom.predicate, *(argument.n3() for argument in atom.arguments))


def _lines(turn: TickConclusions, at: TimePoint) -> list[str]:
    return [
        f"{time_text(at)}  {sign} {text}"
        for sign, atoms in (("-", turn.removed), ("+", turn.added))
        for text in sorted(map(str, atoms))
    ]


def _argument(atom: TemporalAtom, place: int) -> Cell:
    return atom.arguments[place] if place < len(atom.arguments) else None


def check_models(models: int | None, rules: Path | None, feedback: bool) -> None:
    """Check that `--models` is given with rules and without feedback. Raises `BadParameter`."""
    if models is None:
        return
    if rules is None:
        problem = "it computes answer streams of temporal rules; give --rules FILE"
        raise typer.BadParameter(problem, param_hint="--models")
    if feedback:
        problem = "it cannot be combined with --models, whose answer streams differ; omit one of them"
        raise typer.BadParameter(problem, param_hint="--feedback")


class AnswerStreamOutput(RunOutput):
    """Answer streams of temporal rules at each update.

    A table has one line for each answer stream, or one line if there is none. Other formats have one row for
    each conclusion, with the columns `answer` (number of the answer stream), `predicate`, `argument1` and so
    on, and `time` for conclusions at another tick; an answer stream without conclusions is a row with its
    number.

    Args:
        rules: the file of the rules.
        most: maximum number of answer streams, 0 for all.
        ontology: the ontology, whose prefixes are predeclared in the rules.
    """

    def __init__(self, rules: Path, most: int, ontology: pr.Ontology) -> None:
        self._rules, self._most, self._names = rules, most, ontology.names
        self._declared = declared_prefixes(ontology)

    def begin(self, reasoner: pr.StreamReasoner) -> None:
        """Read the rules and attach them to the reasoner.

        Raises:
            InputError: the file cannot be read.
            TemporalRuleError: a rule is malformed or not supported.
        """
        from pantarhei.answer_streams import AnswerStreams

        self._answer_streams = AnswerStreams(reasoner, self._rules, prefixes=self._declared)
        heads = (rule.head.atom for rule in self._answer_streams.rules)
        self._arity = max((len(head.arguments) for head in heads), default=0)

    def write(self, update: pr.WindowUpdate, writer: AnswerWriter) -> None:
        """Write the answer streams at the time of an update.

        Raises:
            ClingoNotFoundError: clingo is not installed.
        """
        found = self._answer_streams.models(self._most)
        if isinstance(writer, TableWriter):
            is_cut = 0 < self._most == len(found)
            for line in disambiguate(
                lambda: list(_answer_stream_lines(update.at, found, is_cut)), self._names
            ):
                writer.line(line)
        else:
            writer.report(update.at, self._columns(found))

    def _columns(self, found: tuple[AnswerStream, ...]) -> dict[str, list[Cell]]:
        names = ["answer", "predicate", *(f"argument{place + 1}" for place in range(self._arity)), "time"]
        rows = [row for number, answer in enumerate(found, 1) for row in self._rows(number, answer)]
        return {name: [row[place] for row in rows] for place, name in enumerate(names)}

    def _rows(self, number: int, answer: AnswerStream) -> Iterator[list[Cell]]:
        drawn: list[tuple[Cell, TemporalAtom]] = [(None, atom) for atom in sorted(answer.atoms, key=str)]
        drawn += [(show_time(at), atom) for at, atom in sorted(answer.elsewhere, key=str)]
        for time, atom in drawn:
            arguments: list[Cell] = [*atom.arguments, *[None] * (self._arity - len(atom.arguments))]
            yield [number, atom.predicate, *arguments, time]
        if not drawn:
            yield [number, *[None] * (self._arity + 2)]


def _answer_stream_lines(at: TimePoint, found: tuple[AnswerStream, ...], is_cut: bool) -> Iterator[str]:
    """Yield a line for each answer stream, or one line if there is none.

    Args:
        is_cut: whether the maximum number was found, so that there may be more.
    """
    count = f"{len(found)}{' or more' * is_cut}"
    if not found:
        yield f"{time_text(at)}  no answer stream"
    for number, answer in enumerate(found, 1):
        texts = sorted(map(str, answer.atoms))
        texts += sorted(f"{atom} at {show_time(time)}" for time, atom in answer.elsewhere)
        yield f"{time_text(at)}  {number} of {count}: {', '.join(texts) or 'nothing is concluded'}"
