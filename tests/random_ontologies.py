"""Small random OWL 2 ontologies, written both as triples and in functional-style syntax.

An expression or axiom is a tuple of the constructor's name and its arguments; names and literals represent
themselves. The mapping to triples is implemented independently, so that a reader and its test share no error.
Equal seeds give equal ontologies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, count, permutations, product
from random import Random

from rdflib import OWL, RDF, RDFS, XSD, BNode, Graph, Literal, Namespace, URIRef, Variable

EX = Namespace("urn:x/")
SWRL = Namespace("http://www.w3.org/2003/11/swrl#")
CLASSES = tuple(EX[name] for name in "ABC")
OBJECT_PROPERTIES = tuple(EX[name] for name in "pqr")
DATA_PROPERTIES = tuple(EX[name] for name in "uv")
INDIVIDUALS = tuple(EX[name] for name in "abc")
DATATYPES = (XSD.integer, XSD.decimal, XSD.string, XSD.nonNegativeInteger, XSD.boolean)
VARIABLES = tuple(map(Variable, "xyz"))
VALUE = Variable("w")

_OF_SETS = (
    "EquivalentClasses",
    "DisjointClasses",
    "DisjointUnion",
    "EquivalentObjectProperties",
    "DisjointObjectProperties",
)

Node = tuple  # constructor name and arguments


def literal(form: str, datatype: URIRef = XSD.integer) -> Literal:
    return Literal(form, datatype=datatype, normalize=False)


LITERALS = (
    literal("1"),
    literal("01"),
    literal("2"),
    literal("1.0", XSD.decimal),
    literal("1.5", XSD.decimal),
    literal("1", XSD.nonNegativeInteger),
    literal("x", XSD.string),
    literal("true", XSD.boolean),
    literal("1", XSD.boolean),
)

# One lexical form for each value: HermiT treats different forms of a value as different values.
CANONICAL = {
    ("01", XSD.integer): ("1", XSD.integer),
    ("1.0", XSD.decimal): ("1", XSD.integer),
    ("1", XSD.nonNegativeInteger): ("1", XSD.integer),
    ("1", XSD.boolean): ("true", XSD.boolean),
}


# --- Generating ---


class Generator:
    """Draws expressions, axioms and assertions from a seed.

    Args:
        seed: determines all results.
        rules_only: draw class expressions mostly at positions where OWL 2 RL admits them.
    """

    def __init__(self, seed: int, rules_only: bool = False) -> None:
        self.random = Random(seed)
        self.rules_only = rules_only

    def ontology(self) -> tuple[Node, ...]:
        """Return some distinct axioms and assertions."""
        axioms = [self.axiom() for _ in range(self.random.randint(3, 8))]
        assertions = [self.assertion() for _ in range(self.random.randint(4, 12))]
        return tuple(dict.fromkeys((*axioms, *assertions)))

    def pick(self, options: Iterable) -> object:
        return self.random.choice(tuple(options))

    def class_(self) -> URIRef:
        if self.random.random() < 0.08:
            return self.pick((OWL.Thing, OWL.Nothing))
        return self.pick(CLASSES)

    def individual(self) -> URIRef:
        return self.pick(INDIVIDUALS)

    def object_property(self) -> URIRef | Node:
        named = self.pick(OBJECT_PROPERTIES)
        return ("ObjectInverseOf", named) if self.random.random() < 0.2 else named

    def data_property(self) -> URIRef:
        return self.pick(DATA_PROPERTIES)

    def literal(self) -> Literal:
        return self.pick(LITERALS)

    def data_range(self, depth: int = 0) -> URIRef | Node:
        if depth > 1 or self.random.random() < 0.35:
            return self.pick(DATATYPES)
        below = depth + 1
        match self.random.randrange(5):
            case 0:
                return self._restriction()
            case 1:
                return ("DataOneOf", *dict.fromkeys(self.literal() for _ in range(self.random.randint(1, 2))))
            case 2:
                return ("DataComplementOf", self.data_range(below))
            case 3:
                return ("DataUnionOf", self.data_range(below), self.data_range(below))
            case _:
                return ("DataIntersectionOf", self.data_range(below), self.data_range(below))

    def _restriction(self) -> Node:
        kind = self.random.randrange(3)
        if kind == 0:
            facet = self.pick((XSD.minLength, XSD.maxLength, XSD.length))
            return ("DatatypeRestriction", XSD.string, facet, literal(str(self.random.randint(0, 2))))
        facet = self.pick((XSD.minInclusive, XSD.maxInclusive, XSD.minExclusive, XSD.maxExclusive))
        if kind == 1:
            return ("DatatypeRestriction", XSD.integer, facet, literal(str(self.random.randint(0, 2))))
        bound = literal(self.pick(("0.5", "1.0", "1.5")), XSD.decimal)
        return ("DatatypeRestriction", XSD.decimal, facet, bound)

    def expression(self, depth: int = 0) -> URIRef | Node:
        """Return any class expression, at most two constructors deep."""
        if depth > 1 or self.random.random() < 0.3:
            return self.class_()
        return self.pick((*self._left(), *self._right(), *self._outside()))(depth + 1)

    def left(self, depth: int = 0) -> URIRef | Node:
        """Return a subclass expression of OWL 2 RL, or a slightly more general one."""
        if not self.rules_only:
            return self.expression(depth)
        if depth > 1 or self.random.random() < 0.4:
            return self.class_()
        return self.pick(self._left())(depth + 1)

    def right(self, depth: int = 0) -> URIRef | Node:
        """Return a superclass expression of OWL 2 RL."""
        if not self.rules_only:
            return self.expression(depth)
        if depth > 1 or self.random.random() < 0.4:
            return self.class_()
        return self.pick(self._right())(depth + 1)

    def _left(self) -> tuple[Callable[[int], Node], ...]:
        return (
            lambda d: ("ObjectIntersectionOf", self.left(d), self.left(d)),
            lambda d: ("ObjectUnionOf", self.left(d), self.left(d)),
            lambda d: (
                "ObjectOneOf",
                *dict.fromkeys(self.individual() for _ in range(self.random.randint(1, 2))),
            ),
            lambda d: ("ObjectSomeValuesFrom", self.object_property(), self.left(d)),
            lambda d: ("DataSomeValuesFrom", self.data_property(), self.data_range()),
            lambda d: ("ObjectHasValue", self.object_property(), self.individual()),
            lambda d: ("DataHasValue", self.data_property(), self.literal()),
            lambda d: ("ObjectHasSelf", self.pick(OBJECT_PROPERTIES)),
            lambda d: ("ObjectMinCardinality", 1, self.object_property(), self.left(d)),
            lambda d: ("DataMinCardinality", 1, self.data_property()),
        )

    def _right(self) -> tuple[Callable[[int], Node], ...]:
        bound = self.random.randint
        return (
            lambda d: ("ObjectIntersectionOf", self.right(d), self.right(d)),
            lambda d: ("ObjectComplementOf", self.left(d)),
            lambda d: ("ObjectAllValuesFrom", self.object_property(), self.right(d)),
            lambda d: ("DataAllValuesFrom", self.data_property(), self.data_range()),
            lambda d: ("ObjectHasValue", self.object_property(), self.individual()),
            lambda d: ("DataHasValue", self.data_property(), self.literal()),
            lambda d: ("ObjectMaxCardinality", bound(0, 1), self.object_property()),
            lambda d: ("ObjectMaxCardinality", bound(0, 1), self.object_property(), self.left(d)),
            lambda d: ("DataMaxCardinality", bound(0, 1), self.data_property()),
            lambda d: ("DataMaxCardinality", bound(0, 1), self.data_property(), self.data_range()),
        )

    def _outside(self) -> tuple[Callable[[int], Node], ...]:
        number = self.random.randint
        return (
            lambda d: (self._bound("Object"), number(0, 2), self.object_property()),
            lambda d: (self._bound("Object"), number(0, 2), self.object_property(), self.left(d)),
            lambda d: (self._bound("Data"), number(0, 2), self.data_property()),
            lambda d: (self._bound("Data"), number(0, 2), self.data_property(), self.data_range()),
        )

    def _bound(self, kind: str) -> str:
        return kind + self.pick(("Min", "Max", "Exact")) + "Cardinality"

    def axiom(self) -> Node:
        """Return an axiom; operands that form a set are distinct."""
        while True:
            drawn = self._axiom()
            if drawn[0] not in _OF_SETS or len(set(drawn[1:])) == len(drawn) - 1:
                return drawn

    def _axiom(self) -> Node:
        if self.random.random() < 0.45:
            return self._class_axiom()
        if self.random.random() < 0.1:
            return self._rule()
        return self.pick(self._property_axioms())()

    def _class_axiom(self) -> Node:
        match self.random.randrange(7):
            case 0:
                return ("EquivalentClasses", self.left(), self.pick((self.left, self.right))())
            case 1:
                return ("DisjointClasses", self.left(), self.left())
            case 2:
                return ("DisjointUnion", self.pick(CLASSES), self.left(), self.left())
            case _:
                return ("SubClassOf", self.left(), self.right())

    def _property_axioms(self) -> tuple[Callable[[], Node], ...]:
        p, u = self.object_property, self.data_property
        traits = ("Functional", "InverseFunctional", "Reflexive", "Irreflexive", "Symmetric", "Asymmetric")
        return (
            lambda: ("SubObjectPropertyOf", p(), p()),
            lambda: ("SubObjectPropertyOf", ("ObjectPropertyChain", p(), p()), p()),
            lambda: ("EquivalentObjectProperties", p(), p()),
            lambda: ("DisjointObjectProperties", p(), p()),
            lambda: ("InverseObjectProperties", self.pick(OBJECT_PROPERTIES), p()),
            lambda: ("ObjectPropertyDomain", p(), self.right()),
            lambda: ("ObjectPropertyRange", p(), self.right()),
            lambda: (self.pick(traits) + "ObjectProperty", p()),
            lambda: (self.pick(traits) + "ObjectProperty", p()),
            lambda: ("TransitiveObjectProperty", p()),
            lambda: ("SubDataPropertyOf", *DATA_PROPERTIES),
            lambda: ("EquivalentDataProperties", *DATA_PROPERTIES),
            lambda: ("DisjointDataProperties", *DATA_PROPERTIES),
            lambda: ("DataPropertyDomain", u(), self.right()),
            lambda: ("DataPropertyRange", u(), self.data_range()),
            lambda: ("FunctionalDataProperty", u()),
            lambda: self.pick(
                (
                    ("HasKey", self.left(), (p(),), ()),
                    ("HasKey", self.left(), (), (u(),)),
                    ("HasKey", self.left(), (p(),), (u(),)),
                )
            ),
        )

    def _rule(self) -> Node:
        body = [self._atom(self.pick(VARIABLES[:2]), self.pick(VARIABLES)) for _ in range(2)]
        if self.random.random() < 0.3:
            body.append(("DataPropertyAtom", self.data_property(), self.pick(VARIABLES), VALUE))
            if self.random.random() < 0.6:
                body.append(("DataRangeAtom", self.data_range(), VALUE))
        known = sorted({a for atom in body for a in atom[1:] if a in VARIABLES})
        head = self._atom(self.pick(known), self.pick(known), head=True)
        return ("DLSafeRule", ("Body", *body), ("Head", head))

    def _atom(self, first: Variable, second: Variable, head: bool = False) -> Node:
        match self.random.randrange(5):
            case 0 | 1:
                return ("ClassAtom", self.pick(CLASSES), first)
            case 2 | 3:
                return ("ObjectPropertyAtom", self.pick(OBJECT_PROPERTIES), first, second)
            case _ if head:
                return (self.pick(("SameIndividualAtom", "DifferentIndividualsAtom")), first, second)
            case _:
                return ("ObjectPropertyAtom", self.pick(OBJECT_PROPERTIES), first, self.individual())

    def assertion(self) -> Node:
        i, j = self.random.sample(INDIVIDUALS, 2)
        any_ = self.individual()
        match self.random.randrange(13):
            case 0 | 1 | 2:
                return ("ClassAssertion", self.pick(CLASSES), i)
            case 3:
                return ("ClassAssertion", self.right(), i)
            case 4 | 5 | 6:
                return ("ObjectPropertyAssertion", self.pick(OBJECT_PROPERTIES), i, any_)
            case 7 | 8:
                return ("DataPropertyAssertion", self.data_property(), i, self.literal())
            case 9:
                return ("SameIndividual", i, j)
            case 10:
                return ("DifferentIndividuals", i, j)
            case 11:
                return ("NegativeObjectPropertyAssertion", self.object_property(), i, any_)
            case _:
                return ("NegativeDataPropertyAssertion", self.data_property(), i, self.literal())

    def question(self) -> Node:
        """Return an axiom or an assertion for an entailment test; never a rule or a key."""
        while True:
            asked = self.assertion() if self.random.random() < 0.3 else self.axiom()
            if asked[0] not in ("DLSafeRule", "HasKey"):
                return asked


def ground_questions(axioms: Iterable[Node]) -> Iterator[Node]:
    """Yield every assertion over the names, with the literals of the axioms."""
    values = [leaf for leaf in dict.fromkeys(leaves(tuple(axioms))) if isinstance(leaf, Literal)]
    yield from (("ClassAssertion", c, i) for c, i in product(CLASSES, INDIVIDUALS))
    yield from (
        ("ObjectPropertyAssertion", p, i, j)
        for p, i, j in product(OBJECT_PROPERTIES, INDIVIDUALS, INDIVIDUALS)
    )
    yield from (
        ("DataPropertyAssertion", u, i, v) for u, i, v in product(DATA_PROPERTIES, INDIVIDUALS, values)
    )
    for pair in combinations(INDIVIDUALS, 2):
        yield ("SameIndividual", *pair)
        yield ("DifferentIndividuals", *pair)


def schema_questions() -> Iterator[Node]:
    """Yield every axiom between the names."""
    yield from (("SubClassOf", *pair) for pair in permutations(CLASSES, 2))
    yield from (("DisjointClasses", *pair) for pair in combinations(CLASSES, 2))
    yield from (("SubClassOf", c, OWL.Nothing) for c in CLASSES)
    yield from (("SubObjectPropertyOf", *pair) for pair in permutations(OBJECT_PROPERTIES, 2))
    yield from (("SubDataPropertyOf", *pair) for pair in permutations(DATA_PROPERTIES, 2))
    for p, c in product(OBJECT_PROPERTIES, CLASSES):
        yield ("ObjectPropertyDomain", p, c)
        yield ("ObjectPropertyRange", p, c)
    yield from (("DataPropertyDomain", u, c) for u, c in product(DATA_PROPERTIES, CLASSES))
    yield from (("DataPropertyRange", u, d) for u, d in product(DATA_PROPERTIES, DATATYPES))


# --- Properties of axioms ---


def leaves(node: object) -> Iterator[object]:
    if isinstance(node, tuple):
        for part in node:
            yield from leaves(part)
    else:
        yield node


def constructors(node: object) -> frozenset[str]:
    """Return the names of all constructors in an axiom, or in several."""
    return frozenset(leaf for leaf in leaves(node) if type(leaf) is str)


def is_fact(axiom: Node) -> bool:
    """True if the axiom is one triple about individuals."""
    if axiom[0] == "ClassAssertion":
        return not isinstance(axiom[1], tuple)
    return axiom[0] in (
        "ObjectPropertyAssertion",
        "DataPropertyAssertion",
        "SameIndividual",
        "DifferentIndividuals",
    )


def canonical(term: object) -> object:
    """Return the canonical literal of a literal's value; other terms are unchanged."""
    if not isinstance(term, Literal):
        return term
    return CANONICAL.get((str(term), term.datatype), (str(term), term.datatype))


