"""Which rules can fire at all, where only facts of some predicates are asserted; and which matter, where only
facts of some predicates are asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from rdflib import OWL

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Atom, Predicate, Rule
from pantarhei.rules.translation.class_variables import TYPE, has_class_variables, relations_of

# What rules that are made on demand can derive (demand.py).
_DEMANDED = frozenset({Symbol(OWL.sameAs, 2), Symbol(OWL.differentFrom, 2), Symbol(OWL.Thing, 1)})


def that_can_fire(rules: Iterable[Rule], asserted: Iterable[Symbol]) -> tuple[Rule, ...]:
    """The rules and constraints that facts of the `asserted` predicates can lead to, in the order given.

    Only predicates are looked at, so that some of them may never fire; the others cannot, whatever is
    asserted, also together with rules made on demand. Costs time linear in the size of the rules.

    >>> from rdflib import URIRef, Variable
    >>> x = (Variable("x"),)
    >>> a, b, c, d = (Atom(URIRef(f"urn:x/{name}"), x) for name in "ABCD")
    >>> rules = [Rule("cax-sco", (b,), c), Rule("cax-sco", (a,), b), Rule("cax-dw", (c, d), None)]
    >>> print(*that_can_fire(rules, [Symbol(a.predicate, 1)]))
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


def that_matter(rules: Iterable[Rule], asked: Iterable[Symbol]) -> tuple[Rule, ...]:
    """The rules that facts of the `asked` predicates can follow by, and all constraints with the rules that
    what violates them can follow by; in the order given.

    With these rules alone the same facts follow of the asked predicates, by the same proofs, and the same
    constraints are violated. Costs time linear in the size of the rules.

    >>> from rdflib import URIRef, Variable
    >>> x = (Variable("x"),)
    >>> a, b, c, d = (Atom(URIRef(f"urn:x/{name}"), x) for name in "ABCD")
    >>> rules = [Rule("cax-sco", (b,), c), Rule("cax-sco", (a,), b), Rule("cax-sco", (a,), d)]
    >>> print(*that_matter(rules, [Symbol(c.predicate, 1)]))
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


# What a `Symbol` is equal to, made in half the time.
_Symbol = tuple[Predicate, int]


def _relation_of(varies: bool) -> Callable[[Atom], _Symbol]:
    """Return a function that gives the relation of an atom: rdf:type for a class, where classes are
    variables.
    """
    return _type_or_property if varies else _symbol_of


def _relations(varies: bool, symbols: Iterable[Symbol]) -> Iterable[Symbol]:
    """Return the relations of classes and properties."""
    return relations_of(symbols) if varies else symbols


def _type_or_property(atom: Atom) -> _Symbol:
    return TYPE if len(atom.arguments) == 1 else _symbol_of(atom)


def _symbol_of(atom: Atom) -> _Symbol:
    return atom.predicate, len(atom.arguments)
