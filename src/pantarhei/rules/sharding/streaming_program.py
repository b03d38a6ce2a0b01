"""Rules of a program that depend on the stream, and the predicates that may stream, for any key."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from rdflib import OWL, RDF, URIRef

from pantarhei.encoding.numbers import Symbol, symbol_of
from pantarhei.errors import OptionError
from pantarhei.model.rule import Predicate, Rule
from pantarhei.model.term import Term, Triple
from pantarhei.rules.sharding.key_map import ANY_OTHER
from pantarhei.rules.translation.demand import DIFFERENT, SAME, THING, TYPE, Theory, relations_of

Facts = Mapping[Symbol, Sequence[tuple[Term, ...]]]

_ALWAYS_POSSIBLE = (
    SAME,
    DIFFERENT,
    THING,
    Symbol(OWL.Nothing, 1),
    Symbol(OWL.bottomObjectProperty, 2),
    Symbol(OWL.bottomDataProperty, 2),
    *ANY_OTHER,
)


@dataclass(frozen=True, slots=True)
class StreamingProgram:
    """Rules of a program that depend on the stream, and the predicates that may stream.

    Args:
        rules: the rules whose body can hold and has at least one atom with a streaming predicate.
        facts: all facts of the background, by predicate.
        assertable: the predicates that the stream may assert.
        streaming: the predicates of assertions and of their consequences.
        background_only: predicates that the stream must not assert.
        colocated: the properties whose assertions in the stream connect names of equal key.
        unknown: predicates that may have background facts besides `facts`.
    """

    rules: tuple[Rule, ...]
    facts: Facts
    assertable: frozenset[Symbol]
    streaming: frozenset[Symbol]
    background_only: frozenset[Predicate]
    colocated: frozenset[Symbol] = frozenset()
    unknown: frozenset[Symbol] = frozenset()

    def is_background(self, symbol: Symbol) -> bool:
        """Return whether all facts of the predicate are in the background."""
        return symbol not in self.streaming


@dataclass(frozen=True, slots=True)
class StreamedTheory:
    """Program with its background and the options that describe the stream.

    Args:
        theory: the program, with its assumption about names.
        facts: all facts of the background, by predicate.
        given: classes and properties with background assertions, and properties of derived background facts.
        streaming: the classes and properties that the stream asserts; None for all except `given`.
        colocated: the properties whose assertions in the stream connect names of equal key.
    """

    theory: Theory
    facts: Facts
    given: Collection[Predicate]
    streaming: Iterable[URIRef] | None
    colocated: Collection[URIRef] = ()

    @classmethod
    def of(
        cls,
        theory: Theory,
        background: Iterable[Triple],
        facts: Iterable[Triple],
        streaming: Iterable[URIRef] | None,
        colocated: Iterable[URIRef],
    ) -> StreamedTheory:
        """Return the program with a background; `facts` is the background closed under the rules.

        Raises:
            OptionError: an element of `streaming` or `colocated` is not an IRI.
        """
        by_symbol = _by_symbol(facts, theory.has_class_variables)
        given = _names_of(background, theory.has_class_variables)
        given |= {symbol.name for symbol in by_symbol if symbol.arity == 2} - {TYPE.name}
        if streaming is not None:
            streaming = _iris("streaming", streaming, "classes and properties, not rdf:type")
        return cls(theory, by_symbol, given, streaming, _iris("colocated", colocated, "properties"))

    def program(self, not_streaming: Collection[Predicate] = ()) -> StreamingProgram:
        """Return the rules that depend on the stream. The cost is linear in the size of the program.

        Args:
            not_streaming: names that the stream does not assert, contrary to the options. They may have any
                facts in the background.

        Raises:
            OptionError: an element of `colocated` is not a property that the stream asserts.
        """
        theory = self.theory
        promised = {Symbol(name, 2) for name in self.colocated}
        known = set(self.facts).union(*(_symbols_of(rule) for rule in theory.rules))
        if self.streaming is None:
            known.update(_ALWAYS_POSSIBLE)
            self._check_promised(known)
            known |= promised
            asserted = None
        else:
            asserted = _declared(self.streaming, known)
            self._check_promised(asserted)
            if theory.has_class_variables:
                asserted = set(relations_of(asserted))
            known |= asserted
        rules, known = _with_demanded(theory, known)
        assertable = {s for s in known if s.name not in self.given} if asserted is None else asserted
        assertable = {symbol for symbol in assertable if symbol.name not in not_streaming}
        unknown = {symbol for symbol in known if symbol.name in not_streaming}
        present = set(self.facts)
        if unknown:
            possible, unknown = _closed(rules, unknown, present)
            present |= possible
        possible, reached = _closed(rules, assertable, present)
        live = (rule for rule in rules if all(symbol_of(atom) in possible for atom in rule.body))
        if theory.has_class_variables:
            known = {symbol for symbol in known if symbol.arity == 2}
        only = self.given if asserted is None else {s.name for s in known} - {s.name for s in assertable}
        return StreamingProgram(
            tuple(rule for rule in live if any(symbol_of(atom) in reached for atom in rule.body)),
            self.facts,
            frozenset(assertable),
            frozenset(reached),
            frozenset(only),
            frozenset(promised),
            frozenset(unknown - {SAME}),  # names that are equal in the background have equal keys
        )

    def _check_promised(self, symbols: Collection[Symbol]) -> None:
        """Check that `colocated` has properties that the stream asserts.

        Args:
            symbols: the symbols of `streaming`; if this is None, all symbols of the program.
        """
        for name in self.colocated:
            is_property = Symbol(name, 2) in symbols
            if Symbol(name, 1) in symbols and not is_property:
                expected = "properties; this is a class"
            elif self.streaming is not None and not is_property:
                expected = "properties that are in streaming=[…] too, since assertions are promised"
            elif self.streaming is None and name in self.given:
                expected = (
                    "properties that the stream asserts; this has facts in the background, so list it in "
                    "streaming=[…] if the stream asserts it too"
                )
            else:
                continue
            raise OptionError("colocated", repr(name), expected)


def _iris(option: str, given: Iterable[URIRef], expected: str) -> tuple[URIRef, ...]:
    """Return the items of an option; all must be IRIs other than rdf:type."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise OptionError(option, repr(given), f"the IRIs (URIRef) of several {expected.split(',')[0]}")
    names = tuple(dict.fromkeys(given))
    for name in names:
        if not isinstance(name, URIRef) or name == RDF.type:
            raise OptionError(option, repr(name), f"IRIs (URIRef) of {expected}")
    return names


