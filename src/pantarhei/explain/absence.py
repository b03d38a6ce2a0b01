"""Absences: the reasons why a triple does not hold, as values, text and JSON."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from itertools import chain
from typing import Any

from rdflib import URIRef

from pantarhei.errors.query_errors import doubt_of
from pantarhei.model.labels import Labels, labels_among
from pantarhei.model.message_text import counted, disambiguate
from pantarhei.model.representation import html_of, short_repr
from pantarhei.model.rule import Rule, names_of
from pantarhei.model.temporal_rule import Mode, TemporalAtom
from pantarhei.model.term import ONLY_TYPE, Term, Triple
from pantarhei.model.time import TimePoint
from pantarhei.ontology.unknown_names import UnknownName
from pantarhei.owl.axiom import parts
from pantarhei.owl.manchester import axiom_text
from pantarhei.proofs.formatter import placed_axiom
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.renderers import JsonObject, fact_as_json, temporal_as_json, time_as_json
from pantarhei.proofs.sentences import TimeFormat, sentence, term_name
from pantarhei.proofs.step import TemporalCondition, UnmetRule, atom_sentence
from pantarhei.rdf.ntriples import exactly, write_term
from pantarhei.repair.removal_text import contradicted_by
from pantarhei.repair.result import Conflict

_PLACEHOLDER = URIRef("urn:pantarhei:something")

# Largest numbers of retracted assertions shown, of alternative names shown for an abduction, and of conflicts
# shown for an assertion.
_MOST_GONE = 3
_MOST_NAMES = 5
_MOST_CONFLICTS = 2


@dataclass(frozen=True, slots=True)
class RetractedAssertion:
    """Assertion that is no longer in the window.

    Args:
        asserted_at: the timestamp of the assertion.
        left_at: the time at which the timestamp left the window; None if a repair removed the assertion
            before.
        removed_at: the timestamp of the ABox whose repair removed the assertion; None if no repair did.
        conflicts: the contradictions that caused the removal.
        left_early: the timestamp left before the end of its range, because of `max_facts` or `max_bytes`.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> update = reasoner.push(2, [brakes])
    >>> gone = reasoner.why_not(gas).gone[0]
    >>> gone.asserted_at, gone.removed_at, gone.left_at, len(gone.conflicts)
    (1, 2, None, 1)
    """

    asserted_at: TimePoint
    left_at: TimePoint | None = None
    removed_at: TimePoint | None = None
    conflicts: tuple[Conflict, ...] = ()
    left_early: bool = False

    __repr__ = short_repr
    _repr_html_ = html_of


@dataclass(frozen=True, slots=True)
class MissingFact:
    """Triple that is not in the window.

    Args:
        triple: the triple.
        gone: the retracted assertions of the triple, newest first, within the history; empty if it was never
            asserted.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> update = reasoner.push(2, [brakes])
    >>> missing = reasoner.why_not((EX.x, RDF.type, EX.Accelerating)).ways[0].missing[0]
    >>> missing.triple == gas, missing.gone[0].removed_at
    (True, 2)
    """

    triple: Triple
    gone: tuple[RetractedAssertion, ...] = ()

    __repr__ = short_repr
    _repr_html_ = html_of


@dataclass(frozen=True, slots=True)
class Abduction:
    """Minimal set of missing facts with which the absent triple would hold.

    Args:
        missing: the facts, sorted; a name for something new in them can be replaced by any name.
        proof: a proof of the triple in which the missing facts are supposed at the newest timestamp.
        present: the facts of the window that the proof uses together with missing facts, sorted.
        is_contradicted: with these facts a constraint would be violated.
        conflicts: the first contradictions that would arise; empty if there are too many to compute.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> clutch = (EX.x, RDF.type, EX.ClutchPressed)
    >>> _ = reasoner.push(1, [gas]), reasoner.push(5, [clutch])
    >>> abduction = reasoner.why_not((EX.x, RDF.type, EX.ChangingGear)).ways[0]
    >>> abduction.triples == (gas,), abduction.present == (clutch,)
    (False, True)
    """

    missing: tuple[MissingFact, ...]
    proof: Proof
    present: tuple[Triple, ...]
    is_contradicted: bool = False
    conflicts: tuple[Conflict, ...] = ()

    __repr__ = short_repr
    _repr_html_ = html_of

    @property
    def triples(self) -> frozenset[Triple]:
        """The missing triples."""
        return frozenset(each.triple for each in self.missing)

    @property
    def shape(self) -> frozenset[Triple]:
        """The missing triples, with a placeholder for each name that is not in the absent triple."""
        kept = set(self.proof.triple or ())

        def shape_of(term: Term) -> Term:
            return term if term in kept else _PLACEHOLDER

        return frozenset((shape_of(s), p, o if p in ONLY_TYPE else shape_of(o)) for s, p, o in self.triples)

    @property
    def rank(self) -> tuple[int, int, bool]:
        """Sort key: fewest missing facts, then most present facts, then uncontradicted."""
        return len(self.missing), -len(self.present), self.is_contradicted

    @property
    def rule(self) -> Rule:
        """The rule that would conclude the triple."""
        rule = self.proof.steps[-1].rule
        assert rule is not None, "the triple itself is not assumed"
        return rule


@dataclass(frozen=True)
class Absence:
    """Reasons why a triple, or an atom of temporal rules, does not hold at a time.

    Args:
        triple: the triple; None for an atom that is not a triple.
        at: the time; None before the first step.
        gone: the retracted assertions of the triple itself, newest first.
        ways: the abductions: fewest missing facts first, then most present facts.
        concluded: a rule derives triples with this predicate.
        asserted: the stream asserts triples with this predicate.
        unknown: names in the triple that occur neither in the ontology nor in the stream.
        beyond: abductions with facts that the stream does not assert; only searched if `ways` is empty.
        complete: the search was exhaustive. If false, there may be further abductions.
        temporal: each temporal rule that could conclude the triple, with the unsatisfied part of its body.
        atom: the atom if it is not a triple, otherwise None.
        lost: number of axioms of the ontology that have no effect, in whole or in part. If it is above 0, the
            absence is uncertain.
        entailed: the triple is an axiom that the ontology entails; a window contains only facts.
        labels: the names shown for IRIs.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> update = reasoner.push(2, [brakes])
    >>> absence = reasoner.why_not(gas)
    >>> absence.asserted, [gone.removed_at for gone in absence.gone]
    (True, [2])
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

    __repr__ = short_repr

    @property
    def missing(self) -> tuple[frozenset[Triple], ...]:
        """The missing triples of each abduction in `ways`."""
        return tuple(way.triples for way in self.ways)

    def statement(self) -> str:
        """Return the triple or atom as a sentence without a full stop."""
        if self.triple is not None:
            return sentence(self.triple, self.labels)
        assert self.atom is not None, "it is an absence of one of them"
        return atom_sentence(self.atom, self.labels)

    @property
    def terms(self) -> list[object]:
        """The terms in the text of the absence."""
        ways = (*self.ways, *self.beyond)
        terms: list[object] = [*(self.triple or ()), *(each.name for each in self.unknown)]
        terms += [near for each in self.unknown for near in each.nearest]
        lost = [axiom.stated for each in self.unknown for axiom in each.lost_in]
        terms += [part for part in parts(tuple(lost)) if isinstance(part, URIRef)]
        conflicts = [
            *(each for way in ways for each in way.conflicts),
            *(each for gone in _all_gone(self) for each in gone.conflicts),
        ]
        proofs = (*(way.proof for way in ways), *(proof for each in conflicts for proof in each.proofs))
        terms += [term for proof in proofs for term in proof.terms]
        terms += [term for each in conflicts for _, triple in each.assertions for term in triple]
        atoms = [each.lacking.atom for each in self.temporal if isinstance(each.lacking, TemporalCondition)]
        atoms += [] if self.atom is None else [self.atom]
        terms += [term for atom in atoms for term in (atom.predicate, *atom.arguments)]
        return terms

    def labelled(self, labels: Labels) -> Absence:
        """Return the absence with those labels that it uses."""
        return replace(self, labels=labels_among(labels, self.terms))

    def __str__(self) -> str:
        rules = (rule for way in (*self.ways, *self.beyond) for rule in way.proof.rules)
        return disambiguate(lambda: "\n".join(_AbsenceText(self).lines()), names_of(rules))

    def to_json(self) -> JsonObject:
        """Return the absence as a dictionary for `json.dumps`; its keys are the names of the fields."""
        return _absence_as_json(self)

    def _repr_html_(self) -> str:
        """Return the text as HTML, which Jupyter notebooks display."""
        return f"<pre>{escape(str(self))}</pre>"

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(Absence, *(getattr(self, each.name) for each in fields(self)))


