"""Rules and constraints over triples.

A rule `h(x) :- b1(x), b2(x, y)` derives its head wherever its body holds; a constraint is a rule without a
head. An atom with one argument is a class, one with two a property. Constants are RDF terms, variables are
rdflib's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from rdflib import BNode, Literal, URIRef, Variable

from pantarhei.model.data_range import DataRange
from pantarhei.model.message_text import NO_NAMES, DisplayNames, TextPosition, disambiguate
from pantarhei.model.term import ONLY_TYPE, RDF_TYPE, Term, Triple, short


@dataclass(frozen=True, slots=True)
class Origin:
    """Source of a rule: its axiom, and the position of the axiom.

    Origins are equal if their axioms have equal text: rules read from a copy of a file are equal.

    Args:
        axiom: in OWL's functional-style syntax; where no ontology has it, in words (`semantics of equality`).
        source: the file, as its path was given; None for an object and for axioms of no ontology.
        line: the line of the file, from 1, in N-Triples, N-Quads and OWL/XML; None in other syntaxes.
        subject: the subject of the axiom's main triple; None for a blank node.
        names: display names of the ontology; None for axioms of no ontology.

    >>> str(Origin("SubClassOf(A B)", "plant.nt", 7))
    'SubClassOf(A B)'
    """

    axiom: str
    source: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)
    subject: URIRef | None = field(default=None, compare=False)
    names: DisplayNames | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.axiom


Argument = Term | Variable
Predicate = URIRef | BNode


@dataclass(frozen=True, slots=True)
class Atom:
    """`predicate(arguments)`: class membership with one argument, a property with two.

    >>> from rdflib import Namespace
    >>> EX = Namespace("http://example.org/")
    >>> str(Atom(EX.isIn, (Variable("x"), EX.Hall)))
    'isIn(?x, Hall)'
    """

    predicate: Predicate
    arguments: tuple[Argument, ...]

    def ground(self, binding: Mapping[Variable, Term]) -> Triple:
        """Return the triple of this atom under `binding`, which binds each of its variables."""
        first, *rest = (binding[a] if isinstance(a, Variable) else a for a in self.arguments)
        return (first, self.predicate, rest[0]) if rest else (first, RDF_TYPE, self.predicate)

    @property
    def has_class_variable(self) -> bool:
        """True for `rdf:type(x, y)` with a variable for the class."""
        return self.predicate in ONLY_TYPE and isinstance(self.arguments[-1], Variable)

    @property
    def as_class(self) -> Atom:
        """Return `C(x)` for `rdf:type(x, C)` with a name for the class; the atom itself otherwise."""
        if self.predicate not in ONLY_TYPE or len(self.arguments) != 2:
            return self
        who, class_ = self.arguments
        return self if isinstance(class_, Variable | Literal) else Atom(class_, (who,))

    @property
    def as_type(self) -> Atom:
        """Return `rdf:type(x, C)` for `C(x)`; the atom itself otherwise."""
        if len(self.arguments) == 2:
            return self
        return Atom(RDF_TYPE, (*self.arguments, self.predicate))

    def with_arguments(self, change: Callable[[Argument], Argument]) -> Atom:
        """Return the atom with changed arguments."""
        return Atom(self.predicate, tuple(map(change, self.arguments)))

    def __str__(self) -> str:
        shown = self.as_class
        return f"{short(shown.predicate)}({', '.join(map(short, shown.arguments))})"


@dataclass(frozen=True, slots=True)
class Different:
    """Inequality `left ≠ right`: two distinct names, or two literals with different values (unique names)."""

    left: Argument
    right: Argument

    def with_arguments(self, change: Callable[[Argument], Argument]) -> Different:
        """Return the inequality with changed arguments."""
        return Different(change(self.left), change(self.right))

    def __str__(self) -> str:
        return f"{short(self.left)} ≠ {short(self.right)}"


@dataclass(frozen=True, slots=True)
class Member:
    """Test `argument ∈ range`, or with `inside=False` `argument ∉ range`; both are false for a name.

    Names are not literals, and no value is known for them.
    """

    argument: Argument
    range: DataRange
    inside: bool = True

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return (self.argument,)

    def with_arguments(self, change: Callable[[Argument], Argument]) -> Member:
        """Return the test with a changed argument."""
        return replace(self, argument=change(self.argument))

    def __str__(self) -> str:
        return f"{short(self.argument)} {'∈' if self.inside else '∉'} {self.range}"


@dataclass(frozen=True, slots=True)
class Builtin:
    """SWRL built-in: a comparison of two literals, or a computation whose result is the first argument.

    Args:
        name: an IRI of `http://www.w3.org/2003/11/swrlb#`.
        arguments: two for a comparison; the result and one or two operands for a computation.
        written: position in a text of rules, None without one.
    """

    name: URIRef
    arguments: tuple[Argument, ...]
    written: TextPosition | None = field(default=None, compare=False, repr=False)

    def with_arguments(self, change: Callable[[Argument], Argument]) -> Builtin:
        """Return the built-in with changed arguments."""
        return replace(self, arguments=tuple(map(change, self.arguments)))

    def __str__(self) -> str:
        return f"{short(self.name)}({', '.join(map(short, self.arguments))})"


Test = Member | Builtin


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule `head :- body, different, tests`; a constraint where `head` is None.

    Every variable of the head and of `different` occurs in the body, and the body is connected.

    Args:
        name: the W3C rule it is an instance of (`cax-sco`), or one of ours (`pr-…`).
        body: at least one atom.
        head: the derived atom; None for ⊥.
        different: inequalities that must hold too.
        origin: the axiom it comes from; None for a rule given by itself.
        tests: conditions on literals that must hold too. A variable that is the result of a computation and
            does not occur in the body is bound by it, for later tests and for the head.
    """

    name: str
    body: tuple[Atom, ...]
    head: Atom | None
    different: tuple[Different, ...] = ()
    origin: Origin | None = None
    tests: tuple[Test, ...] = ()

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """Atoms of body and head."""
        return self.body if self.head is None else (*self.body, self.head)

    @property
    def is_constraint(self) -> bool:
        return self.head is None

    @property
    def axiom(self) -> str:
        """Text of the axiom, or of the rule itself if it comes from no axiom."""
        return str(self.origin or self)

    def with_arguments(self, change: Callable[[Argument], Argument]) -> Rule:
        """The same of other arguments."""
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
    """Return the display names for a text with these rules: those of their ontology, with the rules' classes
    and properties disambiguated.
    """
    given = list(rules)
    known = next((rule.origin.names for rule in given if rule.origin and rule.origin.names), NO_NAMES)
    predicates = (atom.as_class.predicate for rule in given for atom in rule.atoms)
    return known.disambiguated(name for name in predicates if isinstance(name, URIRef))
