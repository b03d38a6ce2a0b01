"""Rules on demand: instances, for the predicates in use, of axioms that quantify over all predicates. Also
the selection of rules that can fire, and of rules relevant to a set of predicates.

The OWL definitions of equality, owl:Thing and ill-typed literals quantify over all predicates. The predicates
of a compiled rule are fixed, so instances of these definitions are added when a predicate enters the
vocabulary.

W3C: OWL 2 Profiles, section 4.3, tables 4 (eq-*) and 8 (dt-*). eq-ref is omitted, since it would derive `x =
x` for every name. eq-rep-p is omitted, since under the Direct Semantics the equality of two individuals
implies nothing about the properties with the same names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rdflib import OWL, Literal, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.data_range import ILL_TYPED
from pantarhei.model.rule import Atom, Different, Member, Origin, Predicate, Rule
from pantarhei.model.term import ONLY_TYPE, RDF_TYPE
from pantarhei.rules.translation.canonical_rule import canonical
from pantarhei.values.membership import COMPARABLE

TYPE = Symbol(RDF_TYPE, 2)


def has_class_variables(rules: Iterable[Rule]) -> bool:
    """True if a rule has a class variable."""
    return any(atom.has_class_variable for rule in rules for atom in rule.atoms)


def by_class(rule: Rule) -> Rule:
    """Return the canonical rule in which each atom `rdf:type(x, C)` with a constant class C is written
    `C(x)`.
    """
    if not any(atom.predicate in ONLY_TYPE for atom in rule.atoms):
        return rule
    changed = _with_atoms(rule, {atom: atom.as_class for atom in rule.atoms})
    return rule if changed is rule else canonical(changed)


def gives_literal_class(rule: Rule) -> bool:
    """True if the head is a class membership with a literal as class, which is not a valid triple."""
    head = rule.head
    return head is not None and head.predicate in ONLY_TYPE and isinstance(head.arguments[-1], Literal)


def over_one_relation(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Write each atom `C(x)` as `rdf:type(x, C)`, as rules with class variables require. The cost is linear
    in the size of the rules.

    `type(?x, ?c) :- kind(?x, ?c)` derives memberships in any class, so every atom `C(x)` must be able to
    match its conclusions. Rules without class variables store the members of each class separately, which is
    faster. If one rule has a class variable, all rules store class memberships as facts of rdf:type. Both
    representations derive the same triples. A class that first occurs in the stream is then an argument of
    rdf:type, and needs no rules of its own.
    """
    known: dict[Atom, Atom] = {}
    made = []
    for rule in rules:
        for atom in rule.atoms:
            if atom not in known:
                known[atom] = atom.as_type
        made.append(_with_atoms(rule, known))
    return tuple(made)


def relations_of(symbols: Iterable[Symbol]) -> frozenset[Symbol]:
    """Return the symbols under which facts are stored by rules with class variables: rdf:type in place of
    each class.
    """
    return frozenset(symbol if symbol.arity == 2 else TYPE for symbol in symbols)


def _with_atoms(rule: Rule, changed: dict[Atom, Atom]) -> Rule:
    """Return the rule with its atoms replaced by `changed`; the rule itself if all atoms are unchanged."""
    if all(changed[atom] is atom for atom in rule.atoms):
        return rule
    head = None if rule.head is None else changed[rule.head]
    return replace(rule, body=tuple([changed[atom] for atom in rule.body]), head=head)


# Predicates that rules on demand can derive.
_DEMANDED = frozenset({Symbol(OWL.sameAs, 2), Symbol(OWL.differentFrom, 2), Symbol(OWL.Thing, 1)})