def _all_gone(absence: Absence) -> Iterator[RetractedAssertion]:
    missing = (each for way in (*absence.ways, *absence.beyond) for each in way.missing)
    return chain(absence.gone, (gone for each in missing for gone in each.gone))


# -- text ------------------------------------------------------------------------------------------


class _AbsenceText:
    """Renders an absence as text."""

    def __init__(self, absence: Absence) -> None:
        self.absence, self.labels = absence, absence.labels
        computed = [absence.at, *(gone.left_at for gone in _all_gone(absence))]
        for each in absence.temporal:
            if isinstance(each.lacking, TemporalCondition):
                computed += [each.lacking.first, each.lacking.last, *each.lacking.times]
        given = [at for gone in _all_gone(absence) for at in (gone.asserted_at, gone.removed_at)]
        conflicts = [each for gone in _all_gone(absence) for each in gone.conflicts]
        conflicts += [each for way in (*absence.ways, *absence.beyond) for each in way.conflicts]
        given += [at for each in conflicts for at, _ in each.assertions]
        times, others = ([at for at in some if at is not None] for some in (given, computed))
        self.times = TimeFormat.of(times, others)

    def lines(self) -> Iterator[str]:
        absence = self.absence
        when = "" if absence.at is None else f" {self.times.span([absence.at])}"
        if absence.entailed:
            yield f"The ontology entails that {absence.statement()}; a window has facts alone."
            yield from map(self.unknown, absence.unknown)
            return
        it = "As far as the rules derive, it" if absence.lost else "It"
        yield f"{it} does not hold{when} that {absence.statement()}."
        if absence.lost:
            yield f"{doubt_of(absence.lost)}."
        yield from map(self.unknown, absence.unknown)
        for gone in absence.gone[:_MOST_GONE]:
            yield f"It was {self.gone(gone, absence.triple)}."
            yield from self.conflicts(gone.conflicts)
        if (more := len(absence.gone) - _MOST_GONE) > 0:
            yield f"Before, it was asserted and retracted {counted(more, 'more time')}."
        for each in absence.temporal:
            yield from self.unmet_rule(each)
        yield from self.ways(absence.ways, "It would hold with")
        if absence.beyond:
            yield "It cannot follow from facts of the asserted classes and properties."
            yield from self.ways(absence.beyond, "It would hold if it were given")
        if not (absence.ways or absence.beyond or absence.temporal):
            yield self.nothing_found()
        elif not absence.complete:
            yield "Not everything was explored: there may be further ways."

    def nothing_found(self) -> str:
        if not self.absence.complete:
            return "No way was found in which it would hold. Not everything was explored: there may be one."
        if self.absence.concluded:
            return "Nothing that could be added would make it follow."
        if not self.absence.asserted:
            return "No rule concludes it, and no such facts are asserted."
        if self.absence.gone:
            return "No rule concludes it: it holds where it is asserted."
        return "No rule concludes it. Such facts are asserted, but not this one."

    def unmet_rule(self, given: UnmetRule) -> Iterator[str]:
        yield f"By {placed_axiom(given.rule, self.labels)}"
        lacking = given.lacking
        if isinstance(lacking, str):
            bindings = ", ".join(f"{name} = {self.name(term)}" for name, term in given.bindings)
            yield f"  it would be concluded if {lacking}, where {bindings}"
            return
        yield f"  it would be concluded if {lacking.sentence(self.labels, self.times)}"
        if lacking.times:
            yield f"  it was so {self.times.listed(lacking.times)}"
        elif lacking.formula.is_negated:
            return
        elif lacking.formula.mode is Mode.NOW:
            yield "  it is not so"
        else:
            yield "  it was not so" if lacking.first == lacking.last else "  it was never so in that time"

    def ways(self, ways: Iterable[Abduction], heading: str) -> Iterator[str]:
        """Yield the lines of the abductions; abductions that differ only in names are grouped."""
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
        for each in way.missing:
            fates = [self.gone(gone, each.triple) for gone in each.gone[:1]]
            yield f"missing: {'; it was '.join([sentence(each.triple, self.labels), *fates])}"
        yield from self.alternatives(way, others)
        yield from (f"there is: {sentence(triple, self.labels)}" for triple in way.present)
        yield f"by {placed_axiom(way.rule, self.labels)}"
        then = [conflict for each in way.missing for gone in each.gone[:1] for conflict in gone.conflicts]
        if then:
            yield "it was removed because of"
            yield from self.conflicts(then)
        known = {frozenset(triple for _, triple in conflict.assertions) for conflict in then}
        now = [each for each in way.conflicts if frozenset(t for _, t in each.assertions) not in known]
        if now or (way.is_contradicted and not way.conflicts):
            yield (
                "but it contradicts facts of the window:"
                if now
                else "but it contradicts many facts of the window"
            )
            yield from self.conflicts(now, way.triples)
        elif way.is_contradicted:
            yield "and it would be removed again"
        if len(now) > _MOST_CONFLICTS:
            yield "  and more"

    def alternatives(self, way: Abduction, others: list[Abduction]) -> Iterator[str]:
        """Yield a line with the names that occur in the other abductions of a group."""
        own = {term for triple in way.triples for term in triple}
        names = [sorted({term for triple in each.triples for term in triple} - own) for each in others]
        shown = list(dict.fromkeys(" and ".join(map(self.name, terms)) for terms in names if terms))
        if shown:
            more = ", …" if len(shown) > _MOST_NAMES else ""
            yield f"  (or the same for {', '.join(shown[:_MOST_NAMES])}{more})"

    def gone(self, gone: RetractedAssertion, triple: Triple | None) -> str:
        asserted = f"asserted at {self.times(gone.asserted_at)}"
        if gone.removed_at is not None:
            removed = f"{asserted} and removed at {self.times(gone.removed_at)}"
            assert triple is not None, "an atom that is not a triple is not asserted"
            by = contradicted_by(triple, gone.removed_at, gone.conflicts, self.labels, self.times)
            return removed if by is None else f"{removed}, {by}"
        if gone.left_at is None:
            return asserted
        early = ", before its time because of the memory limit" if gone.left_early else ""
        return f"{asserted} and left the window at {self.times(gone.left_at)}{early}"

    def conflicts(self, conflicts: Sequence[Conflict], supposed: Collection[Triple] = ()) -> Iterator[str]:
        """Yield the proof of each contradiction, indented."""
        for conflict in conflicts[:_MOST_CONFLICTS]:
            for proof in conflict.proofs[:1]:
                shown = proof.supposing(supposed).labelled(self.labels)
                yield from (f"  {line}" for line in shown.tree_lines(self.times))
            if not conflict.proofs:
                yield f"  {conflict}"

    def unknown(self, unknown: UnknownName) -> str:
        if unknown.kind == "word of OWL":
            word = self.name(unknown.name)
            return f"{word} is a term of OWL: ontology.explain proves entailed axioms."
        if unknown.kind == "blank node":
            return f"No blank node {self.name(unknown.name)} is known: each message has its own."
        if unknown.lost_in:
            return f"{unknown.occurrences(self.labels)}."
        nearest = " or ".join(self.name(term) for term in unknown.nearest)
        question = f"; did you mean {nearest}?" if nearest else "."
        return f"Nothing is known of the {unknown.kind} {self.name(unknown.name)}{question}"

    def name(self, term: Term) -> str:
        return term_name(term, self.labels)


