"""Proofs of facts and contradictions, from asserted and given facts by rules."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from rdflib import Graph

from pantarhei.model.message_text import disambiguate
from pantarhei.model.rule import Origin, Rule, names_of
from pantarhei.model.term import Triple, short
from pantarhei.model.time import TimePoint, show_time
from pantarhei.proofs.formatter import ProofFormatter
from pantarhei.proofs.renderers import (
    JsonObject,
    render_dot,
    render_html,
    render_json,
    render_rdf,
    render_text,
    render_tree,
)
from pantarhei.proofs.sentences import NO_LABELS, Labels, TimeFormat, labels_among
from pantarhei.proofs.step import Assertion, ObservedInterval, ProofStep, TemporalCondition
from pantarhei.proofs.svg import render_svg
from pantarhei.rdf.ntriples import exactly

_T = TypeVar("_T")


@dataclass(frozen=True)
class Proof:
    """A derivation: steps, each after its premises, no fact twice; the last one is the proved fact.

    `str` is a tree of sentences, in which each fact has its premises below it.

    Args:
        steps: at least one.
        complete: the limit sufficed to look at all rule instances; otherwise there may be a better proof, and
            steps may be open.
        labels: the names shown for IRIs; equality ignores them.
    """

    steps: tuple[ProofStep, ...]
    complete: bool = True
    labels: Labels = field(default_factory=dict, compare=False, repr=False)

    @property
    def triple(self) -> Triple | None:
        """The proved fact; None for ⊥."""
        return self.steps[-1].fact

    @cached_property
    def supports(self) -> frozenset[Assertion]:
        """The assertions of the stream in the proof, each at its newest timestamp; not the background."""
        return frozenset((step.at, step.fact) for step in self.steps if step.at is not None and step.fact)

    @cached_property
    def background(self) -> frozenset[Triple]:
        """The given facts in the proof that hold at every time."""
        return frozenset(step.fact for step in self.steps if step.is_background and step.fact)

    @property
    def timestamp(self) -> TimePoint | None:
        """The oldest timestamp of `supports`, with which the proved fact leaves the window, unless temporal
        rules conclude it. None if nothing of the stream is needed.
        """
        return min((at for at, _ in self.supports), default=None)

    @property
    def facts(self) -> tuple[Triple, ...]:
        """The direct premises of the proved fact."""
        return tuple(fact for i in self.steps[-1].premises if (fact := self.steps[i].fact) is not None)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules applied, in order, each once."""
        return tuple(dict.fromkeys(step.rule for step in self.steps if step.rule is not None))

    @property
    def axioms(self) -> tuple[Origin, ...]:
        """The axioms that the rules come from, with their places in files, in order, each once."""
        return tuple(dict.fromkeys(rule.origin for rule in self.rules if rule.origin is not None))

    def supposing(self, triples: Collection[Triple]) -> Proof:
        """Return the proof with these triples supposed instead of given."""
        steps = (
            replace(step, is_supposed=True) if step.rule is None and step.fact in triples else step
            for step in self.steps
        )
        return replace(self, steps=tuple(steps))

    def labelled(self, labels: Labels) -> Proof:
        """Return the proof with the part of `labels` that it needs."""
        return replace(self, labels=labels_among(labels, self.terms))

    @property
    def terms(self) -> list[object]:
        """The terms in the statements of the proof."""
        terms: list[object] = [term for step in self.steps for term in step.fact or ()]
        atoms = [step.temporal.atom for step in self.steps if step.temporal is not None]
        terms += [term for atom in atoms for term in (atom.predicate, *atom.arguments)]
        return [*terms, *(atom.predicate for rule in self.rules for atom in rule.body)]

    def lines(self) -> list[str]:
        """Return the steps, one numbered line each, in the ontology's names."""
        return disambiguate(
            lambda: [f"{number}. {_line(step)}" for number, step in enumerate(self.steps, 1)],
            names_of(self.rules),
        )

    def tree_lines(self) -> list[str]:
        """Return the tree of sentences alone, without its basis and the axioms."""
        return self._rendered(render_tree, numbered=False)

    def __str__(self) -> str:
        return self._rendered(render_text)

    def to_json(self) -> JsonObject:
        """Return the proof as a dictionary for `json.dumps`; docs/explanations.md lists its keys."""
        return self._rendered(render_json)

    def to_rdf(self) -> Graph:
        """Return the proof in W3C's PROV-O, with timestamps; docs/explanations.md lists the terms."""
        return self._rendered(render_rdf)

    def to_dot(self) -> str:
        """Return the proof as a Graphviz graph."""
        return self._rendered(render_dot)

    def to_svg(self) -> str:
        """Return a picture of the proof; of a large one the part around the proved fact."""
        return self._rendered(render_svg)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks."""
        return self._rendered(render_html)

    def _rendered(self, renderer: Callable[[ProofFormatter], _T], numbered: bool = True) -> _T:
        formatter = ProofFormatter(self.steps, self.complete, self.labels, numbered=numbered)
        return disambiguate(lambda: renderer(formatter), names_of(self.rules))

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(Proof, self.steps, self.complete, self.labels)


_IN_FULL = TimeFormat(None, None)


def _line(step: ProofStep) -> str:
    fact = "⊥" if step.fact is None else " ".join(map(short, step.fact))
    if step.temporal is not None:
        fact = step.temporal.sentence(NO_LABELS, _IN_FULL)
    premises = ", ".join(str(i + 1) for i in step.premises)
    if step.rule is not None:
        return f"{fact}  (from {premises} by {step.rule.name}, {step.rule.axiom})"
    if isinstance(step.temporal, TemporalCondition):
        return f"{fact}  (from {premises})" if premises else fact
    if isinstance(step.temporal, ObservedInterval):
        return f"{fact}  ({step.temporal.evidence(_IN_FULL)})"
    if step.is_supposed:
        return f"{fact}  (supposed)"
    if step.at is not None:
        return f"{fact}  (asserted at {show_time(step.at)})"
    return f"{fact}  (derived, not looked into)" if step.is_open else f"{fact}  (given)"
