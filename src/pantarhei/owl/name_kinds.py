"""Kinds of the names in a graph: properties, datatypes, and the vocabulary of OWL itself.

W3C: OWL 2 mapping to RDF graphs, tables 7 to 10 (declarations); OWL 2 structural specification, section 5.5
(built-in annotation properties).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rdflib import OWL, RDF, RDFS, Literal, URIRef

from pantarhei.model.term import RDF_TYPE, Term, Triple
from pantarhei.owl.axiom import SWRL, PropertyKind
from pantarhei.owl.expression_mapping import BUILT_IN_DATATYPES, NameKinds, TripleIndex

BUILT_IN_ANNOTATIONS = frozenset(
    {
        RDFS.label,
        RDFS.comment,
        RDFS.seeAlso,
        RDFS.isDefinedBy,
        OWL.deprecated,
        OWL.versionInfo,
        OWL.priorVersion,
        OWL.backwardCompatibleWith,
        OWL.incompatibleWith,
    }
)
DECLARED_TYPES = frozenset(
    {
        OWL.Class,
        OWL.ObjectProperty,
        OWL.DatatypeProperty,
        OWL.AnnotationProperty,
        OWL.OntologyProperty,
        OWL.NamedIndividual,
        OWL.Thing,
        OWL.Ontology,
        OWL.DeprecatedClass,
        OWL.DeprecatedProperty,
        OWL.DataRange,
        RDF.Property,
        RDFS.Class,
        RDFS.Datatype,
        RDFS.Resource,
        SWRL.Builtin,
        SWRL.Variable,
    }
)
SCHEMA_TYPES = DECLARED_TYPES - {OWL.NamedIndividual, OWL.Thing, RDFS.Resource}
HEADER_PREDICATES = frozenset({OWL.imports, OWL.versionIRI})
_OBJECT_TYPES = (
    OWL.ObjectProperty,
    OWL.InverseFunctionalProperty,
    OWL.ReflexiveProperty,
    OWL.IrreflexiveProperty,
    OWL.SymmetricProperty,
    OWL.AsymmetricProperty,
    OWL.TransitiveProperty,
)


def read_vocabulary(index: TripleIndex) -> NameKinds:
    """Return the kinds of properties and the datatypes that the graph declares or implies by their use.

    A name declared both as an annotation property and as an object or data property has the latter kind.
    """
    written = (
        s for p in _WRITING_DATA_RANGES for s, _, _ in index.with_predicate(p) if isinstance(s, URIRef)
    )
    datatypes = frozenset((*index.instances(RDFS.Datatype), *index.instances(OWL.DataRange), *written))
    plain = NameKinds({}, datatypes)
    kinds: dict[Term, PropertyKind] = dict(_guessed_kinds(index, plain))
    for annotation in BUILT_IN_ANNOTATIONS:
        kinds[annotation] = PropertyKind.ANNOTATION
    for type_, kind in _DECLARING:
        kinds.update((declared, kind) for declared in index.instances(type_))
    kinds[OWL.topDataProperty] = kinds[OWL.bottomDataProperty] = PropertyKind.DATA
    return NameKinds(kinds, datatypes)


def _guessed_kinds(index: TripleIndex, vocabulary: NameKinds) -> Iterator[tuple[Term, PropertyKind]]:
    """Yield properties that must be data properties because of their range, their values, or the expressions
    they occur in.
    """

    def is_data(node: Term) -> bool:
        return vocabulary.is_datatype(node) or any(index.objects(node, p) for p in _WRITING_DATA_RANGES)

    for subject, _, object_ in index.with_predicate(RDFS.range):
        if is_data(object_):
            yield subject, PropertyKind.DATA
    for restriction, _, on in index.with_predicate(OWL.onProperty):
        fillers = [o for p in _WITH_FILLERS for o in index.objects(restriction, p)]
        values = index.objects(restriction, _HAS_VALUE)
        if any(map(is_data, fillers)) or any(isinstance(value, Literal) for value in values):
            yield on, PropertyKind.DATA
    for atom in index.instances(SWRL.DatavaluedPropertyAtom):
        yield from ((p, PropertyKind.DATA) for p in index.objects(atom, SWRL.propertyPredicate))
    for declared in index.instances(RDF.Property):
        if any(isinstance(object_, Literal) for _, _, object_ in index.with_predicate(declared)):
            yield declared, PropertyKind.DATA


# Constants, since attribute access on rdflib's namespaces is slow.
_WRITING_DATA_RANGES = (OWL.onDatatype, OWL.datatypeComplementOf)
_WITH_FILLERS = (OWL.someValuesFrom, OWL.allValuesFrom)
_HAS_VALUE = OWL.hasValue

_DECLARING = (
    (OWL.AnnotationProperty, PropertyKind.ANNOTATION),
    (OWL.OntologyProperty, PropertyKind.ANNOTATION),
    (OWL.DatatypeProperty, PropertyKind.DATA),
    *((type_, PropertyKind.OBJECT) for type_ in _OBJECT_TYPES),
)


# Terms of RDF that occur in data: containers, reification, structured values.
_FOR_DATA = frozenset(
    {
        *(RDF.Seq, RDF.Bag, RDF.Alt, RDF.Statement, RDF.subject, RDF.predicate, RDF.object, RDF.value),
        *(RDF.CompoundLiteral, RDF.direction, RDF.language, URIRef(f"{RDF}reifies"), RDFS.member),
        *(RDFS.Container, RDFS.ContainerMembershipProperty),
    }
)
_MEMBER = re.compile(re.escape(f"{RDF}_") + "[1-9][0-9]*")
LIST_PREDICATES: frozenset[Term] = frozenset({RDF.first, RDF.rest})
_USABLE = frozenset(
    {
        *_FOR_DATA,
        *BUILT_IN_ANNOTATIONS,
        *BUILT_IN_DATATYPES,
        OWL.topObjectProperty,
        OWL.bottomObjectProperty,
        OWL.topDataProperty,
        OWL.bottomDataProperty,
    }
)


_BUILT_IN = (str(OWL), str(RDF), str(RDFS))


def is_reserved(term: Term) -> bool:
    """True if the term is in the OWL, RDF or RDFS namespace, except datatypes, annotation properties and
    terms for data, such as containers.
    """
    if not isinstance(term, URIRef) or term in _USABLE:
        return False
    return str(term).startswith(_BUILT_IN) and _MEMBER.fullmatch(term) is None


def is_part_of_a_list(triple: Triple) -> bool:
    """True if the triple is part of an RDF list."""
    _, predicate, object_ = triple
    return predicate in LIST_PREDICATES or (object_ == RDF.List and predicate == RDF_TYPE)


@lru_cache(maxsize=65536)
def is_defined(term: Term) -> bool:
    """True if OWL, RDF or RDFS define the name. Some ontologies add names to these namespaces."""
    return str(term) not in _BUILT_IN and any(term in namespace for namespace in (OWL, RDF, RDFS))


def is_declaration(triple: Triple) -> bool:
    """True if the triple only declares the kind of a name, or belongs to an ontology header."""
    _, predicate, object_ = triple
    return predicate in HEADER_PREDICATES or (object_ in DECLARED_TYPES and predicate == RDF_TYPE)
