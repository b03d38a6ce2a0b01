"""The canonical model of one ABox, made apart from any window: what a worker does for a reasoner.

ABoxes of different timestamps do not meet before they are in a window, so that each can be closed under the
rules, with the background, wherever there is a processor (PB26, section 7). `ABoxMaterializer` does so;
`StreamReasoner.push_materialized` takes what it gives.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

import numpy as np
from rdflib import RDF, BNode, Graph, Literal

from pantarhei.encoding.encoded import Encoded
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Forms, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import InvalidTripleError
from pantarhei.interpretation.canonical_models import CanonicalModels
from pantarhei.interpretation.foundation import Common, Foundation
from pantarhei.language.term import Term, Triple
from pantarhei.materialize.model import Lineage
from pantarhei.rdf.ntriples import write_term
from pantarhei.rdf.triple_table import ColumnarTriples, is_table
from pantarhei.repair.conflict import Budget, find_conflicts

if TYPE_CHECKING:
    import pyarrow as pa

    ABox: TypeAlias = Graph | Iterable[Triple] | pa.Table

# ABoxes of so many facts together are closed together, if there are several.
MOST_TOGETHER = 1 << 17

# Past so many terms a materializer forgets them and begins anew: they are those of ABoxes long done.
MOST_TERMS = 2_000_000


class Terms(NamedTuple):
    """Terms that an interpretation has beyond those of the foundation, in N-Triples syntax.

    A place in `classes` or `properties` is a symbol's number less the foundation's count, and so on.
    """

    classes: tuple[str, ...]
    properties: tuple[str, ...]
    names: tuple[str, ...]
    literals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The canonical model of one ABox: what it asserts, and what follows from that and the background.

    Each fact stands there once; of several forms of its literal the first one given.

    Args:
        facts: shape (n, 3), asserted ones first. Numbers below those of the foundation mean its terms, the
            others those of `terms`, in order: symbols the classes and then the properties.
        asserted: how many of them are asserted.
        terms: the terms beyond the foundation's.
        conflicts: the minimal inconsistent sets among the asserted facts, as places in `facts`, where they
            were asked for.
        contradictory: whether there are any; they may be too many to be listed.
        foundation: the digest of what it was made with.
    """

    facts: Integers
    asserted: int
    terms: Terms
    conflicts: tuple[tuple[int, ...], ...]
    contradictory: bool
    foundation: str


