"""Query for one of fifty classes: a step that derives all facts, and a step that derives only the needed
ones.

Each class has rules of its own: five superclasses, and a property whose values are members of another class.
A step has readings of all classes in equal parts, of recurring names. The constant cost of a push, mainly the
encoding of its terms, is part of both times. The registered query must report equal answers in both modes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from rdflib import Graph, URIRef

import pantarhei as pr
from bench.measuring import Figure, check, cpu_seconds, figure, ratios
from pantarhei.engine.options import Derive

EX = "http://example.org/plant#"
NAME = cache(lambda local: URIRef(EX + local))
KINDS = 50
ONTOLOGY = f"""
    @prefix : <{EX}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
""" + "".join(
    f":of{i} a owl:ObjectProperty ; rdfs:domain :C{i}-0 ; rdfs:range :Sensor{i} . "
    + "".join(f":C{i}-{above} rdfs:subClassOf :C{i}-{above + 1} . " for above in range(5))
    for i in range(KINDS)
)
QUERY = f"PREFIX : <{EX}> SELECT ?x ?s {{ ?x a :C7-5 ; :of7 ?s }}"
WAYS: tuple[Derive, ...] = ("all", "needed")


class Stream:
    """Reasoner with the registered query, and a stream of readings of all classes."""

    def __init__(self, derive: Derive, range_: int, each: int) -> None:
        ontology = pr.load_ontology(Graph().parse(data=ONTOLOGY))
        self.reasoner = pr.StreamReasoner(ontology, pr.Window(range_), derive=derive)
        self.query = self.reasoner.register(QUERY)
        self.each, self.at, self.reports = each, 0, []
        for _ in range(range_ + 1):
            self.step()

    def aboxes(self, count: int) -> list[list[Any]]:
        """Return the ABoxes of the next steps; their individuals differ from those in the window."""
        names = (self.reasoner.window.range + 2) * self.each
        return [
            [
                (NAME(f"x{(at * self.each + i) % names}"), NAME(f"of{i % KINDS}"), NAME(f"s{i}"))
                for i in range(self.each)
            ]
            for at in range(self.at + 1, self.at + 1 + count)
        ]

    def step(self) -> None:
        (abox,) = self.aboxes(1)
        self.push(abox)

    def push(self, abox: list[Any]) -> None:
        self.at += 1
        update = self.reasoner.push(self.at, abox)
        self.reports.append(update.answers.get(self.query))

    def seconds(self, count: int) -> float:
        """Return CPU seconds per step."""
        aboxes = self.aboxes(count)
        return cpu_seconds(lambda: [self.push(abox) for abox in aboxes]) / count


def measure(quick: bool) -> Iterator[Figure]:
    """Yield microseconds per reading, numbers of facts and rule instances, and ratios of all to needed."""
    range_, rounds, count = (20, 2, 5) if quick else (200, 5, 50)
    for each in (KINDS, 20 * KINDS):
        streams = [Stream(derive, range_, each) for derive in WAYS]
        samples: dict[str, list[float]] = {derive: [] for derive in WAYS}
        for _ in range(rounds):
            for derive, stream in zip(WAYS, streams, strict=True):
                samples[derive].append(1e6 * stream.seconds(count) / each)
        every, needed = streams
        reports = [[(c.added, c.removed) if c else None for c in stream.reports] for stream in streams]
        check("what each step reports", reports[1], reports[0])
        check("the answers", dict(needed.query.answers), dict(every.query.answers))
        whole = [stream.reasoner.materialization() for stream in streams]
        check("the window asked as a whole", whole[1], whole[0])
        workload = f"one of {KINDS} classes asked for, {each:,} readings a step"
        for derive, stream in zip(WAYS, streams, strict=True):
            stats = stream.reasoner.stats()
            yield figure(workload, f'derive="{derive}"', samples[derive], "µs a reading")
            yield figure(workload, f'derive="{derive}", held', [stats.facts], "facts")
            yield figure(workload, f'derive="{derive}", memory', [stats.bytes / 1e6], "MB")
        yield figure(workload, "all : needed, time", ratios(samples["all"], samples["needed"]), "times")
        fired = every.reasoner.work.firings / needed.reasoner.work.firings
        yield figure(workload, "all : needed, rule instances", [fired], "times", at_least=KINDS)
