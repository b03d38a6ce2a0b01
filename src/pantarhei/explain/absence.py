"""Why a triple does not hold: what is missing, what became of it, what contradicts it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, fields, replace
from html import escape
from typing import Any, Literal

from rdflib import URIRef

from pantarhei.explain.absence_json import json_of
from pantarhei.explain.absence_text import text_of
from pantarhei.model.display_names import told_apart
from pantarhei.model.rule import Rule
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.model.term import ONLY_TYPE, Term, Triple, short
from pantarhei.model.time import TimePoint
from pantarhei.proofs.json_form import Json
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.sentences import Labels, labels_among, sentence
from pantarhei.proofs.temporal import Condition, NotConcluded, atom_sentence
from pantarhei.rdf.pickling import exactly
from pantarhei.repair.result import Conflict

NameKind = Literal["class", "property", "name", "blank node", "word of OWL"]

_SOMETHING = URIRef("urn:pantarhei:something")


@dataclass(frozen=True, slots=True)
class Gone:
    """What became of an assertion that is not in the window any more.

    Args:
        asserted_at: its timestamp.
        left_at: the time at which its timestamp left the window; None if a repair took it out before.
        removed_at: the timestamp of the ABox whose repair took it out; None if none did.
        conflicts: the contradictions that it was in then.
        left_early: it left before its time, because of `max_facts` or `max_bytes`.
    """

    asserted_at: TimePoint
    left_at: TimePoint | None = None
    removed_at: TimePoint | None = None
    conflicts: tuple[Conflict, ...] = ()
    left_early: bool = False


@dataclass(frozen=True, slots=True)
class MissingFact:
    """A triple that is not in the window.

    Args:
        triple: the triple.
        gone: what became of its assertions, as far as is remembered, newest first; none if it was never
            asserted.
    """

    triple: Triple
    gone: tuple[Gone, ...] = ()


@dataclass(frozen=True, slots=True)
class WouldHold:
    """One way in which the triple would hold: with these facts, and without any part of them not.

    Args:
        missing: the facts, in order; a new name in them stands for anything.
        proof: how the triple follows with them; in it they are supposed, at the newest timestamp.
        present: the facts of the window that the proof uses next to them, in order.
        is_contradicted: a repair would not leave all as it is.
        conflicts: what contradicts what then; the first few, none where there are too many to find.
    """

    missing: tuple[MissingFact, ...]
    proof: Proof
    present: tuple[Triple, ...]
    is_contradicted: bool = False
    conflicts: tuple[Conflict, ...] = ()

    @property
    def triples(self) -> frozenset[Triple]:
        """The missing triples."""
        return frozenset(each.triple for each in self.missing)

    @property
    def shape(self) -> frozenset[Triple]:
        """The missing triples with a placeholder for each name that they do not share with the asked one."""
        kept = set(self.proof.triple or ())
        return frozenset(
            (_blurred(s, kept), p, o if p in ONLY_TYPE else _blurred(o, kept)) for s, p, o in self.triples
        )

    @property
    def rule(self) -> Rule:
        """The rule that would conclude the triple."""
        rule = self.proof.steps[-1].rule
        assert rule is not None, "the triple itself is not assumed"
        return rule


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A name that neither ontology nor background nor stream uses.

    Args:
        name: the name.
        kind: what it would be; a "word of OWL" is one that only ontologies are written with.
        nearest: known names of that kind that look like it, the nearest first.
    """

    name: Term
    kind: NameKind
    nearest: tuple[Term, ...] = ()

    def __str__(self) -> str:
        """Return the name with suggestions.

        >>> str(UnknownName(URIRef("urn:x#Identifyer"), "class", (URIRef("urn:x#Identifier"),)))
        'unknown class Identifyer (did you mean Identifier?)'
        """
        if self.kind == "word of OWL":
            return f"{short(self.name)} is a word of OWL: ontology.explain says what the ontology entails"
        return told_apart(self._shown)

    def _shown(self) -> str:
        nearest = " or ".join(map(short, self.nearest))
        return f"unknown {self.kind} {short(self.name)}" + (f" (did you mean {nearest}?)" if nearest else "")


