"""Reading of axioms and SWRL rules from triples, such that every triple is accounted for.

W3C: OWL 2 mapping to RDF graphs, section 3, tables 5 to 18. Each triple of the graph belongs to exactly one
part of the `Reading`: axiom, declaration, annotation, assertion, or leftover with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from rdflib import OWL, RDF, RDFS, BNode, Literal, URIRef, Variable

from pantarhei.model.message_text import last_part
from pantarhei.model.term import Term, Triple, short
from pantarhei.owl import axiom as owl
from pantarhei.owl.expression_mapping import (
    CONSTRUCTORS,
    ExpressionReader,
    NameKinds,
    TripleIndex,
    UnreadableError,
    prefixed,
    triple_key,
)
from pantarhei.owl.leftover import Leftover, sort_remainder
from pantarhei.owl.name_kinds import is_part_of_a_list, read_vocabulary

_VARIABLE_NAMES = ("urn:swrl#", "urn:swrl:var#")


def read_swrl_rule(read: ExpressionReader, triple: Triple) -> owl.SwrlRule:
    """Return the rule whose node is the subject of `triple`.

    SWRL (W3C member submission, 2004), section 6: a `swrl:Imp` has lists of atoms as body and head. Variables
    are the names declared as `swrl:Variable`, and the names that begin with `urn:swrl`, as written by the OWL
    API.

    Raises:
        UnreadableError: the triples do not write a rule.
    """
    rule = _RuleReader(read)
    body = tuple(map(rule.atom, read.sequence(read.only(triple[0], owl.SWRL.body, "a rule"))))
    head = tuple(map(rule.atom, read.sequence(read.only(triple[0], owl.SWRL.head, "a rule"))))
    return owl.SwrlRule(body, head)


@dataclass(slots=True)
class _RuleReader:
    """Reader of the atoms of one rule. It assigns names to the rule's variables."""

    read: ExpressionReader
    variables: dict[Term, Variable] = field(default_factory=dict)

    def atom(self, node: Term) -> owl.SwrlAtom:
        types = [type_ for type_ in self.read.index.objects(node, RDF.type) if type_ in _ATOMS]
        if len(types) != 1:
            found = ", ".join(map(short, types)) or "none"
            raise UnreadableError(f"an atom of a rule needs exactly one kind of atom, found {found}")
        self.read.used.add((node, RDF.type, types[0]))
        return _ATOMS[types[0]](self, node)

    def class_atom(self, node: Term) -> owl.SwrlAtom:
        type_ = self.part(node, owl.SWRL.classPredicate)
        if isinstance(type_, URIRef) and self.read.vocabulary.is_datatype(type_):
            return owl.DataRangeAtom(self.read.data_range(type_), self.argument(node, owl.SWRL.argument1))
        return owl.ClassAtom(self.read.class_expression(type_), self.individual(node, owl.SWRL.argument1))

    def data_range_atom(self, node: Term) -> owl.SwrlAtom:
        range_ = self.read.data_range(self.part(node, owl.SWRL.dataRange))
        return owl.DataRangeAtom(range_, self.argument(node, owl.SWRL.argument1))

    def property_atom(self, node: Term) -> owl.SwrlAtom:
        on = self.read.property(self.part(node, owl.SWRL.propertyPredicate))
        return owl.PropertyAtom(
            on, self.individual(node, owl.SWRL.argument1), self.argument(node, owl.SWRL.argument2)
        )

    def pair(self, node: Term) -> tuple[owl.SwrlArgument, owl.SwrlArgument]:
        return self.individual(node, owl.SWRL.argument1), self.individual(node, owl.SWRL.argument2)

    def built_in_atom(self, node: Term) -> owl.SwrlAtom:
        name = self.part(node, owl.SWRL.builtin)
        if not isinstance(name, URIRef):
            raise UnreadableError(f"{name.n3()} where the name of a built-in is expected")
        return owl.BuiltInAtom(
            name, tuple(map(self.named, self.read.sequence(self.part(node, owl.SWRL.arguments))))
        )

    def part(self, node: Term, predicate: URIRef) -> Term:
        return self.read.only(node, predicate, "an atom of a rule")

    def argument(self, node: Term, place: URIRef) -> owl.SwrlArgument:
        return self.named(self.part(node, place))

    def individual(self, node: Term, place: URIRef) -> owl.SwrlArgument:
        return self.named(self.read.individual(self.part(node, place)))

    def named(self, term: Term) -> owl.SwrlArgument:
        """Return the variable that `term` represents, or `term` itself."""
        if not self._is_variable(term):
            return term
        if term not in self.variables:
            self.variables[term] = self._name(term)
        return self.variables[term]

    def _is_variable(self, term: Term) -> bool:
        if owl.SWRL.Variable in self.read.index.objects(term, RDF.type):
            return True
        return isinstance(term, URIRef) and str(term).startswith(_VARIABLE_NAMES)

    def _name(self, term: Term) -> Variable:
        """Return the last part of the variable's IRI, with a number appended if another variable has that
        name.
        """
        local = "" if isinstance(term, BNode) else last_part(term).rpartition(":")[2].lstrip("_")
        taken, number, name = set(self.variables.values()), 1, local or "v"
        while Variable(name) in taken:
            number += 1
            name = f"{local or 'v'}_{number}"
        return Variable(name)


