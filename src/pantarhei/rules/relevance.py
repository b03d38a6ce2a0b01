"""Which rules can fire at all, where only facts of some predicates are asserted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from rdflib import OWL

from pantarhei.language.rule import Atom, Rule
from pantarhei.rules.program import Symbol

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
    bodies = [{_symbol_of(atom) for atom in rule.body} for rule in given]
    asking: defaultdict[Symbol, list[int]] = defaultdict(list)
    for number, body in enumerate(bodies):
        for symbol in body:
            asking[symbol].append(number)
    missing = list(map(len, bodies))
    heads = (_symbol_of(r.head) for r in given if r.head is not None and not r.body)
    waiting = list(dict.fromkeys((*asserted, *_DEMANDED, *heads)))
    possible = set(waiting)
    for symbol in waiting:
        for number in asking[symbol]:
            missing[number] -= 1
            head = given[number].head
            if missing[number] == 0 and head is not None and _symbol_of(head) not in possible:
                possible.add(_symbol_of(head))
                waiting.append(_symbol_of(head))
    return tuple(rule for rule, lacks in zip(given, missing, strict=True) if not lacks)


def _symbol_of(atom: Atom) -> Symbol:
    return Symbol(atom.predicate, len(atom.arguments))