def complex_roles(axioms: Iterable[Node]) -> frozenset[URIRef]:
    """Return the object properties that follow from a chain or are transitive (OWL 2, section 11.1)."""
    axioms = tuple(axioms)
    found = {_named(axiom[1]) for axiom in axioms if axiom[0] == "TransitiveObjectProperty"}
    found |= {_named(axiom[2]) for axiom in axioms if _is_chain(axiom)}
    links = [link for axiom in axioms for link in _links(axiom)]
    for _ in links:
        found |= {above for below, above in links if below in found}
    return frozenset(found)


def is_outside_dl(axioms: Iterable[Node]) -> bool:
    """True if a complex role is used in a rule, or where OWL 2, section 11.2 requires a simple one."""
    axioms = tuple(axioms)
    complex_ = complex_roles(axioms)
    return any(_needs_simple(axiom) & complex_ for axiom in axioms)


_SIMPLE = (
    "ObjectHasSelf",
    "ObjectMinCardinality",
    "ObjectMaxCardinality",
    "ObjectExactCardinality",
    "FunctionalObjectProperty",
    "InverseFunctionalObjectProperty",
    "IrreflexiveObjectProperty",
    "AsymmetricObjectProperty",
    "DisjointObjectProperties",
    "ObjectPropertyAtom",
)


