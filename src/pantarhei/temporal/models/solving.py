"""Answer streams by clingo (https://potassco.org/clingo), which the extra `pantarhei[clingo]` brings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pantarhei.errors import ClingoNotFoundError
from pantarhei.model.temporal_rule import TemporalAtom, TemporalRule
from pantarhei.model.time import TimePoint, time_of
from pantarhei.temporal.models.program import AspProgram
from pantarhei.temporal.models.said import SaidStream
from pantarhei.temporal.ticks import Ticks

if TYPE_CHECKING:
    from types import ModuleType

Drawn = frozenset[tuple[TimePoint, TemporalAtom]]


@dataclass(frozen=True, slots=True)
class AnswerStream:
    """One answer stream: what is concluded in it.

    Args:
        atoms: what holds at the present tick of what rules conclude.
        elsewhere: the same at other ticks, with their times: what heads name there, and what was said then.
    """

    atoms: frozenset[TemporalAtom]
    elsewhere: Drawn = frozenset()


def answer_streams(
    rules: Sequence[TemporalRule], said: SaidStream, ticks: Ticks, most: int = 0
) -> tuple[AnswerStream, ...]:
    """The answer streams of rules at the last tick of a stream, in the order of their texts.

    Costs what clingo does: up to exponentially much in the number of conclusions.

    Args:
        rules: safe; they need no strata.
        said: what the stream has said.
        ticks: of the stream.
        most: how many at most; 0 for all. Which ones are found first is clingo's choice.

    Raises:
        ClingoNotFoundError: clingo is not installed.
        TemporalRuleError: a window does not fit the stream's ticks.
    """
    clingo, program = _clingo(), AspProgram(rules, said, ticks)
    called = _Called(clingo, program)
    control: Any = clingo.Control([str(most), "--warn=none"])
    control.add("base", [], program.text)
    called.watched(lambda: control.ground([("base", [])], context=called))
    with control.solve(yield_=True) as models:
        found = [_answer(program, model.symbols(shown=True)) for model in models]
    return tuple(sorted(found, key=_written))


def _answer(program: AspProgram, symbols: Iterable[Any]) -> AnswerStream:
    """The answer stream of what a model shows."""
    atoms, elsewhere, ticks = set(), set(), program.ticks
    for symbol in symbols:
        tick, *arguments = (each.number for each in symbol.arguments)
        atom = program.atom(int(symbol.name[1:]), arguments)
        if tick == 0:
            atoms.add(atom)
        else:
            elsewhere.add((time_of(ticks.end_of(program.now + tick), ticks.kind), atom))
    return AnswerStream(frozenset(atoms), frozenset(elsewhere))


def _written(answer: AnswerStream) -> tuple[list[str], list[str]]:
    return sorted(map(str, answer.atoms)), sorted(f"{at} {atom}" for at, atom in answer.elsewhere)


class _Called:
    """What clingo calls while it grounds; remembers what went wrong, of which clingo tells the text alone."""

    def __init__(self, clingo: ModuleType, program: AspProgram) -> None:
        self._number, self._program = clingo.Number, program
        self._raised: list[BaseException] = []

    def watched(self, work: Callable[[], object]) -> None:
        """Do something; raises what was raised in a call."""
        try:
            work()
        except Exception:  # clingo makes another of the same kind, if it can
            if self._raised:
                raise self._raised[0] from None
            raise

    def _told(self, ask: Callable[..., int | None], given: Iterable[Any]) -> list[Any]:
        try:
            found = ask(*(symbol.number for symbol in given))
        except BaseException as error:
            self._raised.append(error)
            raise
        return [] if found is None else [self._number(found)]

    def holds(self, *given: Any) -> list[Any]:
        """1 or 0."""
        return self._told(self._program.holds, given)

    def are_equal(self, *given: Any) -> list[Any]:
        """1 or 0."""
        return self._told(self._program.are_equal, given)

    def computed(self, *given: Any) -> list[Any]:
        """A term or nothing."""
        return self._told(self._program.computed, given)

    def time(self, *given: Any) -> list[Any]:
        """A term."""
        return self._told(self._program.time, given)

    def tick(self, *given: Any) -> list[Any]:
        """A tick or nothing."""
        return self._told(self._program.tick, given)


def _clingo() -> ModuleType:
    try:
        return import_module("clingo")
    except ImportError as error:
        raise ClingoNotFoundError(str(error)) from None