def fireable_rules(rules: Iterable[Rule], asserted: Iterable[Symbol]) -> tuple[Rule, ...]:
    """Return the rules and constraints that may fire given facts of the `asserted` predicates, in the order
    given.

    Only predicates are compared. So a returned rule may still never fire, but an omitted rule cannot fire,
    whatever facts of these predicates are asserted, even together with rules on demand. The cost is linear in
    the size of the rules.

    >>> from rdflib import URIRef, Variable
    >>> x = (Variable("x"),)
    >>> a, b, c, d = (Atom(URIRef(f"urn:x/{name}"), x) for name in "ABCD")
    >>> rules = [Rule("cax-sco", (b,), c), Rule("cax-sco", (a,), b), Rule("cax-dw", (c, d), None)]
    >>> print(*fireable_rules(rules, [Symbol(a.predicate, 1)]))
    C(?x) :- B(?x). B(?x) :- A(?x).
    """
    given = tuple(rules)
    by_type = has_class_variables(given)
    symbol_of, asserted = _relation_of(by_type), _relations(by_type, asserted)
    deriving = [rule for rule in given if rule.head is not None]
    readers: defaultdict[_Symbol, list[int]] = defaultdict(list)
    missing = []
    for number, rule in enumerate(deriving):
        body = set(map(symbol_of, rule.body))
        missing.append(len(body))
        for symbol in body:
            readers[symbol].append(number)
    heads = (symbol_of(rule.head) for rule in deriving if rule.head is not None and not rule.body)
    waiting: list[_Symbol] = list(dict.fromkeys((*asserted, *_relations(by_type, _DEMANDED), *heads)))
    possible = set(waiting)
    for symbol in waiting:
        for number in readers[symbol]:
            missing[number] -= 1
            head = deriving[number].head
            if missing[number] == 0 and head is not None and symbol_of(head) not in possible:
                possible.add(symbol_of(head))
                waiting.append(symbol_of(head))
    return tuple(rule for rule in given if all(symbol_of(atom) in possible for atom in rule.body))


def relevant_rules(rules: Iterable[Rule], requested: Iterable[Symbol]) -> tuple[Rule, ...]:
    """Return the rules on which the facts of the `requested` predicates depend, and all constraints with the
    rules they depend on, in the order given.

    The returned rules derive the same facts of these predicates as all rules do, by the same proofs, and
    violate the same constraints. The cost is linear in the size of the rules.

    >>> from rdflib import URIRef, Variable
    >>> x = (Variable("x"),)
    >>> a, b, c, d = (Atom(URIRef(f"urn:x/{name}"), x) for name in "ABCD")
    >>> rules = [Rule("cax-sco", (b,), c), Rule("cax-sco", (a,), b), Rule("cax-sco", (a,), d)]
    >>> print(*relevant_rules(rules, [Symbol(c.predicate, 1)]))
    C(?x) :- B(?x). B(?x) :- A(?x).
    """
    given = tuple(rules)
    deriving: defaultdict[_Symbol, list[Rule]] = defaultdict(list)
    by_type = has_class_variables(given)
    symbol_of = _relation_of(by_type)
    waiting: list[_Symbol] = list(_relations(by_type, requested))
    for rule in given:
        if rule.head is None:
            waiting += map(symbol_of, rule.body)
        else:
            deriving[symbol_of(rule.head)].append(rule)
    waiting = list(dict.fromkeys(waiting))
    relevant = set(waiting)
    for symbol in waiting:
        for rule in deriving[symbol]:
            for other in map(symbol_of, rule.body):
                if other not in relevant:
                    relevant.add(other)
                    waiting.append(other)
    return tuple(rule for rule in given if rule.head is None or symbol_of(rule.head) in relevant)


# Equal to a `Symbol`, created in half the time.
_Symbol = tuple[Predicate, int]


def _relation_of(by_type: bool) -> Callable[[Atom], _Symbol]:
    """Return a function from an atom to the symbol under which its facts are stored: rdf:type for a class if
    rules have class variables.
    """
    return (lambda atom: TYPE if len(atom.arguments) == 1 else _symbol_of(atom)) if by_type else _symbol_of


def _relations(by_type: bool, symbols: Iterable[Symbol]) -> Iterable[Symbol]:
    """Return the symbols under which the facts of classes and properties are stored."""
    return relations_of(symbols) if by_type else symbols


def _symbol_of(atom: Atom) -> _Symbol:
    return atom.predicate, len(atom.arguments)


