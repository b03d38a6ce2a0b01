"""Reading of class expressions, data ranges, property expressions and lists from triples.

W3C: OWL 2 mapping to RDF graphs, section 3.2.4, tables 11 to 15. Type triples that the tables require but
files often lack (`rdf:type owl:Restriction`) are optional. An expression is read completely, or
`UnreadableError` is raised.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import itemgetter

from rdflib import OWL, RDF, RDFS, XSD, BNode, Literal, URIRef

from pantarhei.model.term import Term, Triple, short
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import (
    SWRL,
    Bound,
    ClassExpression,
    DataRange,
    Filler,
    Property,
    PropertyExpression,
    PropertyKind,
)
from pantarhei.rdf.parse import DEEPEST_EXPRESSION


def term_key(term: Term) -> tuple[int, str, str, str]:
    """Return a sort key for terms: IRIs, then blank nodes, then literals."""
    if isinstance(term, Literal):
        return 2, str(term), str(term.datatype or ""), term.language or ""
    return (1 if isinstance(term, BNode) else 0), str(term), "", ""


def triple_key(triple: Triple) -> tuple[tuple[int, str, str, str], ...]:
    """Return a sort key for triples."""
    return tuple(map(term_key, triple))


class TripleIndex:
    """Index of the triples of a graph by subject and predicate, by predicate, and by class.

    Triples are sorted, so that results do not depend on the order of the input. Building the index sorts the
    distinct terms and the triples. A lookup takes time linear in its result.
    """

    def __init__(self, triples: Iterable[Triple]) -> None:
        given = list(triples)
        self.terms: tuple[Term, ...] = tuple(sorted(dict.fromkeys(chain.from_iterable(given)), key=term_key))
        self.triples: tuple[Triple, ...] = tuple(_in_order(given, self.terms))
        self._by_subject: dict[Term, dict[Term, list[Term]]] = {}
        self._by_predicate: dict[Term, list[Triple]] = defaultdict(list)
        self._instances: dict[Term, list[Term]] = defaultdict(list)
        for subject, of_subject in groupby(self.triples, itemgetter(0)):
            by_predicate: dict[Term, list[Term]] = {}
            for predicate, found in groupby(of_subject, itemgetter(1)):
                same_predicate = list(found)
                by_predicate[predicate] = [object_ for _, _, object_ in same_predicate]
                self._by_predicate[predicate] += same_predicate
            self._by_subject[subject] = by_predicate
        for subject, _, class_ in self._by_predicate.get(RDF.type, ()):
            self._instances[class_].append(subject)

    def objects(self, subject: Term, predicate: URIRef) -> list[Term]:
        """Return the objects of the triples with this subject and predicate, sorted."""
        return self._by_subject.get(subject, {}).get(predicate, [])

    def predicates(self) -> Iterable[Term]:
        """Return the predicates of all triples."""
        return self._by_predicate.keys()

    def about(self, subject: Term) -> Iterator[Triple]:
        """Yield the triples with this subject."""
        for predicate, objects in self._by_subject.get(subject, {}).items():
            for object_ in objects:
                yield subject, predicate, object_

    def with_predicate(self, predicate: Term) -> list[Triple]:
        """Return the triples with this predicate, sorted."""
        return self._by_predicate.get(predicate, [])

    def instances(self, class_: Term) -> list[Term]:
        """Return the subjects with this class as a type, sorted."""
        return self._instances.get(class_, [])

    def reachable(self, nodes: Iterable[Term]) -> Iterator[Triple]:
        """Yield the triples whose subject is one of the blank nodes among `nodes`, or a blank node reachable
        from them.
        """
        waiting = list(dict.fromkeys(node for node in nodes if isinstance(node, BNode)))
        seen = set(waiting)
        for node in waiting:
            for triple in self.about(node):
                yield triple
                if isinstance(triple[2], BNode) and triple[2] not in seen:
                    seen.add(triple[2])
                    waiting.append(triple[2])


def _in_order(triples: Sequence[Triple], terms: Iterable[Term]) -> list[Triple]:
    """Return the distinct triples, sorted by the positions of their terms in `terms`."""
    number = {term: i for i, term in enumerate(terms)}
    count = len(number)
    by_rank = {
        (number[triple[0]] * count + number[triple[1]]) * count + number[triple[2]]: triple
        for triple in reversed(triples)  # so that the first of equal triples is kept
    }
    return [by_rank[rank] for rank in sorted(by_rank)]


LARGEST_EXPRESSION = 200_000

BUILT_IN_DATATYPES = frozenset(
    {RDFS.Literal, RDF.PlainLiteral, RDF.langString, RDF.XMLLiteral, RDF.HTML, OWL.real, OWL.rational}
)
_EXPRESSION_TYPES = frozenset(
    {OWL.Class, OWL.Restriction, RDFS.Class, RDFS.Datatype, OWL.DataRange, OWL.ObjectProperty}
)
CONSTRUCTORS = (
    OWL.intersectionOf,
    OWL.unionOf,
    OWL.complementOf,
    OWL.oneOf,
    OWL.datatypeComplementOf,
    OWL.onDatatype,
)
_BOUNDS = {
    OWL.minCardinality: Bound.MIN,
    OWL.maxCardinality: Bound.MAX,
    OWL.cardinality: Bound.EXACT,
    OWL.minQualifiedCardinality: Bound.MIN,
    OWL.maxQualifiedCardinality: Bound.MAX,
    OWL.qualifiedCardinality: Bound.EXACT,
}
_RESTRICTIONS = (OWL.someValuesFrom, OWL.allValuesFrom, OWL.hasValue, OWL.hasSelf, *_BOUNDS)
EXPRESSION_PREDICATES = frozenset(
    {
        *CONSTRUCTORS,
        *_RESTRICTIONS,
        OWL.onProperty,
        OWL.onProperties,
        OWL.onClass,
        OWL.onDataRange,
        OWL.withRestrictions,
        RDF.first,
        RDF.rest,
    }
)


class UnreadableError(Exception):
    """The triples do not write an expression. The reader of axioms catches this error and reports the axiom
    as a leftover.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class NameKinds:
    """Kinds of the names in a graph."""

    kinds: Mapping[Term, PropertyKind]
    datatypes: frozenset[Term]

    def is_datatype(self, iri: Term) -> bool:
        return iri in self.datatypes or iri in BUILT_IN_DATATYPES or str(iri).startswith(str(XSD))


