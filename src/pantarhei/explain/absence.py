"""Why a triple does not hold: what is missing, what became of it, what contradicts it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from typing import Any

from rdflib import URIRef

from pantarhei.errors.queries import doubt_of
from pantarhei.model.display_names import told_apart
from pantarhei.model.rule import Rule, names_of
from pantarhei.model.temporal_rule import Mode, TemporalAtom
from pantarhei.model.term import ONLY_TYPE, Term, Triple
from pantarhei.model.time import TimePoint
from pantarhei.ontology.unknown_names import UnknownName
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.renderers import Json, fact_as_json, render_tree, ticks_as_json, time_as_json
from pantarhei.proofs.sentences import Labels, ShownTimes, fit, labels_among, name, sentence
from pantarhei.proofs.step import TemporalCondition, UnmetRule, atom_sentence
from pantarhei.rdf.ntriples import exactly, write_term
from pantarhei.repair.result import Conflict


def json_of(absence: Absence) -> Json:
    """The absence with all its facts whole: terms in N-Triples' syntax, datetimes in that of ISO 8601."""
    return {
        "text": absence.said(absence.labels),
        "fact": fact_as_json(absence.triple),
        **({} if absence.atom is None else {"atom": str(absence.atom)}),
        "at": time_as_json(absence.at),
        "complete": absence.complete,
        "concluded": absence.concluded,
        "asserted": absence.asserted,
        "unknown": list(map(unknown, absence.unknown)),
        "gone": list(map(_gone, absence.gone)),
        "ways": _ways(absence, absence.ways),
        "beyond": _ways(absence, absence.beyond),
        **({"lost": absence.lost} if absence.lost else {}),
        **({"entailed": True} if absence.entailed else {}),
        "temporal": list(map(_not_concluded, absence.temporal)),
    }


def unknown(name: UnknownName) -> Json:
    """Return an unknown name with the similar known ones."""
    return {"kind": name.kind, "name": write_term(name.name), "nearest": list(map(write_term, name.nearest))}


def _not_concluded(given: UnmetRule) -> Json:
    bindings = {str(name): write_term(term) for name, term in given.bindings}
    told: Json = {"rule": given.rule.name, "axiom": given.rule.axiom, "bindings": bindings}
    return told | (
        {"test": given.lacking} if isinstance(given.lacking, str) else ticks_as_json(given.lacking)
    )


def _ways(absence: Absence, ways: Sequence[Abduction]) -> list[Json]:
    return [
        {
            "missing": [
                {
                    "fact": fact_as_json(each.triple),
                    "text": sentence(each.triple, absence.labels),
                    "gone": list(map(_gone, each.gone)),
                }
                for each in way.missing
            ],
            "present": list(map(fact_as_json, way.present)),
            "rule": way.rule.name,
            "axiom": way.rule.axiom,
            "contradicted": way.is_contradicted,
            "conflicts": list(map(_conflict, way.conflicts)),
            "proof": way.proof.labelled(absence.labels).to_json(),
        }
        for way in ways
    ]


def _gone(gone: RetractedAssertion) -> Json:
    return {
        "asserted_at": time_as_json(gone.asserted_at),
        "left_at": time_as_json(gone.left_at),
        "left_early": gone.left_early,
        "removed_at": time_as_json(gone.removed_at),
        "conflicts": list(map(_conflict, gone.conflicts)),
    }


def _conflict(conflict: Conflict) -> Json:
    assertions = [[time_as_json(at), *(fact_as_json(triple) or ())] for at, triple in conflict.assertions]
    return {
        "assertions": sorted(assertions, key=str),
        "constraints": [rule.axiom for rule in conflict.constraints],
        "proofs": [proof.to_json() for proof in conflict.proofs],
    }


# So many names are told that would do as well, and so many conflicts of each assertion that is gone.
_MOST_NAMES = 5
_MOST_CONFLICTS = 2


def text_of(absence: Absence) -> str:
    """What does not hold; what became of it; what it would hold with."""
    rules = (rule for way in (*absence.ways, *absence.beyond) for rule in way.proof.rules)
    return told_apart(lambda: "\n".join(_Telling(absence).lines()), names_of(rules))


