"""Rules on demand: axioms about all predicates, instantiated for the predicates in use; and selection of
relevant rules.

OWL's definitions of equality, owl:Thing and ill-typed literals quantify over all predicates. A rule has fixed
predicates, so these rules are added as predicates appear in the vocabulary.

W3C: OWL 2 Profiles, section 4.3, tables 4 (eq-*) and 8 (dt-*). eq-ref is left out (it would derive `x = x`
for every name), and so is eq-rep-p: under the Direct Semantics equal individuals imply nothing about
properties of equal names.
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
    """Return the canonical rule with `C(x)` for each atom `type(x, C)` whose class is a name."""
    if not any(atom.predicate in ONLY_TYPE for atom in rule.atoms):
        return rule
    changed = _with_atoms(rule, {atom: atom.as_class for atom in rule.atoms})
    return rule if changed is rule else canonical(changed)


def gives_literal_class(rule: Rule) -> bool:
    """True if the class of the head is a literal, which no triple can state."""
    head = rule.head
    return head is not None and head.predicate in ONLY_TYPE and isinstance(head.arguments[-1], Literal)


def over_one_relation(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Replace each atom `C(x)` by `type(x, C)`, for rules with class variables. Costs time linear in their
    size.

    `type(?x, ?c) :- kind(?x, ?c)` derives memberships in any class, so it writes the relations that all atoms
    `C(x)` read. Rules without class variables have a relation for each class, which is fast. If one rule has
    a class variable, all rules use one relation for rdf:type. Both forms of a rule derive the same triples. A
    class that a stream brings is a value of that relation and needs no rules of its own.
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
    """Return the predicates of symbols, with rdf:type in place of classes, as in rules over one relation for
    all classes.
    """
    return frozenset(symbol if symbol.arity == 2 else TYPE for symbol in symbols)


def _with_atoms(rule: Rule, changed: dict[Atom, Atom]) -> Rule:
    """Return the rule with atoms replaced; the rule itself if none changes."""
    if all(changed[atom] is atom for atom in rule.atoms):
        return rule
    head = None if rule.head is None else changed[rule.head]
    return replace(rule, body=tuple([changed[atom] for atom in rule.body]), head=head)


# Predicates that rules on demand can derive.
_DEMANDED = frozenset({Symbol(OWL.sameAs, 2), Symbol(OWL.differentFrom, 2), Symbol(OWL.Thing, 1)})


def fireable_rules(rules: Iterable[Rule], asserted: Iterable[Symbol]) -> tuple[Rule, ...]:
    """Return the rules and constraints that may fire given facts of the `asserted` predicates, in the order
    given.

    Only predicates are looked at, so that some of them may never fire; the others cannot, whatever is
    asserted, also together with rules made on demand. Costs time linear in the size of the rules.

    >>> from rdflib import URIRef, Variable
    >>> x = (Variable("x"),)
    >>> a, b, c, d = (Atom(URIRef(f"urn:x/{name}"), x) for name in "ABCD")
    >>> rules = [Rule("cax-sco", (b,), c), Rule("cax-sco", (a,), b), Rule("cax-dw", (c, d), None)]
    >>> print(*fireable_rules(rules, [Symbol(a.predicate, 1)]))
    C(?x) :- B(?x). B(?x) :- A(?x).
    """
    given = tuple(rules)
    varies = has_class_variables(given)
    symbol_of, asserted = _relation_of(varies), _relations(varies, asserted)
    deriving = [rule for rule in given if rule.head is not None]
    asking: defaultdict[_Symbol, list[int]] = defaultdict(list)
    missing = []
    for number, rule in enumerate(deriving):
        body = set(map(symbol_of, rule.body))
        missing.append(len(body))
        for symbol in body:
            asking[symbol].append(number)
    heads = (symbol_of(rule.head) for rule in deriving if rule.head is not None and not rule.body)
    waiting: list[_Symbol] = list(dict.fromkeys((*asserted, *_relations(varies, _DEMANDED), *heads)))
    possible = set(waiting)
    for symbol in waiting:
        for number in asking[symbol]:
            missing[number] -= 1
            head = deriving[number].head
            if missing[number] == 0 and head is not None and symbol_of(head) not in possible:
                possible.add(symbol_of(head))
                waiting.append(symbol_of(head))
    return tuple(rule for rule in given if all(symbol_of(atom) in possible for atom in rule.body))


def relevant_rules(rules: Iterable[Rule], asked: Iterable[Symbol]) -> tuple[Rule, ...]:
    """Return the rules relevant to the `asked` predicates, and all constraints with their relevant rules, in
    order.

    With these rules alone the same facts follow of the asked predicates, by the same proofs, and the same
    constraints are violated. Costs time linear in the size of the rules.

    >>> from rdflib import URIRef, Variable
    >>> x = (Variable("x"),)
    >>> a, b, c, d = (Atom(URIRef(f"urn:x/{name}"), x) for name in "ABCD")
    >>> rules = [Rule("cax-sco", (b,), c), Rule("cax-sco", (a,), b), Rule("cax-sco", (a,), d)]
    >>> print(*relevant_rules(rules, [Symbol(c.predicate, 1)]))
    C(?x) :- B(?x). B(?x) :- A(?x).
    """
    given = tuple(rules)
    deriving: defaultdict[_Symbol, list[Rule]] = defaultdict(list)
    varies = has_class_variables(given)
    symbol_of = _relation_of(varies)
    waiting: list[_Symbol] = list(_relations(varies, asked))
    for rule in given:
        if rule.head is None:
            waiting += map(symbol_of, rule.body)
        else:
            deriving[symbol_of(rule.head)].append(rule)
    waiting = list(dict.fromkeys(waiting))
    matter = set(waiting)
    for symbol in waiting:
        for rule in deriving[symbol]:
            for other in map(symbol_of, rule.body):
                if other not in matter:
                    matter.add(other)
                    waiting.append(other)
    return tuple(rule for rule in given if rule.head is None or symbol_of(rule.head) in matter)


# Equal to a `Symbol`, created in half the time.
_Symbol = tuple[Predicate, int]


def _relation_of(varies: bool) -> Callable[[Atom], _Symbol]:
    """Return a function from an atom to its relation: rdf:type for a class, where classes are variables."""
    return _type_or_property if varies else _symbol_of


def _relations(varies: bool, symbols: Iterable[Symbol]) -> Iterable[Symbol]:
    """Return the relations of classes and properties."""
    return relations_of(symbols) if varies else symbols


def _type_or_property(atom: Atom) -> _Symbol:
    return TYPE if len(atom.arguments) == 1 else _symbol_of(atom)


def _symbol_of(atom: Atom) -> _Symbol:
    return atom.predicate, len(atom.arguments)


X, Y, Z = Variable("x"), Variable("y"), Variable("z")
SAME = Symbol(OWL.sameAs, 2)
DIFFERENT = Symbol(OWL.differentFrom, 2)
THING = Symbol(OWL.Thing, 1)
_THINGS = frozenset({OWL.Thing})  # a set lookup is faster than `==` of rdflib's terms


@dataclass(frozen=True, slots=True)
class Theory:
    """Rules and constraints with a reading of names, and the rules demanded by it.

    Args:
        rules: rules and constraints as under unique names: a constraint with an inequality denies two
            different values.
        unique_names: distinct names denote distinct things. Otherwise names whose difference is denied are
            equal, and equality is reasoned with.
        speaks_of_things: a body has owl:Thing, which every name is in.
        data_properties: properties whose values are not in owl:Thing.
        has_class_variables: all rules use one relation for rdf:type.
    """

    rules: tuple[Rule, ...]
    unique_names: bool = True
    speaks_of_things: bool = False
    data_properties: frozenset[Predicate] = frozenset()
    has_class_variables: bool = False

    @classmethod
    def of(
        cls, rules: Iterable[Rule], unique_names: bool, data_properties: Iterable[Predicate] = ()
    ) -> Theory:
        """Return the theory of `rules`, written as under unique names."""
        given = tuple(rules if unique_names else _each_without_unique_names(rules))
        things = any(atom.predicate in _THINGS for rule in given for atom in rule.body)
        vary = has_class_variables(given)
        if vary:
            given = over_one_relation((*given, _empty(_NOTHING)))
        return cls(given, unique_names, things, frozenset(data_properties), vary)

    def follows(self, new: Sequence[Symbol], known: Sequence[Symbol]) -> bool:
        """True if `new` symbols beside the `known` ones demand rules."""
        if self.has_class_variables:
            new = [symbol for symbol in new if symbol.arity == 2]  # rules have no classes as predicates then
        if not new:
            return False
        if self.speaks_of_things or (not self.unique_names and SAME in known):
            return True
        return any(symbol in _EMPTY or symbol in (SAME, DIFFERENT) for symbol in new)

    def demanded(self, symbols: Iterable[Symbol], ill_typed: Iterable[Predicate]) -> tuple[Rule, ...]:
        """Return the rules that `symbols` demand, and those for properties with ill-typed values."""
        met = tuple(symbol for symbol in symbols if symbol.arity == 2 or not self.has_class_variables)
        found = [_ill_typed(on) for on in ill_typed]
        if DIFFERENT in met:
            found.append(_rule("eq-diff1", [Atom(OWL.differentFrom, (X, X))], None))
            if not self.unique_names:
                mirrored = Atom(OWL.differentFrom, (Y, X))
                found.append(_rule("pr-different", [Atom(OWL.differentFrom, (X, Y))], mirrored))
        found += (_empty(symbol) for symbol in met if symbol in _EMPTY)
        if SAME in met:
            unique = _rule("pr-unique", [Atom(OWL.sameAs, (X, Y))], None, Different(X, Y))
            found += [unique] if self.unique_names else _equality(met)
        if self.speaks_of_things:
            for symbol in met:
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
    "cls-nothing2": Origin("what owl:Nothing is"),
    "pr-empty": Origin("what an empty property is"),
    "eq-sym": Origin("what equality is"),
    "eq-trans": Origin("what equality is"),
    "eq-rep-s": Origin("what equality is"),
    "eq-rep-o": Origin("what equality is"),
    "eq-diff1": Origin("what inequality is"),
    "pr-different": Origin("what inequality is"),
    "pr-unique": Origin("unique names"),
    "pr-thing": Origin("what owl:Thing is"),
}
_LITERAL = Origin("what a literal is")


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
    """Return the rules by which equal names share the facts of a symbol."""
    name, arity = symbol
    same = Atom(OWL.sameAs, (X, Y))
    if arity == 1:
        return (_rule("eq-rep-s", [same, Atom(name, (X,))], Atom(name, (Y,))),)
    # Y, a subject, is not a literal: where a name equals a literal (which only RDF can state), the literal
    # must not reach new positions, or computations there might not terminate.
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
    """Yield the rules for names that may be equal.

    A constraint that denies two different values makes names equal, and denies different literals. Any other
    inequality must be known: it becomes owl:differentFrom.
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
