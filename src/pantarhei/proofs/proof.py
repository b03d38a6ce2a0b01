"""Proofs: facts, what each follows from, and the assertions with their timestamps that all rests on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from rdflib import Graph

from pantarhei.model.display_names import told_apart
from pantarhei.model.rule import Origin, Rule, names_of
from pantarhei.model.term import Triple, short
from pantarhei.model.time import TimePoint, show_time
from pantarhei.proofs.renderers import Json, render_dot, render_html, render_json, render_rdf, render_text
from pantarhei.proofs.sentences import NO_LABELS, Labels, ShownTimes, labels_among
from pantarhei.proofs.step import Assertion, ObservedInterval, ProofStep, TemporalCondition
from pantarhei.proofs.svg import render_svg
from pantarhei.rdf.ntriples import exactly


@dataclass(frozen=True)
class Proof:
    """Steps, each after its premises, no fact twice; the last one is what is proved.

    `str` is a tree of sentences: each fact with what it follows from below it.

    Args:
        steps: at least one.
        complete: whether the limit was enough to look at all rule instances; if not, there may be a better
            proof, and steps may be open.
        labels: what its names are called, for people. Proofs of the same are equal whatever these say.
    """

    steps: tuple[ProofStep, ...]
    complete: bool = True
    labels: Labels = field(default_factory=dict, compare=False, repr=False)

    @property
    def triple(self) -> Triple | None:
        """What is proved; None for ⊥."""
        return self.steps[-1].fact

    @cached_property
    def supports(self) -> frozenset[Assertion]:
        """The assertions of the stream that it rests on, each at its newest timestamp; not the background."""
        return frozenset((step.at, step.fact) for step in self.steps if step.at is not None and step.fact)

    @cached_property
    def background(self) -> frozenset[Triple]:
        """The facts that it rests on and that are given and hold at every time."""
        return frozenset(step.fact for step in self.steps if step.is_background and step.fact)

    @property
    def timestamp(self) -> TimePoint | None:
        """The oldest timestamp of `supports`: what is proved leaves the window with it, unless temporal rules
        conclude it. None if nothing of the stream is needed.
        """
        return min((at for at, _ in self.supports), default=None)

    @property
    def facts(self) -> tuple[Triple, ...]:
        """The facts that the last step rests on directly."""
        return tuple(fact for i in self.steps[-1].premises if (fact := self.steps[i].fact) is not None)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules applied, in order, each once."""
        return tuple(dict.fromkeys(step.rule for step in self.steps if step.rule is not None))

    @property
    def axioms(self) -> tuple[Origin, ...]:
        """The axioms that the rules come from, in order, each once, with where they are written."""
        return tuple(dict.fromkeys(rule.origin for rule in self.rules if rule.origin is not None))

    def supposing(self, triples: Collection[Triple]) -> Proof:
        """The same, in which these triples are not given but supposed."""
        steps = (
            replace(step, is_supposed=True) if step.rule is None and step.fact in triples else step
            for step in self.steps
        )
        return replace(self, steps=tuple(steps))

    def labelled(self, labels: Labels) -> Proof:
        """The same with those of `labels` that it needs."""
        terms: list[object] = [term for step in self.steps for term in step.fact or ()]
        atoms = [step.temporal.atom for step in self.steps if step.temporal is not None]
        terms += [term for atom in atoms for term in (atom.predicate, *atom.arguments)]
        terms += [atom.predicate for rule in self.rules for atom in rule.body]
        return replace(self, labels=labels_among(labels, terms))

    def lines(self) -> list[str]:
        """The steps, one numbered line each, in the ontology's names."""
        names = names_of(self.rules)
        return told_apart(
            lambda: [f"{number}. {_line(step)}" for number, step in enumerate(self.steps, 1)], names
        )

    def __str__(self) -> str:
        return render_text(self)

    def to_json(self) -> Json:
        """The proof as a dictionary of what JSON can say; docs/explanations.md has its keys."""
        return render_json(self)

    def to_rdf(self) -> Graph:
        """The proof in W3C's PROV-O, with timestamps; docs/explanations.md has the terms."""
        return render_rdf(self)

    def to_dot(self) -> str:
        """The proof as text for Graphviz."""
        return render_dot(self)

    def to_svg(self) -> str:
        """The proof as a picture; of a large one the part around what is proved."""
        return render_svg(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return render_html(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(Proof, self.steps, self.complete, self.labels)


_IN_FULL = ShownTimes(None, None)


def _line(step: ProofStep) -> str:
    fact = "⊥" if step.fact is None else " ".join(map(short, step.fact))
    if step.temporal is not None:
        fact = step.temporal.said(NO_LABELS, _IN_FULL)
    from_ = ", ".join(str(i + 1) for i in step.premises)
    if step.rule is not None:
        return f"{fact}  (from {from_} by {step.rule.name}, {step.rule.axiom})"
    if isinstance(step.temporal, TemporalCondition):
        return f"{fact}  (from {from_})" if from_ else fact
    if isinstance(step.temporal, ObservedInterval):
        return f"{fact}  ({step.temporal.known_by(_IN_FULL)})"
    if step.is_supposed:
        return f"{fact}  (supposed)"
    if step.at is not None:
        return f"{fact}  (asserted at {show_time(step.at)})"
    return f"{fact}  (derived, not looked into)" if step.is_open else f"{fact}  (given)"