_ATOMS: dict[Term, Callable[[_RuleReader, Term], owl.SwrlAtom]] = {
    owl.SWRL.ClassAtom: _RuleReader.class_atom,
    owl.SWRL.DataRangeAtom: _RuleReader.data_range_atom,
    owl.SWRL.IndividualPropertyAtom: _RuleReader.property_atom,
    owl.SWRL.DatavaluedPropertyAtom: _RuleReader.property_atom,
    owl.SWRL.SameIndividualAtom: lambda rule, node: owl.SameAtom(*rule.pair(node)),
    owl.SWRL.DifferentIndividualsAtom: lambda rule, node: owl.DifferentAtom(*rule.pair(node)),
    owl.SWRL.BuiltinAtom: _RuleReader.built_in_atom,
}


@dataclass(frozen=True, slots=True)
class Reading:
    """Classification of the triples of a graph.

    Args:
        axioms: statements that are not single facts, in the order of their main triples.
        main_triples: for each axiom the triple that identifies it; other triples write its expressions.
        assertions: memberships in named classes, and values of properties; also lists among these values,
            which can be lists of axioms too.
        declarations: triples that declare the kind of a name, and the ontology header.
        annotations: documentation of names and axioms.
        leftovers: triples that cannot be read as an axiom, with the reason.
        axiom_triples: the triples that write `axioms`.
    """

    axioms: tuple[owl.Axiom, ...]
    main_triples: tuple[Triple, ...]
    assertions: frozenset[Triple]
    declarations: frozenset[Triple]
    annotations: frozenset[Triple]
    leftovers: tuple[Leftover, ...]
    axiom_triples: frozenset[Triple]

    def check_invariants(self, graph: Iterable[Triple]) -> None:
        """Assert that each triple of `graph` is in exactly one part; only lists of axioms can be assertions
        too.
        """
        parts = [self.assertions, self.declarations, self.annotations, self.axiom_triples]
        parts.append(frozenset(t for leftover in self.leftovers for t in leftover.triples))
        union = frozenset().union(*parts)
        assert union == frozenset(graph), "a triple is not accounted for"
        other = frozenset().union(*parts[1:])
        shared = filter(is_part_of_a_list, self.assertions & other)
        assert len(union) == sum(map(len, parts)) - len(list(shared)), "a triple is accounted for twice"


def read_axioms(graph: Iterable[Triple]) -> Reading:
    """Return the axioms of `graph`, and the classification of its other triples.

    >>> EX = "http://example.org/"
    >>> reading = read_axioms([(URIRef(EX + "A"), RDFS.subClassOf, URIRef(EX + "B"))])
    >>> [str(axiom) for axiom in reading.axioms]
    ['SubClassOf(A B)']
    """
    index = TripleIndex(graph)
    reader = _AxiomReader(index, read_vocabulary(index))
    for predicate, read in _BY_PREDICATE.items():
        for triple in index.with_predicate(predicate):
            reader.read(triple, read)
    for triple in index.with_predicate(RDF.type):
        if read_typed := _BY_TYPE.get(triple[2]):
            reader.read(triple, read_typed)
        elif isinstance(triple[2], BNode):
            reader.read(triple, _class_assertion)
    used, names = frozenset(reader.used), frozenset(reader.classes | reader.properties)
    rest = sort_remainder(index, reader.vocabulary, used, reader.failed, names)
    axioms: dict[owl.Axiom, Triple] = {}
    for triple, axiom in sorted(reader.axioms, key=lambda read: triple_key(read[0])):
        axioms.setdefault(axiom, triple)
    return Reading(
        tuple(axioms),
        tuple(axioms.values()),
        frozenset(rest.assertions),
        frozenset(rest.declarations),
        frozenset(rest.annotations),
        tuple(rest.leftovers),
        used,
    )


Read = Callable[[ExpressionReader, Triple], owl.Axiom]


