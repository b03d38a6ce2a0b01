"""What a checkpoint keeps of temporal rules: their text, and what the stream has said."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from pantarhei.encoding.numbers import NONE, Integers, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.language.time import TimeKind
from pantarhei.rdf.ntriples import parse_term, write_term
from pantarhei.temporal.heard import Heard
from pantarhei.temporal.numbered import NumberedProgram
from pantarhei.temporal.past import Past, Said
from pantarhei.temporal.rules import TemporalRules, load_rules


def to_bytes(
    rules: TemporalRules, heard: Heard | None, numbered: NumberedProgram, vocabulary: Vocabulary
) -> bytes:
    """Rules and what has been heard as bytes, the same for the same. Costs what has been heard."""
    start = rules.start.isoformat() if isinstance(rules.start, datetime) else rules.start
    saved: dict[str, Any] = {"rules": str(rules), "start": start, "feedback": rules.feedback}
    saved["kind"] = numbered.ticks.kind.name
    if heard is not None:
        saved["heard"] = _Writer(numbered, vocabulary).written(heard)
    return json.dumps(saved, ensure_ascii=False).encode()


def rules_of(saved: bytes) -> TemporalRules:
    """The rules that were saved."""
    given = json.loads(saved)
    start = given["start"]
    start = datetime.fromisoformat(start) if isinstance(start, str) else start
    return load_rules(given["rules"] + "\n", start, feedback=given["feedback"])


def kind_of_saved(saved: bytes) -> TimeKind:
    """The kind of time of the stream."""
    return TimeKind[json.loads(saved)["kind"]]


def heard_of(saved: bytes, numbered: NumberedProgram, vocabulary: Vocabulary) -> Heard | None:
    """What had been heard; terms get numbers where they have none."""
    given = json.loads(saved).get("heard")
    return None if given is None else _Reader(given, numbered, vocabulary).heard()


class _Writer:
    """Writes facts as rows of places in a list of predicates and one of terms."""

    def __init__(self, numbered: NumberedProgram, vocabulary: Vocabulary) -> None:
        self._vocabulary, self._own = vocabulary, numbered.compiled.predicates
        self._symbols: dict[tuple[str, int], int] = {}
        self._terms: dict[int, int] = {}

    def written(self, heard: Heard) -> dict[str, Any]:
        """What has been heard as JSON says it."""
        ticks = [
            [said.tick, *map(self._stream, said[1:4]), *map(self._rules, said[4:])] for said in heard.past
        ]
        now = [*map(self._stream, (heard.came, heard.went)), self._rules(heard.concluded)]
        asserted = [[at, self._stream(facts)] for at, facts in heard.asserted]
        return {
            "first": heard.first,
            "tick": heard.tick,
            "begun": heard.past.begun,
            "oldest": heard.oldest,
            "past": ticks,
            "now": now,
            "asserted": asserted,
            "symbols": [list(symbol) for symbol in self._symbols],
            "terms": [write_term(self._vocabulary.term(number)) for number in self._terms],
        }

    def _stream(self, facts: Integers) -> list[int]:
        return self._rows(facts, self._vocabulary.symbols)

    def _rules(self, facts: Integers) -> list[int]:
        return self._rows(facts, self._own)

    def _rows(self, facts: Integers, symbols: Sequence[Symbol]) -> list[int]:
        flat: list[int] = []
        for predicate, *terms in facts.tolist():
            name, arity = symbols[predicate]
            flat.append(self._symbols.setdefault((write_term(name), arity), len(self._symbols)))
            flat += [
                NONE if term == NONE else self._terms.setdefault(term, len(self._terms)) for term in terms
            ]
        return flat


class _Reader:
    """Reads what `_Writer` wrote."""

    def __init__(self, given: dict[str, Any], numbered: NumberedProgram, vocabulary: Vocabulary) -> None:
        self._given, self._vocabulary = given, vocabulary
        self._symbols = [Symbol(parse_term(name), arity) for name, arity in given["symbols"]]  # type: ignore[arg-type]
        self._own = {symbol: number for number, symbol in enumerate(numbered.compiled.predicates)}
        self._terms = [vocabulary.reserve(parse_term(text)) for text in given["terms"]]

    def heard(self) -> Heard:
        """What had been heard."""
        given = self._given
        said = (
            Said(tick, *map(self._stream, parts[:3]), *map(self._rules, parts[3:]))
            for tick, *parts in given["past"]
        )
        came, went, concluded = given["now"]
        return Heard(
            given["first"],
            given["tick"],
            Past.of(given["begun"], said),
            self._rules(concluded),
            self._stream(came),
            self._stream(went),
            tuple((at, self._stream(facts)) for at, facts in given["asserted"]),
            given["oldest"],
        )

    def _stream(self, flat: list[int]) -> Integers:
        return self._rows(flat, self._vocabulary.number_symbol)

    def _rules(self, flat: list[int]) -> Integers:
        return self._rows(flat, self._own.__getitem__)

    def _rows(self, flat: list[int], number: Callable[[Symbol], int]) -> Integers:
        rows = np.array(flat, np.int32).reshape(-1, 3)
        rows[:, 0] = [number(self._symbols[place]) for place in rows[:, 0].tolist()]
        terms = np.array([*self._terms, NONE], np.int32)  # the last place stands for no term
        rows[:, 1:] = terms[rows[:, 1:]]
        return rows