def _needs_simple(node: object) -> frozenset[URIRef]:
    """Return the object properties that must be simple for the axiom to be in OWL 2 DL."""
    if not isinstance(node, tuple):
        return frozenset()
    below = frozenset().union(*map(_needs_simple, node))
    if node and type(node[0]) is str and node[0] in _SIMPLE:
        named = {_named(part) for part in node[1:] if isinstance(part, URIRef | tuple)}
        return below | (named & set(OBJECT_PROPERTIES))
    return below


def _is_chain(axiom: Node) -> bool:
    return axiom[0] == "SubObjectPropertyOf" and axiom[1][0] == "ObjectPropertyChain"


def _links(axiom: Node) -> Iterator[tuple[URIRef, URIRef]]:
    """Yield the pairs of roles such that the second is complex if the first is."""
    if axiom[0] == "SubObjectPropertyOf" and not _is_chain(axiom):
        yield _named(axiom[1]), _named(axiom[2])
    elif axiom[0] in ("EquivalentObjectProperties", "InverseObjectProperties"):
        yield from permutations(map(_named, axiom[1:]))


def _named(expression: object) -> object:
    is_inverse = isinstance(expression, tuple) and expression[0] == "ObjectInverseOf"
    return expression[1] if is_inverse else expression


# --- Writing: functional-style syntax ---