class _NotHereError(Exception):
    """The triple is not an axiom of the kind tried, but part of an expression or an annotation."""


class _AxiomReader:
    """Collects axioms, their triples, and the triples that could not be read as axioms."""

    def __init__(self, index: TripleIndex, vocabulary: NameKinds) -> None:
        self.index = index
        self.vocabulary = vocabulary
        self.axioms: list[tuple[Triple, owl.Axiom]] = []
        self.used: set[Triple] = set()
        self.failed: list[tuple[Triple, str]] = []
        self.classes: set[Term] = set()
        self.properties: set[Term] = set()

    def read(self, triple: Triple, read: Read) -> None:
        expressions = ExpressionReader(self.index, self.vocabulary)
        try:
            axiom = read(expressions, triple)
        except _NotHereError:
            return
        except UnreadableError as error:
            self.failed.append((triple, error.reason))
            return
        self.axioms.append((triple, axiom))
        self.used |= {triple, *expressions.used}
        self.classes |= expressions.classes
        self.properties |= expressions.properties


# --- Axioms that relate subject and object of their main triple ---

P = TypeVar("P")
Q = TypeVar("Q")
Part = Callable[[ExpressionReader, Term], P]


def _individual(_: ExpressionReader, node: Term) -> Term:
    return node


def _sides(axiom: Callable[[P, Q], owl.Axiom], left: Part[P], right: Part[Q]) -> Read:
    return lambda read, triple: axiom(left(read, triple[0]), right(read, triple[2]))


def _pair(axiom: Callable[[tuple[P, ...]], owl.Axiom], part: Part[P]) -> Read:
    return lambda read, triple: axiom((part(read, triple[0]), part(read, triple[2])))


def _all(axiom: Callable[[tuple[P, ...]], owl.Axiom], part: Part[P], *members: URIRef) -> Read:
    """Make a reader of an axiom whose operands are the distinct members of a list that the
    subject refers to.
    """

    def read_all(read: ExpressionReader, triple: Triple) -> owl.Axiom:
        listed = read.sequence(_member(read, triple[0], *members))
        return axiom(tuple(dict.fromkeys(part(read, node) for node in listed)))

    return read_all


_class, _property = ExpressionReader.class_expression, ExpressionReader.property


# --- Axioms about classes (table 16, and table 18 for definitions on a named class) ---


def _equivalent_class(read: ExpressionReader, triple: Triple) -> owl.Axiom:
    subject, _, object_ = triple
    if isinstance(object_, URIRef) and read.vocabulary.is_datatype(object_) and isinstance(subject, BNode):
        subject, object_ = object_, subject
    if isinstance(subject, URIRef) and (
        read.vocabulary.is_datatype(subject)
        or (isinstance(object_, BNode) and read.writes_data_range(object_))
    ):
        return owl.DatatypeDefinition(owl.Datatype(subject), read.data_range(object_))
    return owl.EquivalentClasses((read.class_expression(subject), read.class_expression(object_)))


def _disjoint_union_of(read: ExpressionReader, triple: Triple) -> owl.Axiom:
    union = read.class_expression(triple[0])
    if not isinstance(union, owl.Class):
        raise UnreadableError("owl:disjointUnionOf needs a named class")
    operands = dict.fromkeys(map(read.class_expression, read.sequence(triple[2])))
    return owl.DisjointUnion(union, tuple(operands))


def _definition(read: ExpressionReader, triple: Triple) -> owl.Axiom:
    subject, constructor = triple[0], URIRef(triple[1])
    if not isinstance(subject, URIRef):
        raise _NotHereError
    if read.vocabulary.is_datatype(subject) or read.writes_data_range(subject):
        return owl.DatatypeDefinition(owl.Datatype(subject), read.constructed_range(subject, constructor))
    definition = read.constructed_class(subject, constructor)
    return owl.EquivalentClasses((read.class_expression(subject), definition))


def _named_restriction(read: ExpressionReader, triple: Triple) -> owl.Axiom:
    if not isinstance(triple[0], URIRef):
        raise _NotHereError
    return owl.EquivalentClasses((read.class_expression(triple[0]), read.restriction(triple[0])))


def _has_key(read: ExpressionReader, triple: Triple) -> owl.Axiom:
    properties = tuple(map(read.property, read.sequence(triple[2])))
    return owl.HasKey(read.class_expression(triple[0]), properties)


# --- Axioms about properties ---


def _property_chain(read: ExpressionReader, triple: Triple) -> owl.Axiom:
    chain = tuple(map(read.property, read.sequence(triple[2])))
    if not chain:
        raise UnreadableError("a property chain without members")
    return owl.SubPropertyChainOf(chain, read.property(triple[0]))