X, Y, Z = Variable("x"), Variable("y"), Variable("z")
SAME = Symbol(OWL.sameAs, 2)
DIFFERENT = Symbol(OWL.differentFrom, 2)
THING = Symbol(OWL.Thing, 1)
_THINGS = frozenset({OWL.Thing})  # a set lookup is faster than `==` of rdflib's terms


@dataclass(frozen=True, slots=True)
class Theory:
    """Rules and constraints with an assumption about names, from which the rules on demand follow.

    Args:
        rules: rules and constraints. Under unique names, a constraint with one inequality denies two
            different values.
        unique_names: distinct names denote distinct individuals. If false, two names whose difference would
            violate a constraint are equal, and rules for equality are added.
        uses_owl_thing: owl:Thing occurs in a body; then every individual in a fact must be derived to be in
            owl:Thing.
        data_properties: properties whose values are not in owl:Thing.
        has_class_variables: class memberships are stored as facts of rdf:type.
    """

    rules: tuple[Rule, ...]
    unique_names: bool = True
    uses_owl_thing: bool = False
    data_properties: frozenset[Predicate] = frozenset()
    has_class_variables: bool = False

    @classmethod
    def of(
        cls, rules: Iterable[Rule], unique_names: bool, data_properties: Iterable[Predicate] = ()
    ) -> Theory:
        """Return the theory of `rules`, which are written as under unique names and rewritten if
        `unique_names` is false.
        """
        given = tuple(rules if unique_names else _each_without_unique_names(rules))
        things = any(atom.predicate in _THINGS for rule in given for atom in rule.body)
        by_type = has_class_variables(given)
        if by_type:
            given = over_one_relation((*given, _empty(_NOTHING)))
        return cls(given, unique_names, things, frozenset(data_properties), by_type)

    def demands_rules(self, new: Sequence[Symbol], known: Sequence[Symbol]) -> bool:
        """Return whether the `new` symbols, added to the `known` ones, require further rules on demand."""
        if self.has_class_variables:
            new = [symbol for symbol in new if symbol.arity == 2]  # rules have no classes as predicates then
        if not new:
            return False
        if self.uses_owl_thing or (not self.unique_names and SAME in known):
            return True
        return any(symbol in _EMPTY or symbol in (SAME, DIFFERENT) for symbol in new)

    def demanded(self, symbols: Iterable[Symbol], ill_typed: Iterable[Predicate]) -> tuple[Rule, ...]:
        """Return the rules on demand for `symbols`, and the constraints against ill-typed values of the
        properties `ill_typed`.
        """
        used = tuple(symbol for symbol in symbols if symbol.arity == 2 or not self.has_class_variables)
        found = [_ill_typed(on) for on in ill_typed]
        if DIFFERENT in used:
            found.append(_rule("eq-diff1", [Atom(OWL.differentFrom, (X, X))], None))
            if not self.unique_names:
                mirrored = Atom(OWL.differentFrom, (Y, X))
                found.append(_rule("pr-different", [Atom(OWL.differentFrom, (X, Y))], mirrored))
        found += (_empty(symbol) for symbol in used if symbol in _EMPTY)
        if SAME in used:
            unique = _rule("pr-unique", [Atom(OWL.sameAs, (X, Y))], None, Different(X, Y))
            found += [unique] if self.unique_names else _equality(used)
        if self.uses_owl_thing:
            for symbol in used:
                if symbol != THING:
                    found += _things(symbol, symbol == TYPE or symbol.name in self.data_properties)
        return over_one_relation(found) if self.has_class_variables else tuple(found)


def _rule(name: str, body: list[Atom], head: Atom | None, *different: Different) -> Rule:
    return canonical(Rule(name, tuple(body), head, different, _ORIGINS[name]))


def _empty(symbol: Symbol) -> Rule:
    return _rule(_EMPTY[symbol], [Atom(symbol.name, (X, Y)[: symbol.arity])], None)


