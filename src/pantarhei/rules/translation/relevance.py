"""Which rules can fire at all, where only facts of some predicates are asserted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from rdflib import OWL

from pantarhei.encoding.numbers import Symbol
from pantarhei.language.rule import Atom, Predicate, Rule

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
    deriving = [rule for rule in given if rule.head is not None]
    asking: defaultdict[_Symbol, list[int]] = defaultdict(list)
    missing = []
    for number, rule in enumerate(deriving):
        body = set(map(_symbol_of, rule.body))
        missing.append(len(body))
        for symbol in body:
            asking[symbol].append(number)
    heads = (_symbol_of(rule.head) for rule in deriving if rule.head is not None and not rule.body)
    waiting: list[_Symbol] = list(dict.fromkeys((*asserted, *_DEMANDED, *heads)))
    possible = set(waiting)
    for symbol in waiting:
        for number in asking[symbol]:
            missing[number] -= 1
            head = deriving[number].head
            if missing[number] == 0 and head is not None and _symbol_of(head) not in possible:
                possible.add(_symbol_of(head))
                waiting.append(_symbol_of(head))
    return tuple(rule for rule in given if all(_symbol_of(atom) in possible for atom in rule.body))


# What a `Symbol` is equal to, made in half the time.
_Symbol = tuple[Predicate, int]


def _symbol_of(atom: Atom) -> _Symbol:
    return atom.predicate, len(atom.arguments)
