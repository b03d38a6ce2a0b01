"""Rules and constraints over triples.

A rule `h(x) :- b1(x), b2(x, y)` derives its head for each match of its body; a constraint is a rule without a
head. An atom with one argument is a class membership, an atom with two arguments a property. Constants are
RDF terms; variables are rdflib `Variable`s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from rdflib import BNode, Literal, URIRef, Variable

from pantarhei.model.data_range import DataRange
from pantarhei.model.message_text import NO_NAMES, DisplayNames, TextPosition, disambiguate
from pantarhei.model.representation import text_repr
from pantarhei.model.term import ONLY_TYPE, RDF_TYPE, Term, Triple, short


@dataclass(frozen=True, slots=True)
class Origin:
    """Source of a rule: an axiom, and its position in a file.

    Only the text of the axiom is compared: rules read from a copy of a file are equal.

    Args:
        axiom: the axiom in OWL's functional-style syntax; for a rule that is not from an ontology, words such
            as `the definition of equality`.
        source: path of the file as given by the user; None if the axiom is not from a file.
        line: line in the file, counted from 1, in N-Triples, N-Quads and OWL/XML; None in other syntaxes.
        subject: the subject of the axiom's main triple; None if it is a blank node.
        names: display names of the ontology; None if the axiom is not from an ontology.
        stated: the axiom as a value of the room `owl`; None for a rule that is not from an ontology.

    >>> str(Origin("SubClassOf(A B)", "plant.nt", 7))
    'SubClassOf(A B)'
    """

    axiom: str
    source: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)
    subject: URIRef | None = field(default=None, compare=False)
    names: DisplayNames | None = field(default=None, compare=False, repr=False)
    stated: object | None = field(default=None, compare=False, repr=False)

    __repr__ = text_repr

    def __str__(self) -> str:
        return self.axiom


Argument = Term | Variable
Predicate = URIRef | BNode


@dataclass(frozen=True, slots=True)
class Atom:
    """Atom `predicate(arguments)`: a class membership with one argument, or a property with two.

    Args:
        predicate: the class or property; rdf:type with two arguments if the class is a variable.
        arguments: one argument for a class, two for a property.

    >>> from rdflib import Namespace
    >>> EX = Namespace("http://example.org/")
    >>> str(Atom(EX.isIn, (Variable("x"), EX.Hall)))
    'isIn(?x, Hall)'
    """

    predicate: Predicate
    arguments: tuple[Argument, ...]

    __repr__ = text_repr

    def ground(self, binding: Mapping[Variable, Term]) -> Triple:
        """Return the triple of this atom; `binding` must bind all its variables."""
        first, *rest = (binding[a] if isinstance(a, Variable) else a for a in self.arguments)
        return (first, self.predicate, rest[0]) if rest else (first, RDF_TYPE, self.predicate)

    @property
    def has_class_variable(self) -> bool:
        """True for `rdf:type(x, y)` if the class y is a variable."""
        return self.predicate in ONLY_TYPE and isinstance(self.arguments[-1], Variable)

    @property
    def as_class(self) -> Atom:
        """`C(x)` if the atom is `rdf:type(x, C)` with a constant class C, otherwise the atom itself."""
        if self.predicate not in ONLY_TYPE or len(self.arguments) != 2:
            return self
        who, class_ = self.arguments
        return self if isinstance(class_, Variable | Literal) else Atom(class_, (who,))

    @property
    def as_type(self) -> Atom:
        """`rdf:type(x, C)` if the atom is `C(x)`, otherwise the atom itself."""
        if len(self.arguments) == 2:
            return self
        return Atom(RDF_TYPE, (*self.arguments, self.predicate))

    def with_arguments(self, change: Callable[[Argument], Argument]) -> Atom:
        """Return the atom with `change` applied to its arguments."""
        return Atom(self.predicate, tuple(map(change, self.arguments)))

    def __str__(self) -> str:
        shown = self.as_class
        return f"{short(shown.predicate)}({', '.join(map(short, shown.arguments))})"


@dataclass(frozen=True, slots=True)
class Different:
    """Inequality `left ≠ right`. Under unique names it holds for two distinct names, and for two literals
    with different values.

    Args:
        left, right: the two sides.

    >>> print(Different(Variable("y"), Variable("z")))
    ?y ≠ ?z
    """

    left: Argument
    right: Argument

    __repr__ = text_repr

    def with_arguments(self, change: Callable[[Argument], Argument]) -> Different:
        """Return the inequality with `change` applied to both sides."""
        return Different(change(self.left), change(self.right))

    def __str__(self) -> str:
        return f"{short(self.left)} ≠ {short(self.right)}"


@dataclass(frozen=True, slots=True)
class Member:
    """Test `argument ∈ range`, or `argument ∉ range` if `inside` is false. Both are false if the argument is
    a name: a name is not a literal, and its value is unknown.

    Args:
        argument: the term or variable.
        range: the data range.
        inside: whether the test is `∈`.

    >>> from pantarhei.model.data_range import Datatype
    >>> from rdflib import XSD
    >>> print(Member(Variable("t"), Datatype(XSD.decimal)))
    ?t ∈ decimal
    """

    argument: Argument
    range: DataRange
    inside: bool = True

    __repr__ = text_repr

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The argument, as a tuple."""
        return (self.argument,)

    def with_arguments(self, change: Callable[[Argument], Argument]) -> Member:
        """Return the test with `change` applied to its argument."""
        return replace(self, argument=change(self.argument))

    def __str__(self) -> str:
        return f"{short(self.argument)} {'∈' if self.inside else '∉'} {self.range}"