_NOTHING = Symbol(OWL.Nothing, 1)
_EMPTY = {
    _NOTHING: "cls-nothing2",
    Symbol(OWL.bottomObjectProperty, 2): "pr-empty",
    Symbol(OWL.bottomDataProperty, 2): "pr-empty",
}
_ORIGINS = {
    "cls-nothing2": Origin("the definition of owl:Nothing"),
    "pr-empty": Origin("the definition of the empty property"),
    "eq-sym": Origin("the definition of equality"),
    "eq-trans": Origin("the definition of equality"),
    "eq-rep-s": Origin("the definition of equality"),
    "eq-rep-o": Origin("the definition of equality"),
    "eq-diff1": Origin("the definition of inequality"),
    "pr-different": Origin("the definition of inequality"),
    "pr-unique": Origin("unique names"),
    "pr-thing": Origin("the definition of owl:Thing"),
}
_LITERAL = Origin("the definition of literals")


def _ill_typed(on: Predicate) -> Rule:
    body = (Atom(on, (X, Y)),)
    return canonical(Rule("dt-not-type", body, None, (), _LITERAL, (Member(Y, ILL_TYPED),)))


def _equality(symbols: tuple[Symbol, ...]) -> list[Rule]:
    same = Atom(OWL.sameAs, (X, Y))
    rules = [
        _rule("eq-sym", [same], Atom(OWL.sameAs, (Y, X))),
        _rule("eq-trans", [same, Atom(OWL.sameAs, (Y, Z))], Atom(OWL.sameAs, (X, Z)), Different(X, Z)),
    ]
    if DIFFERENT in symbols:
        rules.append(_rule("eq-diff1", [same, Atom(OWL.differentFrom, (X, Y))], None))
    rules += (rule for symbol in symbols if symbol != SAME for rule in _replacements(symbol))
    return rules


@lru_cache(maxsize=65536)
def _replacements(symbol: Symbol) -> tuple[Rule, ...]:
    """Return the rules that copy the facts of `symbol` between equal names (eq-rep-s, eq-rep-o)."""
    name, arity = symbol
    same = Atom(OWL.sameAs, (X, Y))
    if arity == 1:
        return (_rule("eq-rep-s", [same, Atom(name, (X,))], Atom(name, (Y,))),)
    # In RDF a name can be stated equal to a literal. Y is the subject of a triple here, so it is never bound
    # to that literal: if literals reached new argument positions, computations there might not terminate.
    turned = Atom(OWL.sameAs, (Y, X))
    return (
        _rule("eq-rep-s", [same, Atom(name, (X, Z))], Atom(name, (Y, Z))),
        _rule("eq-rep-o", [turned, Atom(name, (Z, X))], Atom(name, (Z, Y))),
    )


@lru_cache(maxsize=65536)
def _things(symbol: Symbol, has_literals: bool) -> tuple[Rule, ...]:
    name, arity = symbol
    if arity == 1:
        return (_rule("pr-thing", [Atom(name, (X,))], Atom(OWL.Thing, (X,))),)
    ends = (X,) if has_literals else (X, Y)
    return tuple(_rule("pr-thing", [Atom(name, (X, Y))], Atom(OWL.Thing, (end,))) for end in ends)


def _each_without_unique_names(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Rewrite rules for names that may be equal.

    A constraint with one inequality derives that the two names are equal, and remains a constraint for two
    literals. In other rules an inequality `x ≠ y` becomes the body atom `owl:differentFrom(x, y)`.
    """
    for rule in rules:
        if not rule.different:
            yield rule
        elif rule.head is None and len(rule.different) == 1:
            ((pair),) = rule.different
            yield canonical(replace(rule, head=Atom(OWL.sameAs, (pair.left, pair.right))))
            literals = (Member(pair.left, COMPARABLE), Member(pair.right, COMPARABLE))
            yield canonical(replace(rule, tests=(*rule.tests, *literals)))
        else:
            known = (Atom(OWL.differentFrom, (d.left, d.right)) for d in rule.different)
            yield canonical(replace(rule, body=(*rule.body, *known), different=()))
