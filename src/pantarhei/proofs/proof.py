"""Proofs of facts and contradictions. A proof derives its conclusion by rules from asserted and background
facts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from rdflib import Graph

from pantarhei.model.labels import Labels, labels_among
from pantarhei.model.message_text import counted, disambiguate
from pantarhei.model.representation import call_text, in_short
from pantarhei.model.rule import Origin, Rule, names_of
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint
from pantarhei.owl.manchester import terms_of_axioms
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
from pantarhei.proofs.sentences import TimeFormat
from pantarhei.proofs.step import Assertion, ProofStep, TemporalCondition
from pantarhei.proofs.svg import render_svg
from pantarhei.rdf.ntriples import exactly

_T = TypeVar("_T")


@dataclass(frozen=True)
class Proof:
    """A proof: a sequence of steps, each after its premises, in which each fact occurs once. The last step is
    the proved fact.

    `str` renders a tree of sentences, in which the premises of a fact are indented below it.

    Args:
        steps: at least one step.
        complete: all rule instances were explored within the limit. If false, there may be a better proof,
            and steps may be open.
        labels: the names shown for IRIs; ignored by equality.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> proof = reasoner.explain((EX.x, RDF.type, EX.Attended))
    >>> proof.triple == (EX.x, RDF.type, EX.Attended), proof.supports == {(1, gas)}, proof.complete
    (True, True, True)
    """

    steps: tuple[ProofStep, ...]
    complete: bool = True
    labels: Labels = field(default_factory=dict, compare=False, repr=False)

    def __repr__(self) -> str:
        fact = "⊥" if self.triple is None else in_short(self.triple)
        state = [] if self.complete else ["incomplete"]
        return call_text(self, [fact, counted(len(self.steps), "step"), *state])

    @property
    def triple(self) -> Triple | None:
        """The proved fact; None for ⊥."""
        return self.steps[-1].fact

    @cached_property
    def supports(self) -> frozenset[Assertion]:
        """The assertions of the stream in the proof, each with its newest timestamp. Facts of the background
        are not included.
        """
        return frozenset((step.at, step.fact) for step in self.steps if step.at is not None and step.fact)

    @cached_property
    def background(self) -> frozenset[Triple]:
        """The facts in the proof that hold at every time."""
        return frozenset(step.fact for step in self.steps if step.is_background and step.fact)

    @property
    def timestamp(self) -> TimePoint | None:
        """The oldest timestamp in `supports`: when it leaves the window, so does the proved fact, unless
        temporal rules conclude it. None if the proof has no assertion of the stream.
        """
        return min((at for at, _ in self.supports), default=None)

    @property
    def facts(self) -> tuple[Triple, ...]:
        """The direct premises of the proved fact."""
        return tuple(fact for i in self.steps[-1].premises if (fact := self.steps[i].fact) is not None)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The applied rules in order, without duplicates."""
        return tuple(dict.fromkeys(step.rule for step in self.steps if step.rule is not None))

    @property
    def axioms(self) -> tuple[Origin, ...]:
        """The axioms from which the applied rules were translated, with their positions in files, in order
        and without duplicates.
        """
        return tuple(dict.fromkeys(rule.origin for rule in self.rules if rule.origin is not None))

    def supposing(self, triples: Collection[Triple]) -> Proof:
        """Return the proof in which the given facts among `triples` are marked as supposed."""
        steps = (
            replace(step, is_supposed=True) if step.rule is None and step.fact in triples else step
            for step in self.steps
        )
        return replace(self, steps=tuple(steps))

    def labelled(self, labels: Labels) -> Proof:
        """Return the proof with those labels that it uses."""
        return replace(self, labels=labels_among(labels, self.terms))

    @property
    def terms(self) -> list[object]:
        """The terms in the statements and axioms of the proof."""
        terms: list[object] = [term for step in self.steps for term in step.fact or ()]
        atoms = [step.temporal.atom for step in self.steps if step.temporal is not None]
        terms += [term for atom in atoms for term in (atom.predicate, *atom.arguments)]
        return [*terms, *terms_of_axioms(self.rules)]

    def lines(self) -> list[str]:
        """Return the steps as one numbered line each: a sentence with its premises, rule and axiom, or with
        its evidence.
        """
        return self._rendered(
            lambda form: [f"{number}. {_line(step, form)}" for number, step in enumerate(self.steps, 1)]
        )

    def tree_lines(self, times: TimeFormat | None = None) -> list[str]:
        """Return the tree of sentences without the summary and the axioms below it.

        Args:
            times: the format of the times of a text that includes the tree.
        """
        return self._rendered(render_tree, numbered=False, times=times)

    def __str__(self) -> str:
        return self._rendered(render_text)

    def to_json(self) -> JsonObject:
        """Return the proof as a dictionary for `json.dumps`.

        Terms are in N-Triples syntax, datetimes in ISO 8601.

        Keys of the dictionary:

        - `text`, `fact`: the proved fact as a sentence, and as `[subject, predicate, object]`; `fact` is None
          for a contradiction.
        - `timestamp`: the oldest timestamp among the assertions; None if the fact always holds.
        - `complete`: false if the limit was reached.
        - `steps`: the facts, each after its premises; the last one is the proved fact.

        Keys of a step:

        - `text`, `fact`: as above.
        - `kind`: `asserted`, `background`, `derived` or `contradiction`; `unexplored` where the limit was
          reached; `supposed` in entailments and absences; `concluded`, `condition` and `said` for temporal
          rules.
        - `at`: the timestamp of an asserted fact.
        - `rule`, `axiom`, `premises`: for a derived fact, the name of its rule; the axiom as `text` in
          functional syntax and as `manchester` with labels, its `file`, `line` and `subject` as far as
          known; the indexes of the premises in `steps`, from 0.
        - `atom`, `from`, `until`: for the temporal kinds, the atom as in rules (`fact` is None if it is not a
          triple, and for a condition), and the ticks, both included.
        - `bindings`: for `concluded`, the terms of the rule's variables.
        - `condition`, `times`: for `condition`, the formula of the rule's body, and the ticks at which its
          atom held, unless these are all ticks.
        - `known`: for `said`, an observation: `held`, `asserted`, or `concluded` and remembered.
        """
        return self._rendered(render_json)

    def to_rdf(self) -> Graph:
        """Return the proof as a graph in W3C PROV-O, with timestamps.

        Facts and axioms are entities, rule instances are activities that used them. Terms that PROV-O lacks
        are in the namespace `urn:pantarhei:proof#`:

        - `Proof`, `conclusion`, `complete`: the proof, the proved fact, and false if the limit was reached.
        - `AssertedPart`, `Background`, `Derived`, `Contradiction` and others: kinds of facts; each
          fact is an `rdf:Statement` too.
        - `at`: the timestamp of an assertion if it is a number; a datetime is `prov:generatedAtTime`.
        - `from`, `until`: the ticks of a conclusion, condition or observation of temporal rules.
        - `rule`: the rule of an activity.
        - `Axiom`, `file`, `line`, `about`: an axiom, and its place. Its `prov:value` is in functional syntax,
          its `rdfs:label` in Manchester syntax.
        """
        return self._rendered(render_rdf)

    def to_dot(self) -> str:
        """Return the proof as a Graphviz graph."""
        return self._rendered(render_dot)

    def to_svg(self) -> str:
        """Return a picture of the proof. If the proof is large, only the steps nearest to the proved fact are
        drawn.
        """
        return self._rendered(render_svg)

    def _repr_html_(self) -> str:
        """Return HTML, which Jupyter notebooks display."""
        return self._rendered(render_html)

    def _rendered(
        self,
        renderer: Callable[[ProofFormatter], _T],
        numbered: bool = True,
        times: TimeFormat | None = None,
    ) -> _T:
        formatter = ProofFormatter(
            self.steps, self.complete, self.labels, numbered=numbered, shared_times=times
        )
        return disambiguate(lambda: renderer(formatter), names_of(self.rules))

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(Proof, self.steps, self.complete, self.labels)


def _line(step: ProofStep, form: ProofFormatter) -> str:
    fact, premises = form.statement(step), ", ".join(str(i + 1) for i in step.premises)
    if step.rule is not None:
        return f"{fact} (from {premises} by {step.rule.name}, {form.axiom(step.rule)})"
    if isinstance(step.temporal, TemporalCondition):
        return f"{fact} (from {premises})" if premises else fact
    return f"{fact} ({form.evidence(step)})"
