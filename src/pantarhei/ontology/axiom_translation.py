"""Translation of the axioms of an ontology to rules, with a report on each axiom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

from rdflib import OWL, URIRef

from pantarhei.model.data_range import DataRange
from pantarhei.model.message_text import NO_NAMES, DisplayNames
from pantarhei.model.rule import Origin
from pantarhei.model.term import Triple
from pantarhei.owl.axiom import Axiom
from pantarhei.owl.axiom_mapping import BEYOND_DL, Reading
from pantarhei.owl.global_restrictions import breaches
from pantarhei.owl.imports import DocumentSet, WrittenAt
from pantarhei.owl.leftover import Leftover
from pantarhei.owl.report import AxiomOutcome, Report, ReportEntry
from pantarhei.rules.compilation.program import groups_of_same
from pantarhei.rules.translation.swrl_rules import endless
from pantarhei.rules.translation.translate import Loss, Translation, translate

_ENDLESS = (
    "through other rules its results become its operands, so together they could derive literals without end"
)

_SAME = frozenset({OWL.sameAs})  # a look-up is faster than comparing rdflib terms


def translate_axioms(
    reading: Reading,
    definitions: Mapping[URIRef, DataRange],
    positions: Mapping[Triple, WrittenAt],
    read: DocumentSet,
    names: DisplayNames,
) -> tuple[tuple[Translation, ...], Report]:
    """Return the translations of the axioms, and the admission report.

    Args:
        definitions: the datatypes that the ontology defines.
        positions: the file and line of each axiom's main triple.
        names: the names shown for IRIs.
    """
    given = _without_endless(
        translate(axiom, definitions, _origin(str(axiom), triple, positions, names, axiom))
        for axiom, triple in zip(reading.axioms, reading.main_triples, strict=True)
    )
    entries = list(map(_entry, given))
    entries += [
        _entry_of_leftover(left, _origin(str(left), left.triples[0], positions, names, left.aside))
        for left in reading.leftovers
    ]
    counts = (
        ("assertions (background)", len(reading.assertions)),
        ("declarations", len(reading.declarations)),
        ("annotations", len(reading.annotations)),
    )
    facts = chain(reading.assertions, *(translation.facts for translation in given))
    merged = groups_of_same(fact for fact in facts if fact[1] in _SAME)
    report = Report(
        tuple(entries),
        counts,
        read.skipped,
        merged=tuple(tuple(name if isinstance(name, URIRef) else name.n3() for name in g) for g in merged),
        notes=tuple(
            (str(axiom), reason) for axiom, reason in (*breaches(reading.axioms), *_beyond_dl(reading))
        ),
        documents=read.sources,
        names=names,
    )
    return given, report


def shown_names_of(triples: Iterable[Triple], reading: Reading, prefixes: Mapping[str, str]) -> DisplayNames:
    """Return the names shown for all IRIs outside annotations, disambiguated."""
    annotating = {
        predicate for _, predicate, _ in reading.annotations
    }  # only triples with these predicates are hashed
    terms = {
        term
        for triple in triples
        if triple[1] not in annotating or triple not in reading.annotations
        for term in triple
    }
    iris = (term for term in terms if isinstance(term, URIRef))
    return DisplayNames({**NO_NAMES.prefixes, **prefixes}).disambiguated(iris)


def _origin(
    text: str,
    main: Triple,
    positions: Mapping[Triple, WrittenAt],
    names: DisplayNames,
    axiom: object | None = None,
) -> Origin:
    """Return the origin of an axiom or a leftover.

    Args:
        main: its main triple, whose position is known.
    """
    subject = main[0]
    return Origin(text, *positions[main], subject if isinstance(subject, URIRef) else None, names, axiom)


def _without_endless(translations: Iterable[Translation]) -> tuple[Translation, ...]:
    """Remove rules that could derive infinitely many literals, and report them as losses."""
    given = tuple(translations)
    unending = set(endless(rule for translation in given for rule in translation.rules))
    if not unending:
        return given
    return tuple(
        replace(
            translation,
            rules=tuple(rule for rule in translation.rules if rule not in unending),
            losses=(
                *translation.losses,
                *(Loss(str(rule), _ENDLESS) for rule in translation.rules if rule in unending),
            ),
        )
        for translation in given
    )


def _beyond_dl(reading: Reading) -> Iterator[tuple[Axiom, str]]:
    """Yield the axioms that use vocabulary outside OWL 2 DL, each with a note on its interpretation."""
    for axiom, triple in zip(reading.axioms, reading.main_triples, strict=True):
        if triple[1] in BEYOND_DL:
            yield axiom, BEYOND_DL[triple[1]]


def _entry(translation: Translation) -> ReportEntry:
    outcome = _outcome(translation)
    entry = ReportEntry(
        translation.origin,
        translation.origin.axiom.partition("(")[0],
        outcome,
        (*translation.rules, *translation.constraints),
        tuple((loss.part, loss.reason) for loss in translation.losses),
        facts=translation.facts,
        parts={
            **{str(part): part for part in (translation.parts if translation.losses else ())},
            **{loss.part: loss.stated for loss in translation.losses if loss.stated is not None},
        },
    )
    if outcome is not AxiomOutcome.PARTLY:
        return entry
    return replace(entry, kept=tuple(map(str, translation.parts)) or entry.rules)


def _entry_of_leftover(left: Leftover, origin: Origin) -> ReportEntry:
    if left.is_idle or left.aside is not None:
        outcome = AxiomOutcome.UNUSED if left.is_idle else AxiomOutcome.ASIDE
        return ReportEntry(origin, left.construct, outcome)
    lost = (origin.axiom, left.reason)
    return ReportEntry(origin, left.construct, AxiomOutcome.NOT_SUPPORTED, lost=(lost,))


def _outcome(translation: Translation) -> AxiomOutcome:
    if translation.annotation:
        return AxiomOutcome.DECLARATION_OR_ANNOTATION
    made = translation.rules or translation.constraints or translation.facts
    if translation.losses:
        return AxiomOutcome.PARTLY if made else AxiomOutcome.NOT_SUPPORTED
    if translation.rules:
        return AxiomOutcome.RULES
    if translation.constraints:
        return AxiomOutcome.CONSTRAINT
    return AxiomOutcome.BACKGROUND if translation.facts else AxiomOutcome.SCHEMA_ONLY
