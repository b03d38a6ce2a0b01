"""Interpretations: canonical models of single ABoxes as transferable values, with their own terms.

Writing renumbers facts from a worker's vocabulary to an interpretation, or converts an interpretation to a
table of text. Reading renumbers an interpretation, or such a table, to a reasoner's vocabulary
(`ClosedABox`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rdflib import RDF, BNode, Literal

from pantarhei.encoding.numbers import (
    FIRST_LITERAL,
    NONE,
    Encoded,
    FactForms,
    Forms,
    Integers,
    Pair,
    as_tuples,
)
from pantarhei.encoding.vocabulary import ComputedForms, Vocabulary
from pantarhei.errors import InvalidTripleError
from pantarhei.interpretation.foundation import Foundation, FoundationCounts
from pantarhei.model.message_text import counted
from pantarhei.model.representation import call_text, short_repr
from pantarhei.model.term import Place, Term
from pantarhei.rdf.ntriples import unused_prefix, write_term

if TYPE_CHECKING:
    import pyarrow as pa


class OwnTerms(NamedTuple):
    """Terms of an interpretation that the foundation lacks, in N-Triples syntax.

    The number of a term is its index plus the number of such terms in the foundation.

    Args:
        classes, properties, names, literals: the terms, in the order of their numbers.
    """

    classes: tuple[str, ...]
    properties: tuple[str, ...]
    names: tuple[str, ...]
    literals: tuple[str, ...]

    def __repr__(self) -> str:
        return short_repr(self)


@dataclass(frozen=True, slots=True)
class Interpretation:
    """Canonical model of one ABox: its assertions, and the facts that follow from them and the background.

    Each fact occurs once, with the first form of its literal.

    Args:
        facts: the facts, asserted ones first, shape (n, 3). Lower numbers are terms of the foundation, higher
            numbers terms of `terms`; predicates are the classes, then the properties.
        asserted: number of asserted facts.
        terms: the terms that the foundation lacks.
        conflicts: the conflict sets among the asserted facts, as indexes in `facts`, if requested.
        contradictory: true if there are conflicts; `conflicts` may lack some of them.
        foundation: digest of the foundation.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> interpretation = pr.ABoxMaterializer(reasoner.foundation).materialize([gas])
    >>> len(interpretation.facts), interpretation.asserted, interpretation.contradictory
    (3, 1, False)
    """

    facts: Integers
    asserted: int
    terms: OwnTerms
    conflicts: tuple[tuple[int, ...], ...]
    contradictory: bool
    foundation: str

    def __repr__(self) -> str:
        conflicts = [counted(len(self.conflicts), "conflict")] if self.contradictory else []
        counts = [counted(len(self.facts), "fact"), f"{self.asserted:,} of them asserted", *conflicts]
        return call_text(self, [*counts, f"foundation={self.foundation[:8]}…"])


class InterpretationWriter:
    """Writer that renumbers facts from a vocabulary to an interpretation.

    Args:
        vocabulary: numbers the facts.
        common: size of the foundation.
        scope: prefix of the labels of blank nodes, which is removed.
        texts: cache of terms in N-Triples syntax, by number.
        computed: forms of computed literals.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        common: FoundationCounts,
        scope: str,
        texts: dict[int, str],
        computed: ComputedForms,
    ) -> None:
        self._vocabulary, self._common, self._scope, self._texts = vocabulary, common, scope, texts
        self._computed = computed
        self._forms: list[Literal] = []  # literals with numbers above those of the vocabulary

    def written(self, asserted: Integers, derived: Integers, forms: FactForms) -> tuple[Integers, OwnTerms]:
        """Return the facts in the numbers of an interpretation, and the terms that the foundation lacks."""
        facts = np.concatenate([asserted, derived])
        if forms or self._vocabulary.varied or self._computed.otherwise:
            self._distinguish_forms(facts, len(asserted), forms)
        return facts, self._renumber(facts)

    def _distinguish_forms(self, facts: Integers, asserted: int, forms: FactForms) -> None:
        """Number the literals whose form is not the first one of their value.

        A derived fact has the form of the assertion with equal subject and value, otherwise the first form in
        this ABox, otherwise the computed form.
        """
        first: dict[int, Literal] = {}
        of_pair: dict[Pair, Literal] = {}
        numbers: dict[Literal, int] = {}
        objects = facts[:, 2]
        varied = np.flatnonzero(
            self._vocabulary.varied.among(objects) | self._computed.otherwise.among(objects)
        )
        for place, fact in zip(varied.tolist(), as_tuples(facts[varied]), strict=True):
            form = forms.get(fact)
            if place < asserted:
                form = self._vocabulary.literals[fact[2] - FIRST_LITERAL] if form is None else form
                first.setdefault(fact[2], form)
                of_pair.setdefault(fact[1:], form)
            else:
                own = None if fact[2] - FIRST_LITERAL < self._common.literals else first.get(fact[2])
                form = of_pair.get(fact[1:], own or self._computed.form(fact[2]))
            if form is not None:
                fresh = FIRST_LITERAL + len(self._vocabulary.literals) + len(self._forms)
                number = numbers.setdefault(form, fresh)
                if number == fresh:
                    self._forms.append(form)
                facts[place, 2] = number

    def _renumber(self, facts: Integers) -> OwnTerms:
        """Renumber all terms that the foundation lacks, in order of appearance, in place; return them."""
        numbers, common = self._vocabulary, self._common
        symbols = [numbers.symbols[number] for number in _compact(facts[:, 0], common.symbols)]
        classes = [symbol for symbol in symbols if symbol.arity == 1]
        properties = [symbol for symbol in symbols if symbol.arity == 2]
        if classes and properties:
            rank = {symbol: i for i, symbol in enumerate((*classes, *properties))}
            order = np.array([rank[symbol] for symbol in symbols], np.int32)
            own = facts[:, 0] >= common.symbols
            facts[own, 0] = common.symbols + order[facts[own, 0] - common.symbols]
        objects = facts[:, 2]
        is_name = (objects >= 0) & (objects < FIRST_LITERAL)
        ends = np.concatenate([facts[:, 1], objects[is_name]])
        names = _compact(ends, common.names)
        facts[:, 1], facts[is_name, 2] = ends[: len(facts)], ends[len(facts) :]
        values = objects[objects >= FIRST_LITERAL]
        literals = _compact(values, FIRST_LITERAL + common.literals)
        facts[objects >= FIRST_LITERAL, 2] = values
        return OwnTerms(
            tuple(self._text(symbol.name) for symbol in classes),
            tuple(write_term(symbol.name) for symbol in properties),
            self._texts_of(names, lambda number: self._text(numbers.names[number])),
            self._texts_of(literals, lambda number: write_term(self._literal(number - FIRST_LITERAL))),
        )

    def _texts_of(self, numbers: list[int], write: Callable[[int], str]) -> tuple[str, ...]:
        """Return numbered terms as text; the texts of terms that other ABoxes may contain are cached."""
        known, end = self._texts, FIRST_LITERAL + len(self._vocabulary.literals)
        found: list[str] = []
        for number in numbers:
            text = known.get(number)
            if text is None:
                text = write(number)
                if number < end and not text.startswith("_:"):
                    known[number] = text
            found.append(text)
        return tuple(found)

    def _text(self, name: Term) -> str:
        return write_term(BNode(name.removeprefix(self._scope)) if isinstance(name, BNode) else name)

    def _literal(self, place: int) -> Literal:
        known = self._vocabulary.literals
        return known[place] if place < len(known) else self._forms[place - len(known)]