@dataclass(slots=True)
class ExpressionReader:
    """Reader of the expressions of one axiom. `used` collects their triples."""

    index: TripleIndex
    vocabulary: NameKinds
    used: set[Triple] = field(default_factory=set)
    classes: set[Term] = field(default_factory=set)
    properties: set[Term] = field(default_factory=set)
    _path: list[Term] = field(default_factory=list)
    _steps: int = 0

    # --- Names and values ---

    def property(self, node: Term) -> PropertyExpression:
        """Return the property expression written by `node`."""
        if isinstance(node, URIRef):
            self.properties.add(node)
            return Property(node, self.vocabulary.kinds.get(node, PropertyKind.OBJECT))
        inverse = self.only(node, OWL.inverseOf)
        if not isinstance(inverse, URIRef):
            raise UnreadableError("owl:inverseOf in a property expression needs a named property")
        self._use(node, RDF.type, OWL.ObjectProperty)
        self.properties.add(inverse)
        return owl.InverseOf(Property(inverse, PropertyKind.OBJECT))

    def individual(self, node: Term) -> Term:
        """Return `node`; raise an error if it is a literal."""
        if isinstance(node, Literal):
            raise UnreadableError(f"the literal {node.n3()} where an individual is expected")
        return node

    def filler(self, node: Term, property: PropertyExpression) -> Filler:
        """Return the class expression or data range written by `node` as a filler of `property`."""
        return self.data_range(node) if self._is_data(node, property) else self.class_expression(node)

    def _is_data(self, node: Term, property: PropertyExpression) -> bool:
        if isinstance(node, URIRef):
            unknown = property.kind is PropertyKind.DATA and node not in (OWL.Thing, OWL.Nothing)
            return self.vocabulary.is_datatype(node) or unknown
        return property.kind is PropertyKind.DATA or self.writes_data_range(node)

    def writes_data_range(self, node: Term) -> bool:
        """True if the triples about a node show that it writes a data range."""
        if {RDFS.Datatype, OWL.DataRange} & set(self.index.objects(node, RDF.type)):
            return True
        if any(self.index.objects(node, p) for p in (OWL.onDatatype, OWL.datatypeComplementOf)):
            return True
        listed = [
            m for head in self.index.objects(node, OWL.oneOf) for m in self.index.objects(head, RDF.first)
        ]
        return any(isinstance(member, Literal) for member in listed)

    # --- Lists ---

    def sequence(self, head: Term) -> list[Term]:
        """Return the members of an RDF list.

        Raises:
            UnreadableError: the list branches, is incomplete, or is cyclic.
        """
        members: list[Term] = []
        seen: set[Term] = set()
        while head != RDF.nil:
            if head in seen:
                raise UnreadableError("a cyclic list")
            seen.add(head)
            self._step()
            members.append(self.only(head, RDF.first, "a list cell"))
            self._use(head, RDF.type, RDF.List)
            self._use(head, RDF.type, SWRL.AtomList)
            head = self.only(head, RDF.rest, "a list cell")
        return members

    # --- Class expressions ---

    def class_expression(self, node: Term) -> ClassExpression:
        """Return the class expression written by `node`."""
        if isinstance(node, Literal):
            raise UnreadableError(f"the literal {node.n3()} where a class is expected")
        if isinstance(node, URIRef):
            if self.vocabulary.is_datatype(node):
                raise UnreadableError(f"the datatype <{node}> where a class is expected")
            self.classes.add(node)
            return owl.Class(node)
        return self.anonymous_class(node)

    def anonymous_class(self, node: Term) -> ClassExpression:
        """Return the class expression written by the triples about `node`."""
        self._enter(node)
        if self.index.objects(node, OWL.onProperty) or self.index.objects(node, OWL.onProperties):
            expression = self.restriction(node)
        else:
            expression = self.constructed_class(node, self._constructor(node, "class expression"))
        self._leave(node)
        return expression

    def constructed_class(self, node: Term, constructor: URIRef) -> ClassExpression:
        """Return the class expression written by `node` with owl:intersectionOf, unionOf, complementOf or
        oneOf.
        """
        value = self.only(node, constructor)
        if constructor == OWL.complementOf:
            return owl.ComplementOf(self.class_expression(value))
        members = self.sequence(value)
        if constructor == OWL.oneOf:
            return owl.OneOf(tuple(map(self.individual, members)))
        operands = tuple(map(self.class_expression, members))
        if len(operands) == 1:
            return operands[0]
        if constructor == OWL.intersectionOf:
            return owl.IntersectionOf(operands) if operands else owl.THING
        if constructor == OWL.unionOf:
            return owl.UnionOf(operands) if operands else owl.NOTHING
        raise UnreadableError("a data range where a class is expected")

    def restriction(self, node: Term) -> ClassExpression:
        """Return the restriction written by the triples about `node`."""
        self._use(node, RDF.type, OWL.Restriction)
        present = [p for p in _RESTRICTIONS if self.index.objects(node, p)]
        if len(present) != 1:
            raise UnreadableError(
                "a restriction needs exactly one kind of restriction, found " + _names(present)
            )
        if self.index.objects(node, OWL.onProperties):
            return self._nary_restriction(node, present[0])
        on = self.property(self.only(node, OWL.onProperty, "a restriction"))
        value = self.only(node, present[0])
        if present[0] == OWL.someValuesFrom:
            return owl.SomeValuesFrom(on, self.filler(value, on))
        if present[0] == OWL.allValuesFrom:
            return owl.AllValuesFrom(on, self.filler(value, on))
        if present[0] == OWL.hasValue:
            return owl.HasValue(on, value)
        if present[0] == OWL.hasSelf:
            if str(value) not in ("true", "1"):
                raise UnreadableError("owl:hasSelf must be true")
            return owl.HasSelf(on)
        return self._cardinality(node, present[0], on, value)

    def _nary_restriction(self, node: Term, restriction: URIRef) -> ClassExpression:
        quantifier = {OWL.someValuesFrom: "Some", OWL.allValuesFrom: "All"}.get(restriction)
        if quantifier is None:
            raise UnreadableError("owl:onProperties without owl:someValuesFrom or owl:allValuesFrom")
        properties = tuple(map(self.property, self.sequence(self.only(node, OWL.onProperties))))
        return owl.NaryDataRestriction(quantifier, properties, self.data_range(self.only(node, restriction)))

    def _cardinality(
        self, node: Term, restriction: URIRef, on: PropertyExpression, value: Term
    ) -> ClassExpression:
        number = _natural_number(value)
        if "Qualified" not in restriction and "qualified" not in restriction:
            return owl.Cardinality(_BOUNDS[restriction], number, on)
        if self.index.objects(node, OWL.onDataRange):
            filler: Filler = self.data_range(self.only(node, OWL.onDataRange))
        else:
            filler = self.class_expression(self.only(node, OWL.onClass, "a qualified cardinality"))
        return owl.Cardinality(_BOUNDS[restriction], number, on, filler)

    # --- Data ranges ---

    def data_range(self, node: Term) -> DataRange:
        """Return the data range written by `node`."""
        if isinstance(node, Literal):
            raise UnreadableError(f"the literal {node.n3()} where a data range is expected")
        if isinstance(node, URIRef):
            return owl.Datatype(node)
        self._enter(node)
        expression = self.constructed_range(node, self._constructor(node, "data range"))
        self._leave(node)
        return expression

    def constructed_range(self, node: Term, constructor: URIRef) -> DataRange:
        """Return the data range written by `node` with owl:intersectionOf, unionOf, oneOf,
        datatypeComplementOf or onDatatype.
        """
        value = self.only(node, constructor)
        if constructor == OWL.onDatatype:
            return self._datatype_restriction(node, value)
        if constructor in (OWL.complementOf, OWL.datatypeComplementOf):
            return owl.DataComplementOf(self.data_range(value))
        members = self.sequence(value)
        if constructor == OWL.oneOf:
            return owl.DataOneOf(tuple(map(self._literal, members)))
        operands = tuple(map(self.data_range, members))
        return owl.DataUnionOf(operands) if constructor == OWL.unionOf else owl.DataIntersectionOf(operands)

    def _literal(self, node: Term) -> Term:
        if not isinstance(node, Literal):
            raise UnreadableError(f"{node.n3()} where a literal is expected")
        return node

    def _datatype_restriction(self, node: Term, datatype: Term) -> DataRange:
        if not isinstance(datatype, URIRef):
            raise UnreadableError("owl:onDatatype needs a named datatype")
        facets = []
        for facet in self.sequence(self.only(node, OWL.withRestrictions, "a datatype restriction")):
            triples = list(self.index.about(facet))
            if len(triples) != 1 or not isinstance(triples[0][1], URIRef):
                raise UnreadableError("a facet needs exactly one triple")
            self.used.add(triples[0])
            facets.append((triples[0][1], triples[0][2]))
        return owl.DatatypeRestriction(owl.Datatype(datatype), tuple(facets))

    # --- Helpers ---

    def _constructor(self, node: Term, expected: str) -> URIRef:
        present = [p for p in CONSTRUCTORS if self.index.objects(node, p)]
        if len(present) != 1:
            raise UnreadableError(f"a {expected} needs exactly one constructor, found {_names(present)}")
        return present[0]

    def only(self, node: Term, predicate: URIRef, where: str = "an expression") -> Term:
        """Return the single value of `predicate`. `where` describes the node in errors."""
        objects = self.index.objects(node, predicate)
        if len(objects) != 1:
            raise UnreadableError(f"{where} with {len(objects) or 'no'} values of {_names([predicate])}")
        self.used.add((node, predicate, objects[0]))
        return objects[0]

    def _use(self, node: Term, predicate: URIRef, object_: Term) -> None:
        if object_ in self.index.objects(node, predicate):
            self.used.add((node, predicate, object_))

    def _enter(self, node: Term) -> None:
        self._step()
        if node in self._path:
            raise UnreadableError("an expression that contains itself")
        if len(self._path) >= DEEPEST_EXPRESSION:
            raise UnreadableError(f"an expression nested deeper than {DEEPEST_EXPRESSION} levels")
        self._path.append(node)
        if isinstance(node, BNode):
            for type_ in self.index.objects(node, RDF.type):
                if type_ in _EXPRESSION_TYPES:
                    self.used.add((node, RDF.type, type_))

    def _leave(self, node: Term) -> None:
        assert self._path.pop() == node

    def _step(self) -> None:
        self._steps += 1
        if self._steps > LARGEST_EXPRESSION:
            raise UnreadableError(f"an axiom of more than {LARGEST_EXPRESSION} parts")


def _natural_number(value: Term) -> int:
    text = str(value).strip()
    if not isinstance(value, Literal) or not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise UnreadableError(f"{value.n3()} where a nonnegative integer is expected")
    return int(text)


def _names(predicates: list[URIRef]) -> str:
    return ", ".join(map(prefixed, predicates)) or "none"


def prefixed(term: Term) -> str:
    """Return a name of OWL, RDF, RDFS or SWRL with its usual prefix, and the last part of any other name.

    >>> prefixed(RDF.first), prefixed(URIRef("http://example.org/a"))
    ('rdf:first', 'a')
    """
    for prefix, namespace in (("owl", OWL), ("rdfs", RDFS), ("rdf", RDF), ("swrl", SWRL)):
        if str(term).startswith(str(namespace)):
            return f"{prefix}:{term[len(str(namespace)) :]}"
    return short(term)