class ABoxMaterializer:
    """Makes the canonical models of ABoxes, one after another, each by itself.

    A model of the rules with the background stays; what follows from an ABox is found beside it. Not for
    several threads at once.

    Args:
        foundation: rules and background; afterwards it belongs to the materializer, which goes on numbering.
        budget: how far conflict sets are searched for.
    """

    def __init__(self, foundation: Foundation, budget: Budget | None = None) -> None:
        self._fresh = pickle.dumps(foundation)
        self._digest, self.common = foundation.digest, foundation.common
        self._budget = budget or Budget()
        self._scope = _scope_beside(foundation)
        self._begin(foundation)

    def _begin(self, foundation: Foundation) -> None:
        self._foundation = foundation
        self._growing, self._vocabulary = foundation.growing, foundation.vocabulary
        self._texts: dict[int, str] = {}  # of names and literals by number, as they were written
        self._models = CanonicalModels(foundation.model())
        self._is_fresh = True

    def _begin_anew(self) -> None:
        self._begin(pickle.loads(self._fresh))

    def materialize(self, abox: ABox) -> Interpretation:
        """The interpretation of one ABox: a graph, triples, or an Arrow table as `push` takes it.

        Blank nodes of a table are other ones than the background's, whatever their labels.

        Raises:
            InvalidTripleError: something in it is no triple.
        """
        if is_table(abox):
            return next(self.materialize_parts(abox, [0, len(abox)]))
        self._make_room()
        if isinstance(abox, ColumnarTriples):
            encoded = self._vocabulary.encode_columnar(abox)
        else:
            encoded = self._vocabulary.encode(cast("Iterable[Triple]", abox))
        return next(self._close([encoded], "", True))

    def materialize_parts(
        self, table: pa.Table, bounds: Sequence[int], conflicts: bool = True
    ) -> Iterator[Interpretation]:
        """The interpretations of the parts `table[bounds[i]:bounds[i + 1]]`, each an ABox.

        Cheaper than one by one: terms are looked up once for many parts, and these may be closed together.
        Without `conflicts`, that there are any is all that is found out of them.

        Raises:
            InvalidTripleError: something in the table is no triple.
        """
        for places in self._together(bounds):
            self._make_room()
            yield from self._close(self._encoded(table, places), self._scope, conflicts)

    def _together(self, bounds: Sequence[int]) -> Iterator[Sequence[int]]:
        """The bounds of parts that are closed together: as many in a row as have not too many facts."""
        begin = 0
        for place in range(1, len(bounds)):
            if begin < place - 1 and (self._computes or bounds[place] - bounds[begin] > MOST_TOGETHER):
                yield bounds[begin:place]
                begin = place - 1
        if begin < len(bounds) - 1:
            yield bounds[begin:]

    def _encoded(self, table: pa.Table, bounds: Sequence[int]) -> list[Encoded]:
        """The parts in numbers: at once, unless the form of a literal can be another in each part."""
        vocabulary, first = self._vocabulary, bounds[0]
        if not vocabulary.has_variants:
            encoded = vocabulary.encode_table(table.slice(first, bounds[-1] - first), self._scope)
            if not vocabulary.has_variants or len(bounds) == 2:
                places = pairwise(bound - first for bound in bounds)
                return [Encoded(encoded.facts[start:end], encoded.forms) for start, end in places]
        parts = (table.slice(start, end - start) for start, end in pairwise(bounds))
        return [vocabulary.encode_table(part, self._scope) for part in parts]

    @property
    def _computes(self) -> bool:
        return bool(self._growing.program.builtins)

    def _make_room(self) -> None:
        """Forget what other ABoxes left, where it costs memory or shows in the form of what is computed."""
        if sum(self._vocabulary.counts) > MOST_TERMS or (self._computes and not self._is_fresh):
            self._begin_anew()

    def _close(self, aboxes: Sequence[Encoded], scope: str, conflicts: bool) -> Iterator[Interpretation]:
        """The interpretations of encoded ABoxes, whose blank nodes' labels begin with `scope`."""
        self._is_fresh = False
        for abox in aboxes:
            if not self._growing.covers(abox.facts):
                self._growing.grow(abox.facts)
                self._models = CanonicalModels(self._foundation.model())
        # what comes between two ABoxes may begin anew
        models, vocabulary, texts = self._models, self._vocabulary, self._texts
        closed = models.close([abox.facts for abox in aboxes], self._budget.instances if conflicts else None)
        for abox, model in zip(aboxes, closed, strict=True):
            conflict_sets: tuple[tuple[int, ...], ...] = ()
            if model.lineage is not None:
                conflict_sets = self._conflicts(model.lineage, model.asserted, models.level)
            writing = _Writing(vocabulary, self.common, scope, texts)
            facts, terms = writing.written(model.asserted, model.derived, abox.forms)
            yield Interpretation(
                facts, len(model.asserted), terms, conflict_sets, model.contradictory, self._digest
            )

    def _conflicts(self, lineage: Lineage, asserted: Integers, level: int) -> tuple[tuple[int, ...], ...]:
        """The conflict sets among the asserted facts, as places."""
        maybe = np.flatnonzero(np.isin(asserted[:, 1], lineage.facts[:, 1]))
        place = dict(zip(map(tuple, asserted[maybe].tolist()), maybe.tolist(), strict=True))
        places = {
            row: place.get(tuple(fact), NONE)
            for row, fact in zip(lineage.rows.tolist(), lineage.facts.tolist(), strict=True)
        }
        found = find_conflicts(lineage, level, self._budget).found
        return tuple(sorted(tuple(sorted(places[row] for row in conflict.rows)) for conflict in found))