def functional(axioms: Iterable[Node], name: str = "urn:o", numbered: bool = False) -> str:
    """Return a document in functional-style syntax, with declarations.

    Args:
        numbered: annotate each axiom with its index as comment.
    """
    lines = [f"Declaration({kind}({_written(iri)}))" for kind, iri in _declared()]
    written = list(map(_written, axioms))
    if numbered:
        comment = f"Annotation({_written(RDFS.comment)} "
        written = [text.replace("(", f'({comment}"{i}") ', 1) for i, text in enumerate(written)]
    return "\n".join((f"Ontology(<{name}>", *lines, *written, ")"))


def _declared() -> Iterator[tuple[str, URIRef]]:
    yield from (("Class", iri) for iri in CLASSES)
    yield from (("ObjectProperty", iri) for iri in OBJECT_PROPERTIES)
    yield from (("DataProperty", iri) for iri in DATA_PROPERTIES)
    yield from (("NamedIndividual", iri) for iri in INDIVIDUALS)


def _written(node: object) -> str:
    match node:
        case tuple() if node and type(node[0]) is str:
            return f"{node[0]}({' '.join(map(_written, node[1:]))})"
        case tuple():
            return f"({' '.join(map(_written, node))})"
        case Variable():
            return f"Variable(<urn:swrl#{node}>)"
        case Literal():
            form, datatype = canonical(node)
            return f'"{form}"^^<{datatype}>'
        case URIRef():
            return f"<{node}>"
        case BNode():
            return f"_:{node}"
    return str(node)