# -- JSON ------------------------------------------------------------------------------------------


def _absence_as_json(absence: Absence) -> JsonObject:
    return {
        "text": absence.statement(),
        "fact": fact_as_json(absence.triple),
        **({} if absence.atom is None else {"atom": str(absence.atom)}),
        "at": time_as_json(absence.at),
        "complete": absence.complete,
        "concluded": absence.concluded,
        "asserted": absence.asserted,
        "unknown": [each.to_json() for each in absence.unknown],
        "gone": list(map(_gone_as_json, absence.gone)),
        "ways": [_way_as_json(way, absence.labels) for way in absence.ways],
        "beyond": [_way_as_json(way, absence.labels) for way in absence.beyond],
        **({"lost": absence.lost} if absence.lost else {}),
        **({"entailed": True} if absence.entailed else {}),
        "temporal": list(map(_unmet_rule_as_json, absence.temporal)),
    }


def _unmet_rule_as_json(given: UnmetRule) -> JsonObject:
    bindings = {str(name): write_term(term) for name, term in given.bindings}
    lacking = given.lacking
    test: JsonObject = {"test": lacking} if isinstance(lacking, str) else temporal_as_json(lacking)
    return {"rule": given.rule.name, "axiom": given.rule.axiom, "bindings": bindings, **test}