def _scope_beside(foundation: Foundation) -> str:
    """A prefix with which no label of a blank node in the foundation begins; none if there are no such."""
    numbers, common = foundation.vocabulary, foundation.common
    terms = (*numbers.names[: common.names], *(symbol.name for symbol in numbers.symbols[: common.symbols]))
    labels = [str(term) for term in terms if isinstance(term, BNode)]
    scope = "m" if labels else ""
    while any(label.startswith(scope) for label in labels):
        scope += "m"
    return scope


class _Writing:
    """Turns a vocabulary's numbers into those of an interpretation, whose further terms are its own.

    `texts` has terms by number as they were written before.
    """

    def __init__(self, vocabulary: Vocabulary, common: Common, scope: str, texts: dict[int, str]) -> None:
        self._vocabulary, self._common, self._scope, self._texts = vocabulary, common, scope, texts
        self._forms: list[Literal] = []  # literals with numbers behind those of the vocabulary

    def written(self, asserted: Integers, derived: Integers, forms: Forms) -> tuple[Integers, Terms]:
        """The facts in an interpretation's numbers, and the terms that these mean beyond the common ones."""
        facts = np.concatenate([asserted, derived])
        if forms or self._vocabulary.has_variants:
            self._distinguish_forms(facts, len(asserted), forms)
        return facts, self._renumber(facts)

    def _distinguish_forms(self, facts: Integers, asserted: int, forms: Forms) -> None:
        """Give numbers of their own to the literals whose form is not the first of their value.

        What is derived has the form of the assertion with the same subject and value, or else the first one
        in this ABox.
        """
        first: dict[int, Literal] = {}
        of_subject: dict[tuple[int, ...], Literal] = {}
        numbers: dict[Literal, int] = {}
        for place in np.flatnonzero(self._vocabulary.varied.among(facts[:, 2])).tolist():
            fact = tuple(facts[place].tolist())
            form = forms.get(fact)
            if place < asserted:
                form = self._vocabulary.literals[fact[2] - FIRST_LITERAL] if form is None else form
                first.setdefault(fact[2], form)
                of_subject.setdefault(fact[1:], form)
            else:
                own = None if fact[2] - FIRST_LITERAL < self._common.literals else first.get(fact[2])
                form = of_subject.get(fact[1:], own)
            if form is not None:
                fresh = FIRST_LITERAL + len(self._vocabulary.literals) + len(self._forms)
                number = numbers.setdefault(form, fresh)
                if number == fresh:
                    self._forms.append(form)
                facts[place, 2] = number

    def _renumber(self, facts: Integers) -> Terms:
        """Number all terms beyond the common ones in the order in which they stand in `facts`."""
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
        return Terms(
            tuple(self._text(symbol.name) for symbol in classes),
            tuple(write_term(symbol.name) for symbol in properties),
            self._texts_of(names, lambda number: self._text(numbers.names[number])),
            self._texts_of(literals, lambda number: write_term(self._literal(number - FIRST_LITERAL))),
        )

    def _texts_of(self, numbers: list[int], write: Callable[[int], str]) -> tuple[str, ...]:
        """The terms of numbers; each is written once, but for those whose meaning is this ABox's own."""
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
    """Renumber what is not below `common` in the order in which it appears, in place; returns what it was."""
    own = column >= common
    found, first, places = np.unique(column[own], return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    column[own] = common + rank[places]
    known: list[int] = found[order].tolist()
    return known


class ClosedABox(NamedTuple):
    """An ABox in a reasoner's numbers, with what follows from it if that is known (`finished`).

    `facts` has what is asserted, then what is derived.
    """

    facts: Integers
    asserted: Encoded
    finished: bool = True

    @classmethod
    def together(cls, parts: Sequence[ClosedABox]) -> ClosedABox:
        """The ABox of one part or several; what follows from several together is not known."""
        if len(parts) == 1:
            return parts[0]
        asserted = Encoded.together([part.asserted for part in parts])
        return cls(asserted.facts, asserted, finished=False)


def split(table: pa.Table, encoded: Encoded) -> ClosedABox:
    """The facts of a table with a column `derived`.

    Raises:
        InvalidTripleError: it has none, or one that does not hold a boolean in each row.
    """
    names = table.schema.names
    column = table.column(names.index("derived")) if names.count("derived") == 1 else None
    if column is None or str(column.type) != "bool" or column.null_count:
        given = f"a table with columns {', '.join(names)}"
        raise InvalidTripleError(given, "exactly one column derived of booleans is expected, without nulls")
    derived = np.asarray(column)
    asserted = encoded.facts[~derived]
    forms: dict[tuple[int, ...], Literal] = {}
    for fact in map(tuple, asserted.tolist() if encoded.forms else ()):
        if fact in encoded.forms:
            forms[fact] = encoded.forms[fact]
            forms.setdefault(fact[1:], encoded.forms[fact])
    return ClosedABox(np.concatenate([asserted, encoded.facts[derived]]), Encoded(asserted, forms))


def encode(interpretation: Interpretation, vocabulary: Vocabulary, common: Common, scope: str) -> ClosedABox:
    """The facts of an interpretation in the numbers of `vocabulary`.

    Blank nodes belong to the message that `scope` names. Costs a look-up for each of its terms.

    Raises:
        InvalidTripleError: one of its terms is none.
    """
    terms, facts = interpretation.terms, interpretation.facts.copy()
    symbols = [vocabulary.numbers_of(terms.classes, "class", scope)]
    symbols.append(vocabulary.numbers_of(terms.properties, "predicate", scope))
    _replace(facts[:, 0], common.symbols, np.concatenate(symbols))
    names = vocabulary.numbers_of(terms.names, "subject", scope)
    _replace(facts[:, 1], common.names, names)
    objects = facts[:, 2]
    is_name = (objects >= 0) & (objects < FIRST_LITERAL)
    is_literal = objects >= FIRST_LITERAL
    values = objects[is_literal]
    _replace(values, FIRST_LITERAL + common.literals, vocabulary.numbers_of(terms.literals, "object", scope))
    ends = objects[is_name]
    _replace(ends, common.names, names)
    objects[is_name], objects[is_literal] = ends, values
    varied = np.flatnonzero(is_literal)[values < 0]
    forms = vocabulary.take_forms(facts, varied, interpretation.asserted)
    return ClosedABox(facts, Encoded(facts[: interpretation.asserted], forms))


def _replace(column: Integers, common: int, numbers: Integers) -> None:
    """Put `numbers[i]` in place of `common + i`."""
    own = column >= common
    column[own] = numbers[column[own] - common]


class Texts:
    """The terms of a foundation in N-Triples syntax, to write interpretations with."""

    def __init__(self, foundation: Foundation) -> None:
        numbers, common = foundation.vocabulary, foundation.common
        self._scope = _scope_beside(foundation)
        self._symbols = _strings(write_term(symbol.name) for symbol in numbers.symbols[: common.symbols])
        self._names = _strings(write_term(name) for name in numbers.names[: common.names])
        self._literals = _strings(write_term(literal) for literal in numbers.literals[: common.literals])

    def table(self, interpretation: Interpretation, *, apart: bool = False) -> pa.Table:
        """The facts as a table of strings `subject`, `predicate`, `object` and booleans `derived`.

        Args:
            apart: give the ABox's blank nodes a prefix where the background has any too, so that a label
                means one node.
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