class _Telling:
    """The words for an absence."""

    def __init__(self, absence: Absence) -> None:
        self.absence, self.labels = absence, absence.labels
        self.times = ShownTimes.of(_times_of(absence))

    def lines(self) -> Iterator[str]:
        absence = self.absence
        when = "" if absence.at is None else f" {self.times.span([absence.at])}"
        if absence.entailed:
            yield f"The ontology entails that {absence.said(self.labels)}; a window has facts alone."
            yield from map(self.unknown, absence.unknown)
            return
        it = "As far as the rules derive, it" if absence.lost else "It"
        yield f"{it} does not hold{when} that {absence.said(self.labels)}."
        if absence.lost:
            yield f"{doubt_of(absence.lost)}."
        yield from map(self.unknown, absence.unknown)
        for gone in absence.gone:
            yield f"It was {self.gone(gone)}."
            yield from self.conflicts(gone.conflicts, "  ")
        for each in absence.temporal:
            yield from self.not_concluded(each)
        yield from self.ways(absence.ways, "It would hold with")
        if absence.beyond:
            yield "From what the stream asserts it cannot follow."
            yield from self.ways(absence.beyond, "It would hold if it were given")
        if not (absence.ways or absence.beyond or absence.temporal):
            yield self.nothing()
        elif not absence.complete:
            yield "Not everything was looked at: there may be further ways."

    def nothing(self) -> str:
        """What is said where no way is known."""
        if not self.absence.complete:
            return "No way was found in which it would hold. Not everything was looked at: there may be one."
        if self.absence.concluded:
            return "Nothing that could be added would make it follow."
        if not self.absence.asserted:
            return "No rule concludes it, and the stream asserts no such facts."
        if self.absence.gone:
            return "No rule concludes it: it holds where the stream asserts it."
        return "No rule concludes it. The stream asserts such facts, and has not asserted this one."

    def not_concluded(self, given: UnmetRule) -> Iterator[str]:
        """Why a temporal rule does not conclude it."""
        yield f"By {fit(given.rule.axiom, 400)}  (rule {given.rule.name})"
        lacking = given.lacking
        if isinstance(lacking, str):
            bindings = ", ".join(f"{name} = {self.name(term)}" for name, term in given.bindings)
            yield f"  it would be concluded if {lacking}, where {bindings}"
            return
        yield f"  it would be concluded if {lacking.said(self.labels, self.times)}"
        if lacking.times:
            yield f"  it was so {self.times.listed(lacking.times)}"
        elif not lacking.formula.is_negated:
            yield f"  {_never(lacking)}"

    def ways(self, ways: Iterable[Abduction], heading: str) -> Iterator[str]:
        """Ways that differ only in names are told together."""
        groups: dict[object, list[Abduction]] = {}
        for way in ways:
            groups.setdefault((way.rule, way.shape), []).append(way)
        several = len(groups) > 1
        if groups:
            yield f"{heading}{' one of these' if several else ''}:"
        for number, (first, *others) in enumerate(groups.values(), 1):
            lines = list(self.way(first, others))
            mark = f"{number}. " if several else "  "
            yield mark + lines[0]
            yield from (" " * len(mark) + line for line in lines[1:])

    def way(self, way: Abduction, others: list[Abduction]) -> Iterator[str]:
        yield from (f"missing: {self.missing(each)}" for each in way.missing)
        if others:
            yield from self.as_well(way, others)
        yield from (f"there is: {self.fact(triple)}" for triple in way.present)
        origin = way.rule.origin
        place = "" if origin is None or origin.source is None else f", {fit(origin.source)}"
        line = "" if origin is None or origin.line is None else f" line {origin.line}"
        yield f"by {fit(way.rule.axiom, 400)}  (rule {way.rule.name}{place}{line})"
        then = [conflict for each in way.missing for gone in each.gone[:1] for conflict in gone.conflicts]
        if then:
            yield "it was taken out because of"
            yield from self.conflicts(then, "  ")
        known = {frozenset(triple for _, triple in conflict.assertions) for conflict in then}
        now = [each for each in way.conflicts if frozenset(t for _, t in each.assertions) not in known]
        if now or (way.is_contradicted and not way.conflicts):
            yield "but it contradicts what is there:" if now else "but it contradicts much of what is there"
            yield from self.conflicts(now, "  ", way.triples)
        elif way.is_contradicted:
            yield "and it would be so again"
        if len(now) > _MOST_CONFLICTS:
            yield "  and more"

    def as_well(self, way: Abduction, others: list[Abduction]) -> Iterator[str]:
        """The names with which it would hold as well."""
        mine = {term for triple in way.triples for term in triple}
        others_names = [sorted({term for triple in o.triples for term in triple} - mine) for o in others]
        told = list(dict.fromkeys(" and ".join(map(self.name, names)) for names in others_names if names))
        if told:
            more = ", …" if len(told) > _MOST_NAMES else ""
            yield f"  (or the same of {', '.join(told[:_MOST_NAMES])}{more})"

    def missing(self, missing: MissingFact) -> str:
        fates = [self.gone(gone) for gone in missing.gone[:1]]
        return "; it was ".join([self.fact(missing.triple), *fates])

    def gone(self, gone: RetractedAssertion) -> str:
        """What became of an assertion."""
        asserted = f"asserted {self.at(gone.asserted_at)}"
        if gone.removed_at is not None:
            return f"{asserted} and taken out {self.at(gone.removed_at)}, since newer facts contradict it"
        if gone.left_at is None:
            return asserted
        early = ", before its time because of the memory limit" if gone.left_early else ""
        return f"{asserted} and left the window {self.at(gone.left_at)}{early}"

    def conflicts(
        self, conflicts: Iterable[Conflict], indent: str, supposed: Collection[Triple] = ()
    ) -> Iterator[str]:
        """How assertions contradict one another, with the whole derivation."""
        for conflict in list(conflicts)[:_MOST_CONFLICTS]:
            for proof in conflict.proofs[:1]:
                told = proof.supposing(supposed).labelled(self.labels)
                yield from (indent + line for line in render_tree(told))
            if not conflict.proofs:
                yield f"{indent}{conflict}"

    def unknown(self, unknown: UnknownName) -> str:
        if unknown.kind == "word of OWL":
            word = self.name(unknown.name)
            return f"{word} is a word of OWL: ontology.explain says what the ontology entails."
        if unknown.kind == "blank node":
            return f"No blank node {self.name(unknown.name)} is known: each message has its own."
        nearest = " or ".join(self.name(term) for term in unknown.nearest)
        question = f"; did you mean {nearest}?" if nearest else "."
        return f"Nothing is known of the {unknown.kind} {self.name(unknown.name)}{question}"

    def fact(self, triple: Triple) -> str:
        return sentence(triple, self.labels)

    def name(self, term: Term) -> str:
        return name(term, self.labels)

    def at(self, at: TimePoint) -> str:
        return f"at {self.times(at)}"


