"""Axioms, class expressions and data ranges in Manchester syntax, in one line each, with labels as names.

W3C: OWL 2 Web Ontology Language Manchester Syntax (second edition, 2012). Axioms are written as Protégé
writes them in explanations: `A SubClassOf p some B`. The text is for readers, not for parsers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rdflib import OWL, RDF, RDFS, XSD, BNode, Literal, URIRef, Variable

from pantarhei.model import data_range as ranges
from pantarhei.model.labels import NO_LABELS, Labels
from pantarhei.model.message_text import NO_NAMES, one_line, with_prefix
from pantarhei.model.rule import Origin, Rule
from pantarhei.model.term import Term, short
from pantarhei.owl import axiom as owl

_FACETS = {
    XSD.minInclusive: ">=", XSD.maxInclusive: "<=", XSD.minExclusive: ">", XSD.maxExclusive: "<",
}  # fmt: skip
_ASSERTIONS: dict[object, str] = {RDF.type: "Type", OWL.sameAs: "SameAs", OWL.differentFrom: "DifferentFrom"}
_PLAIN_LITERALS = {XSD.integer: r"[+-]?\d+", XSD.decimal: r"[+-]?\d*\.?\d+", XSD.boolean: "true|false"}
_UNQUOTED = re.compile(r"[\w.:@/#^-]+|<.*>|\?\w+|_:\w+")
_KEYWORDS = {"and", "exactly", "inverse", "max", "min", "not", "only", "or", "self", "some", "that", "value"}


_PLACES: dict[object, str] = {
    RDF.type: "type",
    RDFS.subClassOf: "superclass",
    RDFS.subPropertyOf: "superproperty",
    RDFS.domain: "domain",
    RDFS.range: "range",
    OWL.equivalentClass: "equivalent class",
    OWL.equivalentProperty: "equivalent property",
    OWL.disjointWith: "disjoint class",
    OWL.propertyDisjointWith: "disjoint property",
    OWL.disjointUnionOf: "disjoint union",
    OWL.propertyChainAxiom: "chain",
    OWL.inverseOf: "inverse",
    OWL.hasKey: "key",
}


class AsideAnnotation(NamedTuple):
    """Annotation of an axiom that the ontology does not contain.

    Args:
        predicates: the annotation properties.
        source: the subject of the axiom's main triple.
        property: its property.
    """

    predicates: tuple[Term, ...]
    source: Term
    property: Term

    def text(self, labels: Labels = NO_LABELS) -> str:
        """Return the annotation properties and the place of the annotated axiom.

        >>> overlaps = URIRef("http://example.org/overlaps")
        >>> AsideAnnotation((RDFS.comment,), overlaps, OWL.propertyChainAxiom).text()
        "comment on the chain of 'overlaps'"
        """
        *properties, source = (
            labels.get(term) or short(term) if isinstance(term, URIRef) else "an expression"
            for term in (*self.predicates, self.source)
        )
        about = quoted(source, is_name=False) if isinstance(self.source, URIRef) else source
        place = _PLACES.get(self.property) or one_line(short(self.property))
        return f"{', '.join(map(one_line, properties)) or 'annotation'} on the {place} of {about}"


def axiom_text(rule: Rule, labels: Labels = NO_LABELS) -> str:
    """Return the axiom from which a rule was translated in Manchester syntax; the text of the origin, or of
    the rule, if it is not from an ontology.
    """
    return rule.axiom if rule.origin is None else origin_text(rule.origin, labels)


def origin_text(origin: Origin, labels: Labels = NO_LABELS) -> str:
    """Return an axiom in Manchester syntax; the text of the origin if it is not from an ontology."""
    return origin.axiom if origin.stated is None else manchester_syntax(origin.stated, labels)


def terms_of_axioms(rules: Iterable[Rule]) -> Iterator[Term]:
    """Yield the terms in the axioms of rules, and the predicates of the rules."""
    for rule in rules:
        yield from (atom.predicate for atom in rule.atoms)
        if rule.origin is not None:
            yield from (part for part in owl.parts(rule.origin.stated) if isinstance(part, URIRef))


def quoted(text: str, is_name: bool = True) -> str:
    """Return a label on one line in single quotes, without them if it is a name that has no blanks, and is
    not a word of the syntax.

    >>> quoted("pump"), quoted("pump", is_name=False), quoted("Ohm's law")
    ('pump', "'pump'", "'Ohm\\\\'s law'")
    """
    name = one_line(text)
    if is_name and _UNQUOTED.fullmatch(name) and name.lower() not in _KEYWORDS:
        return name
    label = one_line(text, quote="'")
    return f"'{label}'"


def manchester_syntax(value: object, labels: Labels = NO_LABELS) -> str:
    """Return an axiom, an expression, a data range or a term in Manchester syntax.

    Args:
        labels: the names shown for IRIs.

    >>> iris = [URIRef(f"http://example.org/{name}") for name in ("Valve", "p", "Pump")]
    >>> valve, p, pump = owl.Class(iris[0]), owl.Property(iris[1]), owl.Class(iris[2])
    >>> axiom = owl.SubClassOf(owl.IntersectionOf((valve, owl.SomeValuesFrom(p, pump))), owl.THING)
    >>> manchester_syntax(axiom, {iris[1]: "leads to"})
    "Valve and ('leads to' some Pump) SubClassOf owl:Thing"
    """
    return _ManchesterWriter(labels).text(value)


def in_manchester(text: str, values: Iterable[object], labels: Labels = NO_LABELS) -> str:
    """Return a text in which those expressions in functional-style syntax that are parts of `values` are in
    Manchester syntax.

    >>> a, b = (owl.Class(URIRef(f"http://example.org/{name}")) for name in ("Open", "Shut"))
    >>> axiom = owl.SubClassOf(a, owl.UnionOf((a, b)))
    >>> in_manchester("ObjectUnionOf(Open Shut) on the right is a choice", [axiom])
    '(Open or Shut) on the right is a choice'
    """
    writer = _ManchesterWriter(labels)
    parts = {str(part): part for value in values for part in owl.parts(value) if not isinstance(part, str)}
    found = (functional for functional in parts if "(" in functional and functional in text)
    for functional in sorted(found, key=len, reverse=True):
        text = text.replace(functional, writer.operand(parts[functional]))
    return text


class _ManchesterWriter:
    """Writes values in Manchester syntax.

    Args:
        labels: the names shown for IRIs.
    """

    def __init__(self, labels: Labels) -> None:
        self.labels = labels

    def text(self, value: object) -> str:
        """Return the text of an axiom, expression, data range, rule or term."""
        match value:
            case URIRef() | Variable():
                return self.name(value)
            case Literal():
                return _literal(value)
            case BNode():
                return short(value)
            case owl.Class(iri) | owl.Property(iri) | ranges.Datatype(iri):
                return self.name(iri)
            case owl.InverseOf(inverted):
                return f"inverse {self.text(inverted)}"
            case owl.SwrlRule(body, head):
                return f"{self.atoms(body) or 'true'} -> {self.atoms(head) or '⊥'}"
            case AsideAnnotation():
                return value.text(self.labels)
        return self.expression(value) or self.axiom(value) or str(value)

    def name(self, iri: URIRef | Variable) -> str:
        label = self.labels.get(iri) if isinstance(iri, URIRef) else None
        if label is not None:
            return quoted(label, is_name=label == short(iri))
        return quoted(_standard_name(iri) or short(iri))

    def expression(self, value: object) -> str | None:
        """Return the text of a class expression or a data range; None for another value."""
        match value:
            case owl.IntersectionOf(operands) | ranges.DataIntersectionOf(operands):
                return " and ".join(map(self.operand, operands))
            case owl.UnionOf(operands) | ranges.DataUnionOf(operands):
                return " or ".join(map(self.operand, operands))
            case owl.ComplementOf(operand) | ranges.DataComplementOf(operand):
                return f"not {self.operand(operand)}"
            case owl.OneOf(members) | ranges.DataOneOf(members):
                return f"{{{self.listed(members)}}}"
            case owl.SomeValuesFrom(on, filler):
                return f"{self.operand(on)} some {self.operand(filler)}"
            case owl.AllValuesFrom(on, filler):
                return f"{self.operand(on)} only {self.operand(filler)}"
            case owl.HasValue(on, member):
                return f"{self.operand(on)} value {self.text(member)}"
            case owl.HasSelf(on):
                return f"{self.operand(on)} Self"
            case owl.Cardinality(bound, number, on, filler):
                word = "exactly" if bound is owl.Bound.EXACT else bound.value.lower()
                qualified = "" if filler is None else f" {self.operand(filler)}"
                return f"{self.operand(on)} {word} {number}{qualified}"
            case owl.NaryDataRestriction(quantifier, properties, filler):
                word = "only" if quantifier == "All" else quantifier.lower()
                return f"{self.listed(properties)} {word} {self.operand(filler)}"
            case ranges.DatatypeRestriction(datatype, facets):
                shown = (
                    f"{_FACETS.get(facet) or short(facet)} {self.text(limit)}" for facet, limit in facets
                )
                return f"{self.text(datatype)}[{', '.join(shown)}]"
        return None

    def axiom(self, value: object) -> str | None:
        """Return the text of an axiom or a triple; None for another value."""
        match value:
            case owl.SubClassOf(sub, super_):
                return f"{self.text(sub)} SubClassOf {self.text(super_)}"
            case owl.EquivalentClasses(operands):
                return self.between("EquivalentTo", "EquivalentClasses", operands)
            case owl.DisjointClasses(operands):
                return self.between("DisjointWith", "DisjointClasses", operands)
            case owl.DisjointUnion(union, operands):
                return f"{self.text(union)} DisjointUnionOf {self.listed(operands)}"
            case owl.SubPropertyOf(sub, super_):
                return f"{self.text(sub)} SubPropertyOf {self.text(super_)}"
            case owl.SubPropertyChainOf(chain, super_):
                return f"{' o '.join(map(self.operand, chain))} SubPropertyOf {self.text(super_)}"
            case owl.EquivalentProperties(operands):
                return self.between("EquivalentTo", "EquivalentProperties", operands)
            case owl.DisjointProperties(operands):
                return self.between("DisjointWith", "DisjointProperties", operands)
            case owl.InverseProperties(first, second):
                return f"{self.text(first)} InverseOf {self.text(second)}"
            case owl.PropertyDomain(on, domain):
                return f"{self.text(on)} Domain {self.text(domain)}"
            case owl.PropertyRange(on, range_):
                return f"{self.text(on)} Range {self.text(range_)}"
            case owl.Characteristic(trait, on):
                return f"{trait.value}: {self.text(on)}"
            case owl.HasKey(keyed, properties):
                return f"{self.text(keyed)} HasKey {self.listed(properties)}"
            case owl.DatatypeDefinition(datatype, range_):
                return f"{self.text(datatype)} EquivalentTo {self.text(range_)}"
            case owl.SameIndividual(individuals):
                return self.between("SameAs", "SameIndividual", individuals)
            case owl.DifferentIndividuals(individuals):
                return self.between("DifferentFrom", "DifferentIndividuals", individuals)
            case owl.ClassAssertion(type_, individual):
                return f"{self.text(individual)} Type {self.text(type_)}"
            case owl.NegativePropertyAssertion(on, subject, object_):
                return f"not ({self.text(subject)} {self.text(on)} {self.text(object_)})"
            case (subject, predicate, object_):
                word = _ASSERTIONS.get(predicate) or self.text(predicate)
                return f"{self.text(subject)} {word} {self.text(object_)}"
        return None

    def between(self, word: str, heading: str, operands: tuple[object, ...]) -> str:
        """Return `A word B` for two operands, and `heading: A, B, C` for another number."""
        if len(operands) == 2:
            return f"{self.text(operands[0])} {word} {self.text(operands[1])}"
        return f"{heading}: {self.listed(operands)}"

    def operand(self, value: object) -> str:
        """Return the text of an operand, in brackets unless it is a name, an enumeration or a datatype."""
        text = self.text(value)
        is_compound = self.expression(value) is not None or isinstance(value, owl.InverseOf)
        return f"({text})" if is_compound and text[0] != "{" and text[-1] != "]" else text

    def listed(self, values: Iterable[object]) -> str:
        return ", ".join(map(self.text, values))

    def atoms(self, atoms: Iterable[owl.SwrlAtom]) -> str:
        return " ^ ".join(f"{self.predicate(atom)}({self.listed(owl.arguments_of(atom))})" for atom in atoms)

    def predicate(self, atom: owl.SwrlAtom) -> str:
        match atom:
            case owl.ClassAtom(of, _) | owl.DataRangeAtom(of, _) | owl.PropertyAtom(of, _, _):
                return self.operand(of)
            case owl.BuiltInAtom(name, _):
                return short(name)
        return "sameAs" if isinstance(atom, owl.SameAtom) else "differentFrom"


def _literal(value: Literal) -> str:
    text = one_line(str(value), quote='"')
    if value.datatype in _PLAIN_LITERALS and re.fullmatch(_PLAIN_LITERALS[value.datatype], text):
        return text
    shown = f'"{text}"'
    if value.language:
        return f"{shown}@{value.language}"
    if value.datatype in (None, XSD.string):
        return shown
    return f"{shown}^^{_standard_name(value.datatype) or one_line(short(value.datatype))}"


def _standard_name(iri: URIRef | Variable) -> str | None:
    """Return a name of OWL, RDF, RDFS or XML Schema with its prefix; None for another name."""
    is_standard = isinstance(iri, URIRef) and any(map(iri.startswith, NO_NAMES.prefixes.values()))
    return with_prefix(iri, NO_NAMES.prefixes) if is_standard else None
