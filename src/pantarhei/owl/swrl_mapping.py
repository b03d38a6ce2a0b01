"""SWRL rules read from triples.

SWRL (W3C member submission, 2004), section 6: a `swrl:Imp` has lists of atoms as body and head. Variables are
what is declared a `swrl:Variable`, and names that begin with `urn:swrl`, as the OWL API writes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rdflib import RDF, BNode, URIRef, Variable

from pantarhei.model.display_names import last_part
from pantarhei.model.term import Term, Triple, short
from pantarhei.owl.expression_mapping import ExpressionReader, UnreadableError
from pantarhei.owl.swrl import (
    SWRL,
    BuiltInAtom,
    ClassAtom,
    DataRangeAtom,
    DifferentAtom,
    PropertyAtom,
    SameAtom,
    SwrlArgument,
    SwrlAtom,
    SwrlRule,
)

_VARIABLE_NAMES = ("urn:swrl#", "urn:swrl:var#")


def read_swrl_rule(read: ExpressionReader, triple: Triple) -> SwrlRule:
    """The rule that the subject of `triple` is.

    Raises:
        UnreadableError: it is no rule.
    """
    rule = _RuleReader(read)
    body = tuple(map(rule.atom, read.sequence(read.only(triple[0], SWRL.body, "a rule"))))
    head = tuple(map(rule.atom, read.sequence(read.only(triple[0], SWRL.head, "a rule"))))
    return SwrlRule(body, head)


@dataclass(slots=True)
class _RuleReader:
    """Reads the atoms of one rule and names its variables."""

    read: ExpressionReader
    variables: dict[Term, Variable] = field(default_factory=dict)

    def atom(self, node: Term) -> SwrlAtom:
        types = [type_ for type_ in self.read.index.objects(node, RDF.type) if type_ in _ATOMS]
        if len(types) != 1:
            found = ", ".join(map(short, types)) or "none"
            raise UnreadableError(f"an atom of a rule needs exactly one kind of atom, found {found}")
        self.read.used.add((node, RDF.type, types[0]))
        return _ATOMS[types[0]](self, node)

    def class_atom(self, node: Term) -> SwrlAtom:
        type_ = self.part(node, SWRL.classPredicate)
        if isinstance(type_, URIRef) and self.read.vocabulary.is_datatype(type_):
            return DataRangeAtom(self.read.data_range(type_), self.argument(node, SWRL.argument1))
        return ClassAtom(self.read.class_expression(type_), self.individual(node, SWRL.argument1))

    def data_range_atom(self, node: Term) -> SwrlAtom:
        range_ = self.read.data_range(self.part(node, SWRL.dataRange))
        return DataRangeAtom(range_, self.argument(node, SWRL.argument1))

    def property_atom(self, node: Term) -> SwrlAtom:
        on = self.read.property(self.part(node, SWRL.propertyPredicate))
        return PropertyAtom(on, self.individual(node, SWRL.argument1), self.argument(node, SWRL.argument2))

    def same_atom(self, node: Term) -> SwrlAtom:
        return SameAtom(self.individual(node, SWRL.argument1), self.individual(node, SWRL.argument2))

    def different_atom(self, node: Term) -> SwrlAtom:
        return DifferentAtom(self.individual(node, SWRL.argument1), self.individual(node, SWRL.argument2))

    def built_in_atom(self, node: Term) -> SwrlAtom:
        name = self.part(node, SWRL.builtin)
        if not isinstance(name, URIRef):
            raise UnreadableError(f"{name.n3()} where the name of a built-in is expected")
        return BuiltInAtom(name, tuple(map(self.named, self.read.sequence(self.part(node, SWRL.arguments)))))

    def part(self, node: Term, predicate: URIRef) -> Term:
        return self.read.only(node, predicate, "an atom of a rule")

    def argument(self, node: Term, place: URIRef) -> SwrlArgument:
        return self.named(self.part(node, place))

    def individual(self, node: Term, place: URIRef) -> SwrlArgument:
        return self.named(self.read.individual(self.part(node, place)))

    def named(self, term: Term) -> SwrlArgument:
        """`term` itself, or the variable that it stands for."""
        if not self._is_variable(term):
            return term
        if term not in self.variables:
            self.variables[term] = self._name(term)
        return self.variables[term]

    def _is_variable(self, term: Term) -> bool:
        if SWRL.Variable in self.read.index.objects(term, RDF.type):
            return True
        return isinstance(term, URIRef) and str(term).startswith(_VARIABLE_NAMES)

    def _name(self, term: Term) -> Variable:
        """The last part of the variable's name, with a number where another variable has that name."""
        local = "" if isinstance(term, BNode) else last_part(term).rpartition(":")[2].lstrip("_")
        taken, number, name = set(self.variables.values()), 1, local or "v"
        while Variable(name) in taken:
            number += 1
            name = f"{local or 'v'}_{number}"
        return Variable(name)


_ATOMS: dict[Term, Callable[[_RuleReader, Term], SwrlAtom]] = {
    SWRL.ClassAtom: _RuleReader.class_atom,
    SWRL.DataRangeAtom: _RuleReader.data_range_atom,
    SWRL.IndividualPropertyAtom: _RuleReader.property_atom,
    SWRL.DatavaluedPropertyAtom: _RuleReader.property_atom,
    SWRL.SameIndividualAtom: _RuleReader.same_atom,
    SWRL.DifferentIndividualsAtom: _RuleReader.different_atom,
    SWRL.BuiltinAtom: _RuleReader.built_in_atom,
}
