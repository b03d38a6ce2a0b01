"""Conversion of OWL 2 elements to triples, for OWL/XML and for syntaxes that are parsed to the same elements.

W3C: OWL 2 XML serialization for the elements, OWL 2 mapping to RDF graphs (table 1) for the triples. An
element that OWL 2 does not define raises an error, so nothing is silently ignored. Rules become SWRL rules.
Data properties, annotation properties and datatypes are declared when they are used, since their kind is
known from the element but not from the triples.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import count, repeat
from typing import NamedTuple
from urllib.parse import urljoin
from xml.etree.ElementTree import Element

from rdflib import OWL, RDF, RDFS, XSD, BNode, Literal, URIRef

from pantarhei.errors import MalformedInputError
from pantarhei.model.term import Term, Triple
from pantarhei.owl.axiom import SWRL

OWL_NAMESPACE = f"{{{OWL}}}"
XML_NAMESPACE = "{http://www.w3.org/XML/1998/namespace}"
_BUILT_IN = (str(OWL), str(RDF), str(RDFS), str(XSD))


def _reason(error: Exception, element: Element) -> str:
    """Return the reason of an error that occurred while an element was read."""
    if isinstance(error, KeyError):
        return f"an element in {name_of(element)} has no attribute {error}"
    if isinstance(error, IndexError) or "to unpack" in str(error):
        return f"{name_of(element)} has too few or too many elements"
    return str(error)


class ParsedDocument(NamedTuple):
    """Content of a document in a syntax of OWL.

    Args:
        lines: for each triple the line on which its axiom begins; None if the lines are unknown.
        prefixes: the declared prefixes, and those of OWL, RDF, RDFS and XML Schema.
    """

    triples: list[Triple]
    lines: Sequence[int] | None
    prefixes: dict[str, str]


class ElementReader:
    """Collects the triples of one document, each with the line on which its axiom begins."""

    def __init__(self, source: str, base: str) -> None:
        self.source = source
        self.base = base
        self.triples: list[Triple] = []
        self.lines = array("I")
        self.prefixes = {"owl": str(OWL), "rdf": str(RDF), "rdfs": str(RDFS), "xsd": str(XSD)}
        self.declared: set[tuple[URIRef, URIRef]] = set()
        self._numbers = count()

    def ontology(self, root: Element, lines: Sequence[int], syntax: str) -> ParsedDocument:
        """Read a whole document.

        Args:
            lines: the lines on which the root element and its children begin.
            syntax: name of the syntax in errors.

        Raises:
            MalformedInputError: an element is not defined by OWL 2, or is incomplete.
        """
        iri = root.get("ontologyIRI")
        header: Term = self.resolve(iri) if iri else self.blank()
        self.add(header, RDF.type, OWL.Ontology)
        if version := root.get("versionIRI"):
            self.add(header, OWL.versionIRI, self.resolve(version))
        first, *others = lines
        self.end_on(first)
        for child, line in zip(root, others, strict=True):
            try:
                self._part(header, child)
            except (KeyError, IndexError, ValueError) as error:
                raise MalformedInputError(
                    self.source, line, f"not {syntax}: {_reason(error, child)}"
                ) from error
            self.end_on(line)
        return ParsedDocument(self.triples, self.lines, self.prefixes)

    def _part(self, header: Term, child: Element) -> None:
        match name_of(child):
            case "Prefix":
                self.prefixes[child.get("name", "")] = child.attrib["IRI"]
            case "Import":
                self.add(header, OWL.imports, self.resolve((child.text or "").strip()))
            case "Annotation":
                self.annotate(header, child)
            case _:
                self.axiom(child)

    def end_on(self, line: int) -> None:
        """Assign `line` to the triples added since the last call."""
        self.lines.extend(repeat(line, len(self.triples) - len(self.lines)))

    # --- Names ---

    def blank(self) -> BNode:
        return BNode(f"x{next(self._numbers)}")

    def add(self, subject: Term, predicate: Term, object_: Term) -> Triple:
        triple = (subject, predicate, object_)
        self.triples.append(triple)
        return triple

    def node(self, *predicates_and_objects: tuple[URIRef, Term]) -> BNode:
        """Add the triples of a new blank node with these predicates and objects; return the node."""
        node = self.blank()
        for predicate, value in predicates_and_objects:
            self.add(node, predicate, value)
        return node

    def resolve(self, iri: str) -> URIRef:
        return URIRef(urljoin(self.base, iri) if iri else self.base)

    def abbreviated(self, text: str) -> URIRef:
        prefix, _, local = text.strip().partition(":")
        if prefix and prefix not in self.prefixes:
            raise ValueError(f"the prefix {prefix}: is not declared")
        return URIRef(self.prefixes.get(prefix, self.base) + local)

    def iri(self, element: Element) -> URIRef:
        if (abbreviated := element.get("abbreviatedIRI")) is not None:
            return self.abbreviated(abbreviated)
        return self.resolve(element.attrib["IRI"])

    # --- Expressions ---

    def term(self, element: Element) -> Term:
        """Return the term of an entity, a literal or an expression; the triples of an
        expression are added.
        """
        name = name_of(element)
        if name in _ENTITIES:
            return self.entity(element)
        if name in _EXPRESSIONS:
            return _EXPRESSIONS[name](self, element)
        raise ValueError(f"the element {name} is not supported here")

    def entity(self, element: Element) -> URIRef:
        """Return the IRI of an entity; add its declaration if its kind cannot be inferred from triples."""
        iri, kind = self.iri(element), _ENTITIES[name_of(element)]
        if (
            kind in _DECLARED_BY_USE
            and not str(iri).startswith(_BUILT_IN)
            and (iri, kind) not in self.declared
        ):
            self.declared.add((iri, kind))
            self.add(iri, RDF.type, kind)
        return iri

    def terms(self, elements: list[Element]) -> list[Term]:
        return [self.term(element) for element in elements]

    def sequence(self, members: Sequence[Term]) -> Term:
        head: Term = RDF.nil
        for member in reversed(members):
            head = self.node((RDF.first, member), (RDF.rest, head))
        return head

    def literal(self, element: Element) -> Term:
        text, language = element.text or "", element.get(XML_NAMESPACE + "lang")
        if language:
            return Literal(text, lang=language.lower())  # as RDF parsers normalize it
        datatype = URIRef(element.get("datatypeIRI", str(XSD.string)))
        return Literal(
            text, datatype=None if datatype in (XSD.string, RDF.PlainLiteral) else datatype, normalize=False
        )

    # --- Axioms ---

    def axiom(self, element: Element) -> None:
        name = name_of(element)
        if name not in _AXIOMS:
            raise ValueError(f"the element {name} is not an axiom of OWL 2")
        parts, annotations = _parts(element)
        main = _AXIOMS[name](self, parts)
        for annotation in annotations:
            for triple in main:
                self.annotate(self.reified(triple), annotation)

    def reified(self, triple: Triple) -> Term:
        """Return the node that annotations of the triple refer to: the blank node of an axiom that has one,
        otherwise a new `owl:Axiom`.
        """
        if triple[1] == RDF.type and isinstance(triple[0], BNode):
            return triple[0]
        return self._reification(OWL.Axiom, triple)

    def _reification(self, type_: URIRef, triple: Triple) -> Term:
        return self.node((RDF.type, type_), *zip(_ANNOTATED, triple, strict=True))

    def annotate(self, subject: Term, element: Element) -> None:
        parts, annotations = _parts(element)
        prop, value = self.terms(parts)
        triple = self.add(subject, prop, value)
        for nested in annotations:
            self.annotate(self._reification(OWL.Annotation, triple), nested)


_ANNOTATED = (OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget)
_ENTITIES = {
    "Class": OWL.Class,
    "Datatype": RDFS.Datatype,
    "ObjectProperty": OWL.ObjectProperty,
    "DataProperty": OWL.DatatypeProperty,
    "AnnotationProperty": OWL.AnnotationProperty,
    "NamedIndividual": OWL.NamedIndividual,
}
_DECLARED_BY_USE = frozenset({RDFS.Datatype, OWL.DatatypeProperty, OWL.AnnotationProperty})
Expression = Callable[[ElementReader, Element], Term]
AxiomReader = Callable[[ElementReader, list[Element]], list[Triple]]


def name_of(element: Element) -> str:
    return element.tag.removeprefix(OWL_NAMESPACE)


def _parts(element: Element) -> tuple[list[Element], list[Element]]:
    """Split an axiom or annotation into its operands and its annotations."""
    annotations = element.findall(OWL_NAMESPACE + "Annotation")
    return [child for child in element if name_of(child) != "Annotation"], annotations


# --- Expressions (table 1 of the mapping) ---


def _listed(type_: URIRef, predicate: URIRef) -> Expression:
    def read(document: ElementReader, element: Element) -> Term:
        members = document.sequence(document.terms(list(element)))
        return document.node((RDF.type, type_), (predicate, members))

    return read


def _complement(type_: URIRef, predicate: URIRef) -> Expression:
    def read(document: ElementReader, element: Element) -> Term:
        return document.node((RDF.type, type_), (predicate, document.term(element[0])))

    return read


def _restricted(predicate: URIRef) -> Expression:
    def read(document: ElementReader, element: Element) -> Term:
        *on, filler = document.terms(list(element))
        restricted = (OWL.onProperty, on[0]) if len(on) == 1 else (OWL.onProperties, document.sequence(on))
        return document.node((RDF.type, OWL.Restriction), restricted, (predicate, filler))

    return read


def _has_self(document: ElementReader, element: Element) -> Term:
    on, true = document.term(element[0]), Literal("true", datatype=XSD.boolean)
    return document.node((RDF.type, OWL.Restriction), (OWL.onProperty, on), (OWL.hasSelf, true))


def _counted(plain: URIRef, qualified: URIRef, filler_predicate: URIRef) -> Expression:
    def read(document: ElementReader, element: Element) -> Term:
        on, *fillers = document.terms(list(element))
        text = element.attrib["cardinality"].strip()
        number = Literal(text, datatype=XSD.nonNegativeInteger, normalize=False)
        return document.node(
            (RDF.type, OWL.Restriction),
            (OWL.onProperty, on),
            (qualified if fillers else plain, number),
            *((filler_predicate, filler) for filler in fillers[:1]),
        )

    return read


def _inverse(document: ElementReader, element: Element) -> Term:
    return document.node((OWL.inverseOf, document.term(element[0])))


def _datatype_restriction(document: ElementReader, element: Element) -> Term:
    datatype, *facets = element
    written = [document.node((URIRef(f.attrib["facet"]), document.term(f[0]))) for f in facets]
    return document.node(
        (RDF.type, RDFS.Datatype),
        (OWL.onDatatype, document.term(datatype)),
        (OWL.withRestrictions, document.sequence(written)),
    )


_EXPRESSIONS: dict[str, Expression] = {
    "Literal": ElementReader.literal,
    "IRI": lambda document, element: document.resolve((element.text or "").strip()),
    "AbbreviatedIRI": lambda document, element: document.abbreviated(element.text or ""),
    "AnonymousIndividual": lambda document, element: BNode("n" + element.attrib["nodeID"].removeprefix("_:")),
    "ObjectInverseOf": _inverse,
    "ObjectIntersectionOf": _listed(OWL.Class, OWL.intersectionOf),
    "ObjectUnionOf": _listed(OWL.Class, OWL.unionOf),
    "ObjectOneOf": _listed(OWL.Class, OWL.oneOf),
    "ObjectComplementOf": _complement(OWL.Class, OWL.complementOf),
    "DataIntersectionOf": _listed(RDFS.Datatype, OWL.intersectionOf),
    "DataUnionOf": _listed(RDFS.Datatype, OWL.unionOf),
    "DataOneOf": _listed(RDFS.Datatype, OWL.oneOf),
    "DataComplementOf": _complement(RDFS.Datatype, OWL.datatypeComplementOf),
    "DatatypeRestriction": _datatype_restriction,
    "ObjectHasSelf": _has_self,
}
for _kind, _on in (("Object", OWL.onClass), ("Data", OWL.onDataRange)):
    _EXPRESSIONS[_kind + "SomeValuesFrom"] = _restricted(OWL.someValuesFrom)
    _EXPRESSIONS[_kind + "AllValuesFrom"] = _restricted(OWL.allValuesFrom)
    _EXPRESSIONS[_kind + "HasValue"] = _restricted(OWL.hasValue)
    _EXPRESSIONS[_kind + "MinCardinality"] = _counted(OWL.minCardinality, OWL.minQualifiedCardinality, _on)
    _EXPRESSIONS[_kind + "MaxCardinality"] = _counted(OWL.maxCardinality, OWL.maxQualifiedCardinality, _on)
    _EXPRESSIONS[_kind + "ExactCardinality"] = _counted(OWL.cardinality, OWL.qualifiedCardinality, _on)


# --- Axioms (table 1 of the mapping) ---


def _binary(predicate: URIRef) -> AxiomReader:
    def read(document: ElementReader, parts: list[Element]) -> list[Triple]:
        first, second = document.terms(parts)
        return [document.add(first, predicate, second)]

    return read


def _all_pairs(predicate: URIRef) -> AxiomReader:
    def read(document: ElementReader, parts: list[Element]) -> list[Triple]:
        first, *others = document.terms(parts)
        return [document.add(first, predicate, other) for other in others]

    return read


def _pair_or_list(predicate: URIRef, type_: URIRef) -> AxiomReader:
    def read(document: ElementReader, parts: list[Element]) -> list[Triple]:
        operands = document.terms(parts)
        if len(operands) == 2:
            return [document.add(operands[0], predicate, operands[1])]
        node = document.node((OWL.members, document.sequence(operands)))
        return [document.add(node, RDF.type, type_)]

    return read


def _typed(type_: URIRef) -> AxiomReader:
    def read(document: ElementReader, parts: list[Element]) -> list[Triple]:
        return [document.add(document.term(parts[0]), RDF.type, type_)]

    return read


def _with_list(predicate: URIRef) -> AxiomReader:
    def read(document: ElementReader, parts: list[Element]) -> list[Triple]:
        first, *others = document.terms(parts)
        return [document.add(first, predicate, document.sequence(others))]

    return read


def _declaration(document: ElementReader, parts: list[Element]) -> list[Triple]:
    return [document.add(document.iri(parts[0]), RDF.type, _ENTITIES[name_of(parts[0])])]


def _sub_object_property_of(document: ElementReader, parts: list[Element]) -> list[Triple]:
    if name_of(parts[0]) != "ObjectPropertyChain":
        return _binary(RDFS.subPropertyOf)(document, parts)
    chain = document.sequence(document.terms(list(parts[0])))
    return [document.add(document.term(parts[1]), OWL.propertyChainAxiom, chain)]


def _class_assertion(document: ElementReader, parts: list[Element]) -> list[Triple]:
    type_, individual = document.terms(parts)
    return [document.add(individual, RDF.type, type_)]


def _assertion(document: ElementReader, parts: list[Element]) -> list[Triple]:
    subject, value = document.terms(parts[1:])
    if name_of(parts[0]) == "ObjectInverseOf":
        return [document.add(value, document.term(parts[0][0]), subject)]
    return [document.add(subject, document.term(parts[0]), value)]


def _negative_assertion(target: URIRef) -> AxiomReader:
    def read(document: ElementReader, parts: list[Element]) -> list[Triple]:
        prop, subject, value = document.terms(parts)
        node = document.node((OWL.sourceIndividual, subject), (OWL.assertionProperty, prop), (target, value))
        return [document.add(node, RDF.type, OWL.NegativePropertyAssertion)]

    return read


# --- Rules ---


def _rule(document: ElementReader, parts: list[Element]) -> list[Triple]:
    sides = {name_of(part): part for part in parts}
    if len(parts) != 2 or set(sides) != {"Body", "Head"}:
        raise ValueError("a DLSafeRule needs a Body and a Head")
    body, head = (document.sequence([_atom(document, a) for a in sides[side]]) for side in ("Body", "Head"))
    node = document.node((SWRL.body, body), (SWRL.head, head))
    return [document.add(node, RDF.type, SWRL.Imp)]


def _atom(document: ElementReader, element: Element) -> Term:
    name = name_of(element)
    if name == "BuiltInAtom":
        arguments = document.sequence(document.terms(list(element)))
        builtin = (SWRL.builtin, document.iri(element))
        return document.node((RDF.type, SWRL.BuiltinAtom), builtin, (SWRL.arguments, arguments))
    if name not in _ATOMS:
        raise ValueError(f"the element {name} is not an atom of a rule")
    type_, predicates = _ATOMS[name]
    terms = document.terms(list(element))
    return document.node((RDF.type, type_), *zip(predicates, terms, strict=True))


def _variable(document: ElementReader, element: Element) -> Term:
    variable = document.iri(element)
    document.add(variable, RDF.type, SWRL.Variable)
    return variable


_ATOMS = {
    "ClassAtom": (SWRL.ClassAtom, (SWRL.classPredicate, SWRL.argument1)),
    "DataRangeAtom": (SWRL.DataRangeAtom, (SWRL.dataRange, SWRL.argument1)),
    "ObjectPropertyAtom": (
        SWRL.IndividualPropertyAtom,
        (SWRL.propertyPredicate, SWRL.argument1, SWRL.argument2),
    ),
    "DataPropertyAtom": (
        SWRL.DatavaluedPropertyAtom,
        (SWRL.propertyPredicate, SWRL.argument1, SWRL.argument2),
    ),
    "SameIndividualAtom": (SWRL.SameIndividualAtom, (SWRL.argument1, SWRL.argument2)),
    "DifferentIndividualsAtom": (SWRL.DifferentIndividualsAtom, (SWRL.argument1, SWRL.argument2)),
}
_EXPRESSIONS["Variable"] = _variable

_AXIOMS: dict[str, AxiomReader] = {
    "Declaration": _declaration,
    "SubClassOf": _binary(RDFS.subClassOf),
    "EquivalentClasses": _all_pairs(OWL.equivalentClass),
    "DisjointClasses": _pair_or_list(OWL.disjointWith, OWL.AllDisjointClasses),
    "DisjointUnion": _with_list(OWL.disjointUnionOf),
    "SubObjectPropertyOf": _sub_object_property_of,
    "SubAnnotationPropertyOf": _binary(RDFS.subPropertyOf),
    "SubDataPropertyOf": _binary(RDFS.subPropertyOf),
    "InverseObjectProperties": _binary(OWL.inverseOf),
    "HasKey": _with_list(OWL.hasKey),
    "DatatypeDefinition": _binary(OWL.equivalentClass),
    "SameIndividual": _all_pairs(OWL.sameAs),
    "DifferentIndividuals": _pair_or_list(OWL.differentFrom, OWL.AllDifferent),
    "ClassAssertion": _class_assertion,
    "ObjectPropertyAssertion": _assertion,
    "DataPropertyAssertion": _assertion,
    "NegativeObjectPropertyAssertion": _negative_assertion(OWL.targetIndividual),
    "NegativeDataPropertyAssertion": _negative_assertion(OWL.targetValue),
    "AnnotationAssertion": _assertion,
    "DLSafeRule": _rule,
}
for _kind in ("Object", "Data", "Annotation"):
    _AXIOMS[f"{_kind}PropertyDomain"] = _binary(RDFS.domain)
    _AXIOMS[f"{_kind}PropertyRange"] = _binary(RDFS.range)
for _kind in ("Object", "Data"):
    _AXIOMS[f"Equivalent{_kind}Properties"] = _all_pairs(OWL.equivalentProperty)
    _AXIOMS[f"Disjoint{_kind}Properties"] = _pair_or_list(OWL.propertyDisjointWith, OWL.AllDisjointProperties)
    _AXIOMS[f"Functional{_kind}Property"] = _typed(OWL.FunctionalProperty)
for _trait in ("InverseFunctional", "Reflexive", "Irreflexive", "Symmetric", "Asymmetric", "Transitive"):
    _AXIOMS[f"{_trait}ObjectProperty"] = _typed(OWL[f"{_trait}Property"])
