"""Time ordering of a stream without a reasoner, and streams with ABoxes in each input format."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
from rdflib import Graph, Literal

from pantarhei import read_stream
from pantarhei.model.time import duration_ticks, kind_of, ticks_of
from pantarhei.window.watermark import Timed, Tolerance, Waiting
from strategies import EX


class Order:
    """Orders items by timestamp; records the emitted, the late and the refuted items."""

    def __init__(self, lateness: Any = 0, max_ahead: Any = None) -> None:
        self.lateness, self.max_ahead = lateness, max_ahead
        self.waiting: Waiting[Any] = Waiting()
        self.out, self.late, self.ahead = [], [], []

    def arrive(self, at: Any, item: Any = None, clock: Any = None) -> None:
        kind = kind_of(at)
        most = None if self.max_ahead is None else duration_ticks(self.max_ahead, kind)
        tolerance = Tolerance(duration_ticks(self.lateness, kind), most)
        timed = Timed(ticks_of(at, kind), at, item)
        arrived = self.waiting.arrive(timed, tolerance, None, clock)
        if arrived.is_late:
            self.late.append((at, item))
        self._settle(arrived, tolerance.lateness)

    def end(self) -> None:
        self._settle(self.waiting.end(), None)

    def _settle(self, arrived: Any, lateness: int | None) -> None:
        self.waiting = arrived.waiting
        self.ahead += [(each.at, each.item) for each in arrived.refuted]
        while self.waiting.is_complete(lateness):
            parts, self.waiting = self.waiting.without_oldest()
            self.out.append((parts[0].at, [part.item for part in parts]))


def in_time_order(stream: Iterable[tuple[Any, Any]], lateness: Any = 0) -> Iterator[tuple[Any, list[Any]]]:
    """Yield the timestamps of `stream` in order, each with its items, as soon as they are complete."""
    order = Order(lateness)
    for at, item in stream:
        order.arrive(at, item)
        yield from order.out
        order.out.clear()
    assert not order.late
    order.end()
    yield from order.out


def in_each_form(at: Any, number: int) -> Any:
    """Return a statement in one of the input formats of an ABox."""
    triple = EX[f"s{number % 3}"], EX.v, Literal(number)
    match number % 5:
        case 0:
            return [triple]
        case 1:
            graph = Graph()
            graph.add(triple)
            return graph
        case 2:
            return iter([triple])
        case 3:
            names = ("subject", "predicate", "object")
            return pa.table({name: [term.n3()] for name, term in zip(names, triple, strict=True)})
    line = " ".join(term.n3() for term in triple) + f" <urn:at:{at}> .\n"
    (abox,) = read_stream(io.BytesIO(line.encode()), format="nquads")
    return abox.triples
