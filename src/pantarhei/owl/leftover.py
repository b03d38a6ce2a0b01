"""Classification of triples outside axioms: declarations, annotations, assertions, and leftovers with the
reason.

W3C: OWL 2 mapping to RDF graphs, section 3.2.2 (annotations) and tables 16 and 17. A leftover is a triple
that looks like part of an axiom but cannot be read as one. It is reported, and never becomes a fact.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass, field

from rdflib import OWL, RDF, XSD, BNode, Literal, Namespace, URIRef

from pantarhei.model.term import RDF_TYPE, Term, Triple, short
from pantarhei.owl.axiom import SWRL, PropertyKind
from pantarhei.owl.expression_mapping import (
    EXPRESSION_PREDICATES,
    NameKinds,
    TripleIndex,
    prefixed,
    triple_key,
)
from pantarhei.owl.manchester import AsideAnnotation
from pantarhei.owl.name_kinds import (
    HEADER_PREDICATES,
    LIST_PREDICATES,
    SCHEMA_TYPES,
    is_declaration,
    is_defined,
    is_part_of_a_list,
    is_reserved,
)

_DEEPEST = 200
_WRITING = frozenset({*EXPRESSION_PREDICATES, OWL.onDatatype, OWL.inverseOf, URIRef(f"{RDF}langRange")})
_OF_SETS: frozenset[Term] = frozenset(
    {
        OWL.intersectionOf,
        OWL.unionOf,
        OWL.oneOf,
        OWL.withRestrictions,
        OWL.disjointUnionOf,
        OWL.hasKey,
        OWL.members,
        OWL.distinctMembers,
    }
)
_SYMMETRIC: frozenset[Term] = frozenset(
    {
        OWL.equivalentClass,
        OWL.disjointWith,
        OWL.equivalentProperty,
        OWL.propertyDisjointWith,
        OWL.inverseOf,
        OWL.sameAs,
        OWL.differentFrom,
    }
)


class Structures:
    """Structural equality of the terms of one graph. A key is computed once, from the triples that the term
    leads to.

    Two blank nodes are structurally equal if both write the same constructor with structurally equal parts.
    The order of operands is ignored; the order of property chains and of lists in data is not. Types such as
    `a owl:Restriction` are ignored. Symmetric axioms, such as disjointness, are equal if their sides are
    exchanged. An anonymous individual is equal only to itself. Source: OWL 2 structural specification,
    section 2.1.
    """

    def __init__(self, index: TripleIndex) -> None:
        self._index = index
        self._keys: dict[tuple[Term, bool], Hashable] = {}
        self._axioms: dict[Term, frozenset[tuple[Hashable, Hashable]]] = {}

    def has_equal(self, subject: Term, predicate: URIRef, object: Term) -> bool:
        """True if the graph has a triple with this predicate whose subject and object are structurally equal
        to the given ones.
        """
        if object in self._index.objects(subject, predicate):
            return True
        is_symmetric = predicate in _SYMMETRIC
        if not (is_symmetric or isinstance(subject, BNode) or isinstance(object, BNode)):
            return False
        found = self._axioms.get(predicate)
        if found is None:
            triples = self._index.with_predicate(predicate)
            found = self._axioms[predicate] = frozenset(
                (self.key(s, predicate), self.key(o, predicate)) for s, _, o in triples
            )
        sides = self.key(subject, predicate), self.key(object, predicate)
        return sides in found or (is_symmetric and sides[::-1] in found)

    def key(self, term: Term, role: Term, depth: int = 0) -> Hashable:
        """Return a value that is equal for structurally equal terms only.

        Args:
            role: the property that has the term as object. It determines whether the order of a list is
                ignored.
        """
        if not isinstance(term, BNode) or depth > _DEEPEST:
            return term
        cache_key = term, role in _OF_SETS
        found = self._keys.get(cache_key)
        if found is None:
            self._keys[cache_key] = term  # a node that leads to itself is equal only to itself
            members = self._members(term)
            if members is None:
                about = ((p, self.key(o, p, depth + 1)) for _, p, o in self._index.about(term) if writes(p))
                found = frozenset(about) or term
            else:
                keys = [self.key(member, RDF.first, depth + 1) for member in members]
                found = frozenset(keys) if role in _OF_SETS else tuple(keys)
            self._keys[cache_key] = found
        return found

    def _members(self, node: Term) -> list[Term] | None:
        """Return the members of an RDF list; None if the node is not a well-formed list."""
        members, seen = list[Term](), set[Term]()
        while node != RDF.nil:
            first, rest = self._index.objects(node, RDF.first), self._index.objects(node, RDF.rest)
            if len(first) != 1 or len(rest) != 1 or node in seen:
                return None
            seen.add(node)
            members.append(first[0])
            node = rest[0]
        return members


def writes(predicate: Term) -> bool:
    """True if triples with this predicate write parts of an expression, including facets."""
    return predicate in _WRITING or (isinstance(predicate, URIRef) and predicate.startswith(str(XSD)))


_IDLE = "not part of any axiom"
SHACL = Namespace("http://www.w3.org/ns/shacl#")
_REIFIED = frozenset({OWL.Axiom, OWL.Annotation})
_ANNOTATED = (OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget)
_REIFYING = frozenset({RDF.type, *_ANNOTATED})
_ABOUT_INDIVIDUALS = frozenset({OWL.sameAs, OWL.differentFrom})
_DECLARING = frozenset({RDF.type, *HEADER_PREDICATES})


@dataclass(frozen=True, slots=True)
class Leftover:
    """Triples that cannot be read as an axiom, the construct they seem to write, and the reason.

    Args:
        aside: the annotation that the triples write, if its axiom is missing.
    """

    construct: str
    triples: tuple[Triple, ...]
    reason: str
    aside: AsideAnnotation | None = None

    @property
    def is_idle(self) -> bool:
        """True if the triples write an expression or list that is not used."""
        return self.reason == _IDLE and all(map(_is_part_of_an_expression, self.triples))

    def __str__(self) -> str:
        if self.aside is not None:
            return self.aside.text()
        subject, predicate, object_ = self.triples[0]
        more = f" and {len(self.triples) - 1} more" if len(self.triples) > 1 else ""
        return f"{short(subject)} {short(predicate)} {short(object_)}{more}"


def sort_remainder(
    index: TripleIndex,
    vocabulary: NameKinds,
    used: Iterable[Triple],
    failed: Iterable[tuple[Triple, str]],
    schema_names: frozenset[Term],
) -> Remainder:
    """Classify each triple outside axioms.

    Args:
        used: the triples of axioms.
        failed: the main triples of axioms that could not be read, with the reasons.
        schema_names: the classes and properties in axioms.
    """
    remainder = Remainder(index, vocabulary, frozenset(used), schema_names)
    remainder.classify_failures(failed)
    remainder.classify_reified_annotations()
    remainder.classify_shapes()
    remainder.classify_rest()
    remainder.classify_lists()
    remainder.classify_structures()
    return remainder


def _is_part_of_an_expression(triple: Triple) -> bool:
    """True if the triple is part of a list, or of an anonymous expression."""
    subject, predicate, object_ = triple
    if is_part_of_a_list(triple):
        return True
    is_typing = is_declaration(triple) or (predicate, object_) == (RDF.type, OWL.Restriction)
    return isinstance(subject, BNode) and (is_typing or predicate in EXPRESSION_PREDICATES)


@dataclass(slots=True)
class Remainder:
    """Triples outside axioms by kind. Create it with `sort_remainder`."""

    index: TripleIndex
    vocabulary: NameKinds
    used: frozenset[Triple]
    schema_names: frozenset[Term]
    assertions: set[Triple] = field(default_factory=set)
    declarations: set[Triple] = field(default_factory=set)
    annotations: set[Triple] = field(default_factory=set)
    leftovers: list[Leftover] = field(default_factory=list)
    classified: set[Triple] = field(init=False)  # triples of axioms, and triples classified so far
    reserved: frozenset[Term] = field(init=False)
    swrl_terms: frozenset[Term] = field(init=False)
    shacl_terms: frozenset[Term] = field(init=False)

    def __post_init__(self) -> None:
        self.classified = set(self.used)
        iris = [term for term in self.index.terms if isinstance(term, URIRef)]
        self.reserved = frozenset(filter(self._is_reserved, iris))
        self.swrl_terms = frozenset(iri for iri in iris if _is_in(SWRL, iri))
        self.shacl_terms = frozenset(iri for iri in iris if _is_in(SHACL, iri))

    def classify_failures(self, failed: Iterable[tuple[Triple, str]]) -> None:
        """Classify each axiom that could not be read as one leftover, including its blank nodes."""
        for triple, reason in failed:
            written = [t for t in self.index.about(triple[0]) if triple[2] == SWRL.Imp and _is_in(SWRL, t[1])]
            parts = [*written, *self.index.reachable([triple[0], triple[2], *(t[2] for t in written)])]
            self._add_leftover(_construct(triple), triple, filter(self._is_structural, parts), reason)

    def classify_reified_annotations(self) -> None:
        """Classify annotations of axioms (`owl:Axiom`) as annotations if the ontology contains the axiom.

        Such an annotation may repeat the expressions of its axiom with blank nodes of its own.
        """
        structures = Structures(self.index)
        for node, _, type_ in self.index.with_predicate(RDF.type):
            if type_ not in _REIFIED:
                continue
            about = list(self.index.about(node))
            if type_ == OWL.Annotation or self._annotated(node, structures):
                ends = [o for _, p, o in about if p in _ANNOTATED]
                copied = self.index.reachable(ends)
                about += (t for t in copied if self._is_structural(t) or writes(t[1]))
                self.annotations |= set(about) - self.classified
                self.classified |= set(about)
            else:
                ends = [next(iter(self.index.objects(node, each)), node) for each in _ANNOTATED]
                given = (p for _, p, _ in sorted(about, key=triple_key) if p not in _REIFYING)
                aside = AsideAnnotation(tuple(dict.fromkeys(given)), *ends[:2])
                reason = "annotates an axiom that the ontology does not contain"
                copied = filter(self._is_structural, self.index.reachable(ends[::2]))
                parts = [*about, *copied]
                self._add_leftover("annotation of an axiom", (node, RDF.type, type_), parts, reason, aside)

    def _annotated(self, node: Term, structures: Structures) -> bool:
        parts = [self.index.objects(node, predicate) for predicate in _ANNOTATED]
        if any(len(part) != 1 for part in parts):
            return False
        subject, predicate, object_ = (part[0] for part in parts)
        return isinstance(predicate, URIRef) and structures.has_equal(subject, predicate, object_)

    def classify_shapes(self) -> None:
        """Classify the structures referred to by SHACL properties, such as the lists of `sh:or`, as
        annotations: they are outside OWL.
        """
        starts = [o for predicate in self.shacl_terms for _, _, o in self.index.with_predicate(predicate)]
        parts = set(self.index.reachable(starts)) - self.classified
        self.annotations |= parts
        self.classified |= parts

    def classify_structures(self) -> None:
        """Classify each unused expression or list as one leftover, beginning at its root if it has one."""
        rest = [t for t in self.index.triples if self._is_structural(t) and t not in self.classified]
        inner = {o for _, _, o in rest if isinstance(o, BNode)}
        for triple in sorted(rest, key=lambda triple: triple[0] in inner):
            if triple not in self.classified and not is_declaration(triple):
                self._add_unused_structure(triple)

    def classify_lists(self) -> None:
        """Classify lists to which assertions refer as assertions, even if they are also lists of axioms.
        Classify other lists to which annotations refer as annotations.
        """
        written = (t for p in LIST_PREDICATES for t in self.index.with_predicate(p))
        cells = {subject for subject, _, _ in written}.union(self.index.instances(RDF.List))
        if not cells:
            return
        iris = (cell for cell in cells if isinstance(cell, URIRef))
        named = [cell for cell in iris if not self.classified.issuperset(self._cell(cell))]
        of_data = self._lists_from(self.assertions, cells, named)
        self.assertions |= of_data
        of_annotations = self._lists_from(self.annotations, cells) - of_data - self.classified
        self.annotations |= of_annotations
        self.classified |= of_data | of_annotations

    def _cell(self, node: Term) -> list[Triple]:
        return list(filter(is_part_of_a_list, self.index.about(node)))

    def _lists_from(
        self, triples: Iterable[Triple], cells: Collection[Term], nodes: Iterable[Term] = ()
    ) -> set[Triple]:
        """Return the triples of the lists that contain one of `nodes`, or a subject or object of `triples`.

        Args:
            cells: the cells of all lists.
        """
        waiting = [*nodes, *{term for s, _, o in triples for term in (s, o) if term in cells}]
        seen, found = set(waiting), set[Triple]()
        for node in waiting:
            for triple in self._cell(node):
                found.add(triple)
                if triple[2] in cells and triple[2] not in seen:
                    seen.add(triple[2])
                    waiting.append(triple[2])
        return found

    def classify_rest(self) -> None:
        """Classify the remaining triples as declarations, annotations and assertions."""
        annotated, headers = self._annotated_nodes(), self._typed((OWL.Ontology,))
        schema = self.schema_names | {s for s in self._typed(SCHEMA_TYPES) if isinstance(s, URIRef)}
        kinds = self.vocabulary.kinds
        known = {p for p, kind in kinds.items() if kind is not PropertyKind.ANNOTATION}
        known |= self._typed((RDF.Property,))
        for predicate in self.index.predicates():
            rest = set(self.index.with_predicate(predicate)) - self.classified
            if predicate in _DECLARING:
                declarations = set(filter(is_declaration, rest))
                self.declarations |= declarations
                rest -= declarations
            if predicate in self.reserved or predicate in self.swrl_terms or predicate == RDF_TYPE:
                rest = {triple for triple in rest if not self._is_structural(triple)}
            if kinds.get(predicate) is PropertyKind.ANNOTATION or predicate in self.shacl_terms:
                self.annotations |= rest
                continue
            is_known = predicate in known or _is_in(str(RDF), predicate)
            for triple in rest:
                subject, _, object_ = triple
                is_about_schema = not is_known and (subject in headers or subject in schema)
                if is_about_schema or subject in annotated or object_ in self.shacl_terms:
                    self.annotations.add(triple)
                else:
                    self.assertions.add(triple)

    def _annotated_nodes(self) -> set[Term]:
        """Return the nodes whose other triples can only be annotations: nodes of axioms, shapes and rules."""
        nodes: set[Term] = {
            subject
            for subject, predicate, object_ in self.used
            if isinstance(subject, BNode)
            and not is_part_of_a_list((subject, predicate, object_))
            and not _has_individual_as_subject(predicate, object_)
        }
        nodes |= self._typed(self.shacl_terms)
        return nodes | self._typed((SWRL.Imp,))

    def _typed(self, types: Iterable[Term]) -> set[Term]:
        return {subject for type_ in types for subject in self.index.instances(type_)}

    def _is_structural(self, triple: Triple) -> bool:
        """True if the triple writes part of an expression, a list or a rule, so that it is not
        an assertion.
        """
        _, predicate, object_ = triple
        if predicate in self.swrl_terms or object_ in self.swrl_terms:
            return not is_declaration(triple)
        if predicate == RDF_TYPE:
            return object_ in self.reserved or isinstance(object_, Literal)
        return predicate in self.reserved

    def _is_reserved(self, term: Term) -> bool:
        """True if the name belongs to the OWL, RDF or RDFS vocabulary, and was not added to it by the
        ontology.
        """
        return is_reserved(term) and (is_defined(term) or term not in self.schema_names)

    def _add_unused_structure(self, triple: Triple) -> None:
        """Classify an unused expression or list with all its triples as one leftover."""
        subject, written = triple[0], self.index.about(triple[0])
        parts = [t for t in written if isinstance(subject, BNode) or t[1] in EXPRESSION_PREDICATES]
        parts += self.index.reachable([triple[2], *(t[2] for t in parts)])
        self._add_leftover(_construct(triple), triple, filter(self._is_structural, parts), _IDLE)

    def _add_leftover(
        self,
        construct: str,
        first: Triple,
        others: Iterable[Triple],
        reason: str,
        aside: AsideAnnotation | None = None,
    ) -> None:
        triples = [
            t for t in dict.fromkeys([first, *sorted(others, key=triple_key)]) if t not in self.classified
        ]
        if triples:
            self.classified |= set(triples)
            self.leftovers.append(Leftover(construct, tuple(triples), reason, aside))


def _has_individual_as_subject(predicate: Term, object_: Term) -> bool:
    """True if the subject of such a triple is an individual, and not the node of an axiom or expression."""
    if predicate == RDF_TYPE:
        return not is_reserved(object_)
    return predicate in _ABOUT_INDIVIDUALS


def _is_in(namespace: str, term: Term) -> bool:
    return isinstance(term, URIRef) and term.startswith(namespace)


def _construct(triple: Triple) -> str:
    """Return the name of the construct that a triple seems to write: `rdfs:subClassOf`,
    `owl:AllDisjointClasses`, …
    """
    if triple[1] == RDF.type and triple[2] == SWRL.Imp:
        return "SWRL rule"
    return prefixed(triple[2] if triple[1] == RDF.type and isinstance(triple[2], URIRef) else triple[1])