# --- Writing: triples ---


def graph(axioms: Iterable[Node]) -> Graph:
    """Return the axioms as triples (W3C: OWL 2 Mapping to RDF Graphs, section 2), with declarations."""
    return _Triples().document(axioms)


def triples(axioms: Iterable[Node]) -> list[tuple]:
    """Return the axioms as triples, without declarations."""
    writer = _Triples("asked")
    for axiom in axioms:
        writer.axiom(axiom)
    return list(writer.graph)


_KINDS = {
    "Class": OWL.Class,
    "ObjectProperty": OWL.ObjectProperty,
    "DataProperty": OWL.DatatypeProperty,
    "NamedIndividual": OWL.NamedIndividual,
}
_BINARY = {
    "SubClassOf": RDFS.subClassOf,
    "EquivalentClasses": OWL.equivalentClass,
    "DisjointClasses": OWL.disjointWith,
    "SubObjectPropertyOf": RDFS.subPropertyOf,
    "SubDataPropertyOf": RDFS.subPropertyOf,
    "EquivalentObjectProperties": OWL.equivalentProperty,
    "EquivalentDataProperties": OWL.equivalentProperty,
    "DisjointObjectProperties": OWL.propertyDisjointWith,
    "DisjointDataProperties": OWL.propertyDisjointWith,
    "InverseObjectProperties": OWL.inverseOf,
    "ObjectPropertyDomain": RDFS.domain,
    "DataPropertyDomain": RDFS.domain,
    "ObjectPropertyRange": RDFS.range,
    "DataPropertyRange": RDFS.range,
    "SameIndividual": OWL.sameAs,
    "DifferentIndividuals": OWL.differentFrom,
}
_SETS = {
    "ObjectIntersectionOf": (OWL.Class, OWL.intersectionOf),
    "ObjectUnionOf": (OWL.Class, OWL.unionOf),
    "ObjectOneOf": (OWL.Class, OWL.oneOf),
    "DataIntersectionOf": (RDFS.Datatype, OWL.intersectionOf),
    "DataUnionOf": (RDFS.Datatype, OWL.unionOf),
    "DataOneOf": (RDFS.Datatype, OWL.oneOf),
}
_ATOMS = {
    "ClassAtom": (SWRL.ClassAtom, SWRL.classPredicate),
    "DataRangeAtom": (SWRL.DataRangeAtom, SWRL.dataRange),
    "ObjectPropertyAtom": (SWRL.IndividualPropertyAtom, SWRL.propertyPredicate),
    "DataPropertyAtom": (SWRL.DatavaluedPropertyAtom, SWRL.propertyPredicate),
    "SameIndividualAtom": (SWRL.SameIndividualAtom, None),
    "DifferentIndividualsAtom": (SWRL.DifferentIndividualsAtom, None),
}