def _compact(column: Integers, common: int) -> list[int]:
    """Renumber the numbers from `common` on in order of appearance, in place; return the old numbers."""
    own = column >= common
    found, first, places = np.unique(column[own], return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    column[own] = common + rank[places]
    known: list[int] = found[order].tolist()
    return known


class InterpretationTables:
    """Writer of interpretations as tables; caches the foundation's terms in N-Triples syntax."""

    def __init__(self, foundation: Foundation) -> None:
        numbers, common = foundation.vocabulary, foundation.common
        self._scope = scope_beside(foundation)
        self._symbols = _strings(write_term(symbol.name) for symbol in numbers.symbols[: common.symbols])
        self._names = _strings(write_term(name) for name in numbers.names[: common.names])
        self._literals = _strings(write_term(literal) for literal in numbers.literals[: common.literals])

    def table(self, interpretation: Interpretation, *, apart: bool = False) -> pa.Table:
        """Return the facts as a table with strings `subject`, `predicate`, `object`, and a boolean `derived`.

        Args:
            apart: true to prefix the labels of the ABox's blank nodes if the background has blank nodes too,
                so that labels are unambiguous.
        """
        import pyarrow as pa

        facts, terms = interpretation.facts, interpretation.terms
        if apart and self._scope:
            classes, names = (
                [f"_:{self._scope}{text[2:]}" if text.startswith("_:") else text for text in texts]
                for texts in (terms.classes, terms.names)
            )
            terms = terms._replace(classes=tuple(classes), names=tuple(names))
        symbols = pa.concat_arrays([self._symbols, _strings(terms.classes), _strings(terms.properties)])
        names = pa.concat_arrays([self._names, _strings(terms.names)])
        literals = pa.concat_arrays([self._literals, _strings(terms.literals)])
        predicates, subjects, objects = facts.T
        is_class = objects == NONE
        first_literal = len(names) - FIRST_LITERAL
        first_symbol = len(names) + len(literals)
        places = np.where(objects >= FIRST_LITERAL, objects + first_literal, objects)
        places = np.where(is_class, first_symbol + predicates, places)
        types = pa.concat_arrays([symbols, _strings([write_term(RDF.type)])])
        return pa.table(
            {
                "subject": names.take(pa.array(subjects)),
                "predicate": types.take(pa.array(np.where(is_class, len(symbols), predicates))),
                "object": pa.concat_arrays([names, literals, symbols]).take(pa.array(places)),
                "derived": pa.array(np.arange(len(facts)) >= interpretation.asserted),
            }
        )


def _strings(texts: Iterable[str]) -> pa.Array:
    import pyarrow as pa

    return pa.array(list(texts), pa.string())


def scope_beside(foundation: Foundation) -> str:
    """Return a prefix that no blank node label of the foundation has; empty if it has no blank nodes."""
    numbers, common = foundation.vocabulary, foundation.common
    terms = (*numbers.names[: common.names], *(symbol.name for symbol in numbers.symbols[: common.symbols]))
    return unused_prefix(term for term in terms if isinstance(term, BNode))


class ClosedABox(NamedTuple):
    """ABox in a reasoner's numbers, with its consequences.

    Args:
        facts: the asserted facts, then the derived ones.
        asserted: the asserted facts, with forms of literals.
        finished: true if `facts` contains all consequences.
    """

    facts: Integers
    asserted: Encoded
    finished: bool = True

    def without(self, predicates: Sequence[int]) -> ClosedABox:
        """Return the ABox without derived facts of some predicates."""
        stays = ~np.isin(self.facts[:, 0], np.array(predicates, np.int32))
        stays[: len(self.asserted.facts)] = True
        return self._replace(facts=self.facts[stays])

    @classmethod
    def together(cls, parts: Sequence[ClosedABox]) -> ClosedABox:
        """Combine the parts of an ABox; consequences of several parts together are not known."""
        if len(parts) == 1:
            return parts[0]
        asserted = Encoded.together([part.asserted for part in parts])
        return cls(asserted.facts, asserted, finished=False)


def split(table: pa.Table, encoded: Encoded) -> ClosedABox:
    """Return the ABox of a table with a column `derived`.

    Raises:
        InvalidTripleError: the table has no such column, or not a boolean in each row.
    """
    names = table.schema.names
    column = table.column(names.index("derived")) if names.count("derived") == 1 else None
    if column is None or str(column.type) != "bool" or column.null_count:
        given = f"a table with columns {', '.join(names)}"
        raise InvalidTripleError(given, "exactly one column derived of booleans is expected, without nulls")
    derived = np.asarray(column)
    asserted = encoded.facts[~derived]
    known = encoded.forms.by_fact
    rows = enumerate(as_tuples(asserted) if known else ())
    forms = Forms.given(asserted, {row: known[fact] for row, fact in rows if fact in known})
    return ClosedABox(np.concatenate([asserted, encoded.facts[derived]]), Encoded(asserted, forms))


def encode(
    interpretation: Interpretation, vocabulary: Vocabulary, common: FoundationCounts, scope: str
) -> ClosedABox:
    """Renumber an interpretation to a vocabulary. Costs a lookup for each term.

    Blank nodes get the prefix `scope`.

    Raises:
        InvalidTripleError: a term is invalid.
    """
    terms, facts = interpretation.terms, interpretation.facts.copy()
    classes, _ = vocabulary.numbers_of(terms.classes, Place.CLASS, scope)
    properties, _ = vocabulary.numbers_of(terms.properties, Place.PREDICATE, scope)
    names, _ = vocabulary.numbers_of(terms.names, Place.SUBJECT, scope)
    literals, written = vocabulary.numbers_of(terms.literals, Place.OBJECT, scope)
    _replace(facts[:, 0], common.symbols, np.concatenate([classes, properties]))
    _replace(facts[:, 1], common.names, names)
    objects = facts[:, 2]
    is_name = (objects >= 0) & (objects < FIRST_LITERAL)
    is_literal = objects >= FIRST_LITERAL
    ends, values = objects[is_name], objects[is_literal]
    asserted, first = facts[: interpretation.asserted], FIRST_LITERAL + common.literals
    rows = zip(np.flatnonzero(is_literal[: len(asserted)]), (values - first).tolist(), strict=False)
    given = {int(row): written[place] for row, place in rows if place in written} if written else {}
    _replace(ends, common.names, names)
    _replace(values, first, literals)
    objects[is_name], objects[is_literal] = ends, values
    return ClosedABox(facts, Encoded(asserted, Forms.given(asserted, given)))


def _replace(column: Integers, common: int, numbers: Integers) -> None:
    """Replace `common + i` by `numbers[i]`, in place."""
    own = column >= common
    column[own] = numbers[column[own] - common]
