"""The closure of an ontology's assertions, and of what is assumed for a while.

A question about all instances of a class is asked of one that nothing else is known of: facts with a fresh
name are assumed, what follows is looked at, and the assumption is withdrawn. An assumption costs what it
derives, not the closure. Names that differ may be equal here (OWL 2 Direct Semantics).

A fresh name in the place of a literal stands for a value of which only data ranges are known. What the
constraints demand of literals (`⊥ :- R(x, y), y ∉ D`) is noted of such a name as a class of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rdflib import OWL, RDF, Literal, URIRef, Variable

from pantarhei.language.data_range import DataIntersectionOf, DataRange, Datatype
from pantarhei.language.emptiness import is_empty
from pantarhei.language.rule import Atom, Member, Predicate, Rule
from pantarhei.language.term import Term, Triple, in_order
from pantarhei.materialize.consistency import model_of_background
from pantarhei.materialize.growth import GrowingProgram
from pantarhei.materialize.proof import Proof, proof_of_violation
from pantarhei.rules.demand import Theory
from pantarhei.rules.program import Integers

# Names that no ontology has: of what is assumed, and of the data ranges a value is known to be in.
_FRESH = "urn:pantarhei:fresh#x"
_RANGE = "urn:pantarhei:range#"


class Closure:
    """What follows from rules, constraints and facts, and from assumptions on top.

    Args:
        rules: rules and constraints, as they are under unique names.
        facts: the assertions.
        above: a closure whose fresh names and data ranges are known here too.
    """

    def __init__(self, rules: Iterable[Rule], facts: Iterable[Triple], above: Closure | None = None) -> None:
        self._ranges: dict[DataRange, URIRef] = {} if above is None else dict(above._ranges)
        self._rules = tuple(rules)
        written = (*self._rules, *self._rules_about_values())
        self._growing = GrowingProgram(Theory.of(written, unique_names=False))
        self.facts = in_order(facts)
        self._assumed: list[list[Triple]] = []
        self._fresh: int = 0 if above is None else above._fresh
        self.inconsistent = False
        self._level = self._model_depth = 0
        self._rebuild()

    def with_rules(self, rules: Iterable[Rule], facts: Iterable[Triple] = ()) -> Closure:
        """The closure under further rules and facts, and what is assumed. Costs a materialization."""
        return Closure((*self._rules, *rules), [*self.facts, *self._all_assumed(), *facts], self)

    def expect(self, classes: Iterable[Predicate], properties: Iterable[Predicate]) -> None:
        """Make room for assumptions about these names at once: each new one can cost a materialization."""
        name = self.fresh()
        triples: list[Triple] = [(name, RDF.type, class_) for class_ in classes]
        triples += [(name, property_, name) for property_ in properties]
        if self._outgrown(self._vocabulary.encode(triples).facts):
            self._rebuild()

    def fresh(self) -> URIRef:
        """A name of which nothing is known."""
        self._fresh += 1
        return URIRef(f"{_FRESH}{self._fresh}")

    @contextmanager
    def assuming(self, facts: Iterable[Triple]) -> Iterator[None]:
        """Within the context `facts` hold, and `inconsistent` says whether they can."""
        given = list(facts)
        before, fresh = self.inconsistent, self._fresh
        self._assumed.append(given)
        encoded = self._vocabulary.encode(given).facts
        if self._outgrown(encoded):
            self._rebuild()
        level = self._level
        previous = None
        if self._model_depth < len(self._assumed):
            self._level = level = self._level + 1
            previous = self._model.add(encoded, level)
            self._model_depth = len(self._assumed)
            self.inconsistent = before or bool(len(self._model.violations()))
        model = self._model
        try:
            yield
        finally:
            self._assumed.pop()
            self._fresh = fresh
            self.inconsistent = before
            if self._model is model and previous is not None:
                self._model.withdraw(encoded, previous, level)
                self._model.take_changes()
                self._model_depth = len(self._assumed)
            else:  # the program grew within: the model holds the assumption among the facts
                self._rebuild()
                self.inconsistent = before

    def holds(self, triple: Triple) -> bool:
        """Whether the triple is in the closure."""
        return next(self.match(*triple), None) is not None

    def match(self, subject: Term | None, predicate: Term | None, object_: Term | None) -> Iterator[Triple]:
        """The triples of the closure that agree with the given terms."""
        if isinstance(subject, Literal):
            return iter(())
        return self._model.match(subject, predicate, object_)

    def ranges_of(self, value: Term) -> DataRange | None:
        """What is known of a fresh name that stands for a literal, None if nothing is."""
        names = {type_ for _, _, type_ in self.match(value, RDF.type, None)}
        found = tuple(range_ for range_, name in self._ranges.items() if name in names)
        if len(found) < 2:
            return found[0] if found else None
        return DataIntersectionOf(found)

    def datatypes_of(self, value: Term) -> frozenset[URIRef]:
        """The datatypes that a fresh name stands for a value of."""
        names = {type_ for _, _, type_ in self.match(value, RDF.type, None)}
        return frozenset(
            range_.iri
            for range_, name in self._ranges.items()
            if name in names and isinstance(range_, Datatype)
        )

    def is_range(self, type_: Term) -> bool:
        """Whether the class is a data range that a fresh name is noted to be in."""
        return type_.startswith(_RANGE)

    def value_in(self, value: Term, range_: DataRange) -> Triple:
        """The fact that a fresh name stands for a literal in the data range."""
        return (value, RDF.type, self._name_of(range_))

    def has_impossible_value(self, values: Iterable[Term]) -> bool:
        """Whether one of the fresh names cannot stand for any literal."""
        return any(self._is_impossible(value) for value in values)

    def _is_impossible(self, value: Term) -> bool:
        known = self.ranges_of(value)
        return known is not None and is_empty(known)

    def proof(self) -> Proof | None:
        """A proof that the facts and assumptions break a constraint. Costs a pass over the closure."""
        self._model.find_violations()
        return proof_of_violation(self._model)

    def proof_of_impossible_value(self, value: Term) -> Proof | None:
        """A proof that a fresh name cannot stand for any literal. Costs a materialization."""
        if not self._is_impossible(value):
            return None
        types = sorted(
            {str(type_) for _, _, type_ in self.match(value, RDF.type, None) if self.is_range(type_)}
        )
        body = tuple(Atom(URIRef(type_), (Variable("x"),)) for type_ in types)
        return self.with_rules([Rule("dt-empty", body, None, origin="no literal is in all these")]).proof()

    # -- the model ---------------------------------------------------------------------------------

    def _rebuild(self) -> None:
        """The model anew, with the assumptions in it."""
        self._vocabulary = self._growing.vocabulary
        encoded = self._vocabulary.encode([*self.facts, *self._all_assumed()]).facts
        self._outgrown(encoded)
        self._model = model_of_background(self._growing.program, self._vocabulary, encoded)
        self._level = 0
        self._model_depth = len(self._assumed)
        self.inconsistent = bool(len(self._model.violations()))
        self._model.take_changes()

    def _outgrown(self, facts: Integers) -> bool:
        """Whether the program had to grow for `facts`."""
        if self._growing.covers(facts):
            return False
        self._growing.grow(facts)
        return True

    def _all_assumed(self) -> list[Triple]:
        return [triple for given in self._assumed for triple in given]

    # -- values ------------------------------------------------------------------------------------

    def _name_of(self, range_: DataRange) -> URIRef:
        known = self._ranges.get(range_)
        if known is None:
            named = URIRef(_RANGE + re.sub(r"[^\w().-]+", "_", str(range_)))
            taken = named in self._ranges.values()  # ranges of like-named datatypes
            known = self._ranges[range_] = URIRef(f"{named}-{len(self._ranges)}") if taken else named
        return known

    def _rules_about_values(self) -> Iterator[Rule]:
        """`D°(y) :- R(x, y)` for `⊥ :- R(x, y), y ∉ D`; heads with a literal as subject are never derived."""
        for rule in self._rules:
            match rule:
                case Rule(head=None, different=(), tests=(Member(Variable() as value, range_, False),)):
                    yield Rule(
                        rule.name, rule.body, Atom(self._name_of(range_), (value,)), origin=rule.origin
                    )


def is_fresh(term: Term) -> bool:
    """Whether the term was made for an assumption."""
    return isinstance(term, URIRef) and term.startswith(_FRESH)


def same(first: Term, second: Term) -> Triple:
    """`first = second`."""
    return (first, OWL.sameAs, second)


def different(first: Term, second: Term) -> Triple:
    """`first ≠ second`."""
    return (first, OWL.differentFrom, second)