class _Triples:
    """Collects the triples of axioms."""

    def __init__(self, label: str = "n") -> None:
        self.graph, self.label = Graph(), label
        self.names = count()

    def document(self, axioms: Iterable[Node]) -> Graph:
        for kind, iri in _declared():
            self.graph.add((iri, RDF.type, _KINDS[kind]))
        for axiom in axioms:
            self.axiom(axiom)
        return self.graph

    def axiom(self, axiom: Node) -> None:
        name, *arguments = axiom
        if name == "SubObjectPropertyOf" and arguments[0][0] == "ObjectPropertyChain":
            _, *chain = arguments[0]
            self.graph.add((self.term(arguments[1]), OWL.propertyChainAxiom, self.sequence(chain)))
        elif name in _BINARY:
            first, second = map(self.term, arguments)
            self.graph.add((first, _BINARY[name], second))
        elif name == "DisjointUnion":
            self.graph.add((arguments[0], OWL.disjointUnionOf, self.sequence(arguments[1:])))
        elif name == "ClassAssertion":
            self.graph.add((arguments[1], RDF.type, self.term(arguments[0])))
        elif name.startswith("Negative"):
            self._negative(name, *arguments)
        elif name.endswith("PropertyAssertion"):
            self.graph.add((arguments[1], arguments[0], arguments[2]))
        elif name == "HasKey":
            keyed, objects, data = arguments
            self.graph.add((self.term(keyed), OWL.hasKey, self.sequence((*objects, *data))))
        elif name == "DLSafeRule":
            self._rule(*arguments)
        else:
            trait = name.replace("Object", "").replace("Data", "")
            self.graph.add((self.term(arguments[0]), RDF.type, OWL[trait]))

    def _negative(self, name: str, on: object, subject: URIRef, value: object) -> None:
        target = OWL.targetIndividual if "Object" in name else OWL.targetValue
        self.node(
            OWL.NegativePropertyAssertion,
            (OWL.sourceIndividual, subject),
            (OWL.assertionProperty, self.term(on)),
            (target, value),
        )

    def _rule(self, body: Node, head: Node) -> None:
        atoms = [[self._atom(atom) for atom in part[1:]] for part in (body, head)]
        lists = [self.sequence(part) for part in atoms]
        self.node(SWRL.Imp, (SWRL.body, lists[0]), (SWRL.head, lists[1]))

    def _atom(self, atom: Node) -> BNode:
        type_, place = _ATOMS[atom[0]]
        arguments = atom[1:]
        parts = []
        if place is not None:
            parts.append((place, self.term(arguments[0])))
            arguments = arguments[1:]
        places = (SWRL.argument1, SWRL.argument2)
        return self.node(type_, *parts, *zip(places, map(self.term, arguments), strict=False))

    def term(self, node: object) -> object:
        """Return the node that represents an expression."""
        if isinstance(node, Variable):
            variable = URIRef(f"urn:swrl#{node}")
            self.graph.add((variable, RDF.type, SWRL.Variable))
            return variable
        if not isinstance(node, tuple):
            return node
        name, *arguments = node
        if name in _SETS:
            type_, predicate = _SETS[name]
            return self.node(type_, (predicate, self.sequence(arguments)))
        match name:
            case "ObjectInverseOf":
                return self.node(None, (OWL.inverseOf, arguments[0]))
            case "ObjectComplementOf":
                return self.node(OWL.Class, (OWL.complementOf, self.term(arguments[0])))
            case "DataComplementOf":
                return self.node(RDFS.Datatype, (OWL.datatypeComplementOf, self.term(arguments[0])))
            case "DatatypeRestriction":
                datatype, facet, value = arguments
                facets = self.sequence([self.node(None, (facet, value))])
                return self.node(RDFS.Datatype, (OWL.onDatatype, datatype), (OWL.withRestrictions, facets))
            case "ObjectHasSelf":
                return self._restriction(arguments[0], (OWL.hasSelf, literal("true", XSD.boolean)))
        if name.endswith("Cardinality"):
            return self._cardinality(name, *arguments)
        kind = name.removeprefix("Object").removeprefix("Data")
        return self._restriction(arguments[0], (OWL[kind[0].lower() + kind[1:]], self.term(arguments[1])))

    def _cardinality(self, name: str, number: int, on: object, filler: object = None) -> BNode:
        bound = name.removeprefix("Object").removeprefix("Data").removesuffix("Cardinality").lower()
        value = literal(str(number), XSD.nonNegativeInteger)
        if filler is None:
            unqualified = {"min": OWL.minCardinality, "max": OWL.maxCardinality, "exact": OWL.cardinality}
            return self._restriction(on, (unqualified[bound], value))
        qualified = {
            "min": OWL.minQualifiedCardinality,
            "max": OWL.maxQualifiedCardinality,
            "exact": OWL.qualifiedCardinality,
        }
        place = OWL.onClass if name.startswith("Object") else OWL.onDataRange
        return self._restriction(on, (qualified[bound], value), (place, self.term(filler)))

    def _restriction(self, on: object, *parts: tuple) -> BNode:
        return self.node(OWL.Restriction, (OWL.onProperty, self.term(on)), *parts)

    def node(self, type_: URIRef | None, *parts: tuple) -> BNode:
        node = BNode(f"{self.label}{next(self.names)}")
        if type_ is not None:
            self.graph.add((node, RDF.type, type_))
        for predicate, value in parts:
            self.graph.add((node, predicate, value))
        return node

    def sequence(self, items: Iterable) -> URIRef | BNode:
        terms = [self.term(item) for item in items]
        rest: URIRef | BNode = RDF.nil
        for item in reversed(terms):
            rest = self.node(None, (RDF.first, item), (RDF.rest, rest))
        return rest