def _inverse_of(read: ExpressionReader, triple: Triple) -> owl.Axiom:
    if not isinstance(triple[0], URIRef):
        raise _NotHereError
    return owl.InverseProperties(read.property(triple[0]), read.property(triple[2]))


def _range(read: ExpressionReader, triple: Triple) -> owl.Axiom:
    on = read.property(triple[0])
    return owl.PropertyRange(on, read.filler(triple[2], on))


def _characteristic(trait: owl.Trait) -> Read:
    return lambda read, triple: owl.Characteristic(trait, read.property(triple[0]))


# --- Axioms about individuals ---


def _class_assertion(read: ExpressionReader, triple: Triple) -> owl.Axiom:
    return owl.ClassAssertion(read.class_expression(triple[2]), triple[0])


def _negative_property_assertion(read: ExpressionReader, triple: Triple) -> owl.Axiom:
    node = triple[0]
    on: owl.PropertyExpression = read.property(_member(read, node, OWL.assertionProperty))
    subject = _member(read, node, OWL.sourceIndividual)
    value = _member(read, node, OWL.targetIndividual, OWL.targetValue)
    if isinstance(value, Literal) and isinstance(on, owl.Property):
        on = owl.Property(on.iri, owl.PropertyKind.DATA)
    return owl.NegativePropertyAssertion(on, subject, value)


def _untyped_negative_assertion(read: ExpressionReader, triple: Triple) -> owl.Axiom:
    if OWL.NegativePropertyAssertion in read.index.objects(triple[0], RDF.type):
        raise _NotHereError
    return _negative_property_assertion(read, triple)


# --- Helpers and tables ---


def _member(read: ExpressionReader, node: Term, *predicates: URIRef) -> Term:
    found = [(p, o) for p in predicates for o in read.index.objects(node, p)]
    if len(found) != 1:
        names = " or ".join(map(prefixed, predicates))
        raise UnreadableError(f"{len(found) or 'no'} values of {names}, where one is expected")
    read.used.add((node, *found[0]))
    return found[0][1]


_BY_PREDICATE: dict[URIRef, Read] = {
    RDFS.subClassOf: _sides(owl.SubClassOf, _class, _class),
    OWL.equivalentClass: _equivalent_class,
    OWL.disjointWith: _pair(owl.DisjointClasses, _class),
    OWL.disjointUnionOf: _disjoint_union_of,
    **dict.fromkeys(CONSTRUCTORS, _definition),
    **dict.fromkeys((OWL.onProperty, OWL.onProperties), _named_restriction),
    OWL.hasKey: _has_key,
    RDFS.subPropertyOf: _sides(owl.SubPropertyOf, _property, _property),
    OWL.propertyChainAxiom: _property_chain,
    OWL.equivalentProperty: _pair(owl.EquivalentProperties, _property),
    OWL.propertyDisjointWith: _pair(owl.DisjointProperties, _property),
    OWL.inverseOf: _inverse_of,
    RDFS.domain: _sides(owl.PropertyDomain, _property, _class),
    RDFS.range: _range,
    OWL.sameAs: _pair(owl.SameIndividual, _individual),
    OWL.differentFrom: _pair(owl.DifferentIndividuals, _individual),
    OWL.assertionProperty: _untyped_negative_assertion,
}
_BY_TYPE: dict[Term, Read] = {
    OWL.Nothing: _class_assertion,
    OWL.AllDisjointClasses: _all(owl.DisjointClasses, _class, OWL.members),
    OWL.AllDisjointProperties: _all(owl.DisjointProperties, _property, OWL.members),
    OWL.AllDifferent: _all(owl.DifferentIndividuals, _individual, OWL.members, OWL.distinctMembers),
    OWL.NegativePropertyAssertion: _negative_property_assertion,
    **{OWL[f"{trait.value}Property"]: _characteristic(trait) for trait in owl.Trait},
    owl.SWRL.Imp: read_swrl_rule,
}

_NAMED = "a named restriction; it is read as in the RDF-Based Semantics: the name is equivalent to it"
# Constructs outside OWL 2 DL, by the predicates of their main triples, with the note for the report.
BEYOND_DL: Final[dict[Term, str]] = {
    OWL.onProperty: _NAMED,
    OWL.onProperties: _NAMED,
    OWL.assertionProperty: "a negative assertion without its rdf:type; it is read as a negative assertion",
}

# Predicates and types of main triples.
MAIN_PREDICATES: Final = frozenset(_BY_PREDICATE)
MAIN_TYPES: Final = frozenset(_BY_TYPE)
