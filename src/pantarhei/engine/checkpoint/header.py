"""What the header of a checkpoint says: mypy holds the writer to its types, `conforms` the file."""

from __future__ import annotations

from types import UnionType
from typing import Any, Literal, TypedDict, cast, get_args, get_origin, get_type_hints

from pantarhei.engine.checkpoint.container import Contents
from pantarhei.engine.options import ConclusionsIn, Derive
from pantarhei.materialize.model import Keep
from pantarhei.model.time import Precision
from pantarhei.repair.choose import Method
from pantarhei.values.by_value import Numbers


class Header(TypedDict):
    """The header, beside `columns` and `pantarhei`.

    Args:
        rules, background, given: fingerprints of the ontology's rules and constraints, of the assertions in
            it, and of the background beside it.
        kind, now: where time has come to, in ticks of that kind; None and 0 before the first step.
        contradicted: whether the newest ABox was in conflict when it came.
        messages: how many tables came.
        history: its bounds, without the sink.
        departed: how many of the entries have left the window; they come first.
        known_from: the tick from which on the window is known; None for the beginning of the stream.
        ill_typed: properties that had ill-typed values.
        times: the marks of timestamps.
        constraints: name and text of each that a repair speaks of.
        note: what the caller wants to find again.
        unexpected: what came that is likely a mistake, as `Noted` saves it.
        waiting: kind and newest of the times of ABoxes that wait, and how many of them are unproven.
    """

    rules: str
    background: str
    given: str
    window: dict[str, Any]
    repair: Method
    keep: Keep
    unique_names: bool
    budget: dict[str, int]
    limits: dict[str, Any]
    derive: Derive
    conclusions: ConclusionsIn
    numbers: Numbers
    precision: Precision
    kind: str | None
    now: int
    contradicted: bool
    counters: dict[str, int]
    messages: int
    history: dict[str, int]
    departed: int
    known_from: int | None
    ill_typed: list[str]
    times: list[list[Any]]
    constraints: list[list[str]]
    note: dict[str, Any]
    unexpected: dict[str, Any]
    waiting: dict[str, Any]


def checked_header(contents: Contents) -> Header:
    """The header of a checkpoint.

    Raises:
        CheckpointError: something in it is missing, or of another type.
    """
    given = contents.header
    if not contents.has_waiting:
        given = {**given, "waiting": {}, "precision": "microseconds"}
    if not contents.has_unexpected:
        given = {**given, "unexpected": {}}
    if not contents.has_numbers:
        given = {**given, "numbers": "by_datatype"}
    if not contents.has_conclusions:
        given = {**given, "conclusions": "graph"}
    if not contents.has_history:
        given = {**given, "history": {}, "departed": 0, "known_from": given.get("now")}
    for name, type_ in get_type_hints(Header).items():
        found = given.get(name)
        if not conforms(found, type_):
            raise contents.broken(f"{name} is {found!r:.50}")
    return cast(Header, given)


def conforms(found: object, type_: object) -> bool:
    """Whether `found`, read from JSON, is of a type; integers have at most 64 bits.

    >>> conforms({"a": [1, 2]}, dict[str, list[int]]), conforms(True, int), conforms(None, int | None)
    (True, False, True)
    """
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is list:
        return isinstance(found, list) and all(conforms(each, arguments[0]) for each in found)
    if origin is dict:
        return isinstance(found, dict) and all(conforms(each, arguments[1]) for each in found.values())
    if origin is Literal:
        return found in arguments
    if origin is UnionType:
        return any(conforms(found, each) for each in arguments)
    if type_ is int:
        return type(found) is int and -(2**63) <= found < 2**63
    return type_ is Any or type(found) is type_