def _way_as_json(way: Abduction, labels: Labels) -> JsonObject:
    return {
        "missing": [
            {
                "fact": fact_as_json(each.triple),
                "text": sentence(each.triple, labels),
                "gone": list(map(_gone_as_json, each.gone)),
            }
            for each in way.missing
        ],
        "present": list(map(fact_as_json, way.present)),
        "rule": way.rule.name,
        "axiom": way.rule.axiom,
        "manchester": axiom_text(way.rule, labels),
        "contradicted": way.is_contradicted,
        "conflicts": list(map(_conflict_as_json, way.conflicts)),
        "proof": way.proof.labelled(labels).to_json(),
    }


def _gone_as_json(gone: RetractedAssertion) -> JsonObject:
    return {
        "asserted_at": time_as_json(gone.asserted_at),
        "left_at": time_as_json(gone.left_at),
        "left_early": gone.left_early,
        "removed_at": time_as_json(gone.removed_at),
        "conflicts": list(map(_conflict_as_json, gone.conflicts)),
    }


def _conflict_as_json(conflict: Conflict) -> JsonObject:
    assertions = [[time_as_json(at), *(fact_as_json(triple) or ())] for at, triple in conflict.assertions]
    return {
        "assertions": sorted(assertions, key=str),
        "constraints": [rule.axiom for rule in conflict.constraints],
        "proofs": [proof.to_json() for proof in conflict.proofs],
    }