@dataclass(frozen=True, slots=True)
class Builtin:
    """SWRL built-in: a comparison of two literals, or a computation whose first argument is its result.

    Args:
        name: an IRI in `http://www.w3.org/2003/11/swrlb#`.
        arguments: two operands of a comparison; or the result of a computation, and its one or two operands.
        written: position in the text of a rule; None if the rule was not read from a text.

    >>> from rdflib import Literal, Namespace
    >>> swrlb = Namespace("http://www.w3.org/2003/11/swrlb#")
    >>> print(Builtin(swrlb.greaterThan, (Variable("t"), Literal(80))))
    greaterThan(?t, "80"^^<http://www.w3.org/2001/XMLSchema#integer>)
    """

    name: URIRef
    arguments: tuple[Argument, ...]
    written: TextPosition | None = field(default=None, compare=False, repr=False)

    __repr__ = text_repr

    def with_arguments(self, change: Callable[[Argument], Argument]) -> Builtin:
        """Return the built-in with `change` applied to its arguments."""
        return replace(self, arguments=tuple(map(change, self.arguments)))

    def __str__(self) -> str:
        return f"{short(self.name)}({', '.join(map(short, self.arguments))})"


Test = Member | Builtin


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule `head :- body, different, tests`, or a constraint if `head` is None.

    Every variable of the head and the inequalities occurs in the body or is computed by a test. The atoms of
    the body are connected by shared variables.

    Args:
        name: the W3C rule that this rule instantiates (`cax-sco`), or a name of this project (`pr-…`).
        body: at least one atom.
        head: the derived atom; None for ⊥.
        different: inequalities that a match must satisfy.
        origin: the axiom from which the rule was translated; None if the rule was given as such.
        tests: conditions on literals that a match must satisfy, in order. A computation whose result is a
            variable that is not in the body binds this variable, for later tests and for the head.

    >>> from pantarhei import load_ontology
    >>> rule = next(rule for rule in load_ontology("ontologies/pedals.ttl").rules if rule.name == "cls-int1")
    >>> print(rule)
    ChangingGear(?x) :- ClutchPressed(?x), GasPedalPressed(?x).
    >>> print(rule.origin)
    EquivalentClasses(ChangingGear ObjectIntersectionOf(GasPedalPressed ClutchPressed))
    """

    name: str
    body: tuple[Atom, ...]
    head: Atom | None
    different: tuple[Different, ...] = ()
    origin: Origin | None = None
    tests: tuple[Test, ...] = ()

    __repr__ = text_repr

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """Atoms of the body, followed by the head if there is one."""
        return self.body if self.head is None else (*self.body, self.head)

    @property
    def is_constraint(self) -> bool:
        """True if the rule has no head."""
        return self.head is None

    @property
    def axiom(self) -> str:
        """Text of the axiom from which the rule was translated; text of the rule itself if there is none."""
        return str(self.origin or self)

    def with_arguments(self, change: Callable[[Argument], Argument]) -> Rule:
        """Return the rule with `change` applied to all arguments."""
        return replace(
            self,
            body=tuple(atom.with_arguments(change) for atom in self.body),
            head=self.head and self.head.with_arguments(change),
            different=tuple(each.with_arguments(change) for each in self.different),
            tests=tuple(test.with_arguments(change) for test in self.tests),
        )

    def __str__(self) -> str:
        return disambiguate(self._text, names_of([self]))

    def _text(self) -> str:
        conditions = ", ".join([*map(str, self.body), *map(str, self.different), *map(str, self.tests)])
        return f"{self.head or '⊥'} :- {conditions}."


def names_of(rules: Iterable[Rule]) -> DisplayNames:
    """Return display names for a text that shows these rules: those of their ontology, with the classes and
    properties of the rules disambiguated.
    """
    given = list(rules)
    known = next((rule.origin.names for rule in given if rule.origin and rule.origin.names), NO_NAMES)
    predicates = (atom.as_class.predicate for rule in given for atom in rule.atoms)
    return known.disambiguated(name for name in predicates if isinstance(name, URIRef))