def _declared(streaming: Iterable[URIRef], known: set[Symbol]) -> set[Symbol]:
    """Return the symbols of the names in `streaming`. A name is a class, a property or both, as in `known`;
    an unknown name is both.
    """
    declared: set[Symbol] = set()
    for name in streaming:
        both = {Symbol(name, 1), Symbol(name, 2)}
        declared |= both & known or both
    return declared


def _with_demanded(theory: Theory, known: set[Symbol]) -> tuple[tuple[Rule, ...], set[Symbol]]:
    """Return the rules together with the rules on demand for the symbols, and all symbols of these rules.

    Constraints against ill-typed values are omitted: they have one body atom, so they are local to any key.
    """
    while True:
        ordered = sorted(known, key=lambda s: (s not in ANY_OTHER, str(s.name), s.arity))
        rules = (*theory.rules, *theory.demanded(ordered, ()))
        met = known.union(*map(_symbols_of, rules))
        if met == known:
            return rules, known
        known = met


def _closed(
    rules: Iterable[Rule], assertable: set[Symbol], present: set[Symbol]
) -> tuple[set[Symbol], set[Symbol]]:
    """Return the predicates that can have facts, and those of them that can have facts derived from the
    stream.
    """
    waiting_for = defaultdict(list)
    for rule in rules:
        for symbol in {symbol_of(atom) for atom in rule.body}:
            waiting_for[symbol].append(rule)
    streaming = set(assertable)
    possible = streaming | present
    queue = deque(streaming)
    while queue:
        for rule in waiting_for[queue.popleft()]:
            body = {symbol_of(atom) for atom in rule.body}
            if rule.head is None or not body <= possible or not body & streaming:
                continue
            head = symbol_of(rule.head)
            if head not in streaming:
                streaming.add(head)
                possible.add(head)
                queue.append(head)
    return possible, streaming


def _symbols_of(rule: Rule) -> set[Symbol]:
    return set(map(symbol_of, rule.atoms))


def _by_symbol(facts: Iterable[Triple], has_class_variables: bool) -> Facts:
    """Group facts by predicate; each fact is the tuple of its arguments."""
    found: defaultdict[Symbol, list[tuple[Term, ...]]] = defaultdict(list)
    for subject, predicate, object_ in facts:
        if predicate == RDF.type and not has_class_variables:
            found[Symbol(cast(Predicate, object_), 1)].append((subject,))
        else:
            found[Symbol(cast(Predicate, predicate), 2)].append((subject, object_))
    return dict(found)


def _names_of(facts: Iterable[Triple], has_class_variables: bool) -> set[Predicate]:
    """Return the predicates of facts. Classes are omitted if class memberships are facts of rdf:type: the
    stream may then assert any class.
    """
    properties = {cast(Predicate, p) for _, p, _ in facts if p != RDF.type}
    if has_class_variables:
        return properties
    return properties | {cast(Predicate, o) for _, p, o in facts if p == RDF.type}