def _never(lacking: TemporalCondition) -> str:
    """That what is asked of some ticks was so at none of them."""
    if lacking.formula.mode is Mode.NOW:
        return "it is not so"
    return "it was not so" if lacking.first == lacking.last else "it was never so in that time"


def _times_of(absence: Absence) -> Iterator[TimePoint]:
    """The times that are told."""
    if absence.at is not None:
        yield absence.at
    ticks = (each.lacking for each in absence.temporal if isinstance(each.lacking, TemporalCondition))
    yield from (at for each in ticks for at in (each.first, each.last, *each.times))
    missing = (each for way in (*absence.ways, *absence.beyond) for each in way.missing)
    for gone in (*absence.gone, *(gone for each in missing for gone in each.gone)):
        yield from (at for at in (gone.asserted_at, gone.left_at, gone.removed_at) if at is not None)


_SOMETHING = URIRef("urn:pantarhei:something")


@dataclass(frozen=True, slots=True)
class RetractedAssertion:
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
    gone: tuple[RetractedAssertion, ...] = ()


@dataclass(frozen=True, slots=True)
class Abduction:
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
    gone: tuple[RetractedAssertion, ...] = ()
    ways: tuple[Abduction, ...] = ()
    concluded: bool = False
    asserted: bool = False
    unknown: tuple[UnknownName, ...] = ()
    beyond: tuple[Abduction, ...] = ()
    complete: bool = True
    temporal: tuple[UnmetRule, ...] = ()
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
        atoms = [each.lacking.atom for each in self.temporal if isinstance(each.lacking, TemporalCondition)]
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