@dataclass(frozen=True)
class Absence:
    """Why a triple, or an atom of temporal rules, does not hold at a time.

    Args:
        triple: the triple; None for an atom that is none.
        at: the time; None where none has passed.
        gone: what became of it where it was asserted itself, newest first.
        ways: the ways in which it would hold: those with the fewest missing facts first, of these the ones
            with the most facts present.
        concluded: whether some rule concludes such triples.
        asserted: whether the stream asserts such triples.
        unknown: its names that nobody knows.
        beyond: where there are no ways, those with facts that the stream does not assert.
        complete: whether all was looked at; if not, there may be further ways.
        temporal: of each temporal rule that concludes such triples, why it does not conclude this one.
        atom: the atom, where it is no triple.
        lost: number of axioms of the ontology that are lost in whole or in part; above 0 the denial is
            uncertain.
        entailed: whether it is an axiom that the ontology entails; a window holds facts alone.
        labels: what its names are called, for people.
    """

    triple: Triple | None
    at: TimePoint | None
    gone: tuple[Gone, ...] = ()
    ways: tuple[WouldHold, ...] = ()
    concluded: bool = False
    asserted: bool = False
    unknown: tuple[UnknownName, ...] = ()
    beyond: tuple[WouldHold, ...] = ()
    complete: bool = True
    temporal: tuple[NotConcluded, ...] = ()
    atom: TemporalAtom | None = None
    lost: int = 0
    entailed: bool = False
    labels: Labels = field(default_factory=dict, compare=False, repr=False)

    @property
    def missing(self) -> tuple[frozenset[Triple], ...]:
        """The missing triples of each way."""
        return tuple(way.triples for way in self.ways)

    def said(self, labels: Labels) -> str:
        """What does not hold, as a sentence without its full stop."""
        if self.triple is not None:
            return sentence(self.triple, labels)
        assert self.atom is not None, "it is an absence of one of them"
        return atom_sentence(self.atom, labels)

    def labelled(self, labels: Labels) -> Absence:
        """The same with those of `labels` that it needs."""
        told = (*self.ways, *self.beyond)
        terms: list[object] = [*(self.triple or ()), *(each.name for each in self.unknown)]
        terms += [near for each in self.unknown for near in each.nearest]
        gone = (*self.gone, *(gone for way in told for each in way.missing for gone in each.gone))
        conflicts = (
            *(each for way in told for each in way.conflicts),
            *(c for g in gone for c in g.conflicts),
        )
        proofs = (*(way.proof for way in told), *(proof for each in conflicts for proof in each.proofs))
        for proof in proofs:
            terms += [term for step in proof.steps for term in step.fact or ()]
            terms += [atom.predicate for rule in proof.rules for atom in rule.body]
        terms += [term for each in conflicts for _, triple in each.assertions for term in triple]
        atoms = [each.lacking.atom for each in self.temporal if isinstance(each.lacking, Condition)]
        atoms += [] if self.atom is None else [self.atom]
        terms += [term for atom in atoms for term in (atom.predicate, *atom.arguments)]
        return replace(self, labels=labels_among(labels, terms))

    def __str__(self) -> str:
        return text_of(self)

    def to_json(self) -> Json:
        """The absence as a dictionary of what JSON can say; docs/explanations.md has its keys."""
        return json_of(self)

    def _repr_html_(self) -> str:
        """The text, for notebooks."""
        return f"<pre>{escape(str(self))}</pre>"

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(Absence, *(getattr(self, each.name) for each in fields(self)))


def _blurred(term: Term, kept: Collection[Term]) -> Term:
    return term if term in kept else _SOMETHING
