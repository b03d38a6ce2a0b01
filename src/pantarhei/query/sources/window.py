"""Facts of a window model as a graph to which patterns are matched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np
from rdflib import Literal

from pantarhei.encoding.numbers import NONE, FactForms, Integers
from pantarhei.materialize.kernel_values import contiguous
from pantarhei.materialize.model import WindowModel
from pantarhei.model.term import RDF_TYPE, Term
from pantarhei.query.solutions import LOCAL, NO_LIMITS, Ids, Mask, QueryLimits, TermSpace
from pantarhei.query.sources.relation import (
    ColumnRelation,
    FactSource,
    IndexedTriples,
    MatchedPairs,
    Relation,
)


class JoinedFacts:
    """Union of two disjoint graphs. Facts are copied only if all triples are read.

    Args:
        large, small: graphs that share no triple by value. Reading a predicate without facts in `small` costs
            as much as reading it in `large` alone.
    """

    def __init__(self, large: FactSource, small: FactSource) -> None:
        self._large, self._small = large, small

    @property
    def has_forms(self) -> bool:
        return self._large.has_forms or self._small.has_forms

    @property
    def is_distinct(self) -> bool:
        return self._large.is_distinct and self._small.is_distinct

    def relation(self, predicate: Term) -> Relation:
        small = self._small.relation(predicate)
        large = self._large.relation(predicate)
        return JoinedRelation(large, small) if len(small) else large

    def members(self, class_: Term) -> Relation:
        small = self._small.members(class_)
        large = self._large.members(class_)
        return JoinedRelation(large, small) if len(small) else large

    @cached_property
    def triples(self) -> IndexedTriples:
        both = [self._large.triples.all(), self._small.triples.all()]
        columns = zip(*((m.subjects, m.predicates, m.objects, m.form_ids) for m in both), strict=True)
        return IndexedTriples(*map(np.concatenate, columns))


class JoinedRelation:
    """Union of two disjoint relations."""

    def __init__(self, large: Relation, small: Relation) -> None:
        self._parts = (large, small)

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def pairs(self) -> tuple[Ids, Ids, Ids]:
        found = [part.pairs() for part in self._parts]
        subjects = np.concatenate([each[0] for each in found])
        return subjects, *_concat_ids([each[1:] for each in found])

    def forward(self, subjects: Ids, limits: QueryLimits = NO_LIMITS) -> MatchedPairs:
        return _concat_pairs([part.forward(subjects, limits) for part in self._parts])

    def backward(self, objects: Ids, limits: QueryLimits = NO_LIMITS) -> MatchedPairs:
        return _concat_pairs([part.backward(objects, limits) for part in self._parts])

    def holds(self, subjects: Ids, objects: Ids) -> Mask:
        large, small = (part.holds(subjects, objects) for part in self._parts)
        return large | small


def _concat_pairs(found: Sequence[MatchedPairs]) -> MatchedPairs:
    rows = np.concatenate([pairs.rows for pairs in found])
    return MatchedPairs(rows, *_concat_ids([(pairs.others, pairs.form_ids) for pairs in found]))


def _concat_ids(found: Sequence[tuple[Ids, Ids]]) -> tuple[Ids, Ids]:
    """Concatenate value numbers, and term numbers in literal forms; the result is one array if both are
    equal.
    """
    others = np.concatenate([values for values, _ in found])
    if all(form_ids is values for values, form_ids in found):
        return others, others
    return others, np.concatenate([form_ids for _, form_ids in found])


NO_PAIRS: Final = ColumnRelation(*(np.empty(0, np.int64),) * 2)

# Greatest number of terms that are looked up in the kernel if the facts are in columns.
_MAX_PROBED_WITH_COLUMNS = 32

# Greatest number of terms that are looked up in the kernel before the facts are copied into columns:
# `_MAX_PROBED`, or one term for `_FACTS_PER_TERM` facts.
_MAX_PROBED, _FACTS_PER_TERM = 512, 16

# Greatest number of facts that one lookup in the kernel returns, since a lookup cannot be interrupted.
_MAX_PROBED_FACTS = 1 << 16


class WindowFacts:
    """The materialization in one state.

    Few terms are looked up in the kernel's indexes. For many terms, all facts are first copied into columns.

    Args:
        model: the window model, which must not change while this object is in use.
        terms: term numbers, which include the numbers of the model's vocabulary.
        forms: literal forms by fact.
    """

    def __init__(self, model: WindowModel, terms: TermSpace, forms: FactForms) -> None:
        self._model, self._terms, self._forms = model, terms, forms
        self._indexed: set[tuple[int, bool]] = set()
        self._relations: dict[Term, Relation] = {}
        self._members: dict[Term, Relation] = {}

    def __len__(self) -> int:
        return len(self._model)

    @property
    def has_forms(self) -> bool:
        return bool(self._forms) or self._terms.has_replacements

    @property
    def is_distinct(self) -> bool:
        return True

    def relation(self, predicate: Term) -> Relation:
        found = self._relations.get(predicate)
        if found is None:
            found = self._relations[predicate] = self._relation(predicate)
        return found

    def _relation(self, predicate: Term) -> Relation:
        if predicate == RDF_TYPE and not self._model.vocabulary.has_class_variables:
            return self._types
        number = self._model.vocabulary.find_property(predicate)
        return NO_PAIRS if number is None else PropertyFacts(self, number)

    def members(self, class_: Term) -> Relation:
        if self._model.vocabulary.has_class_variables:
            return self.relation(RDF_TYPE)
        found = self._members.get(class_)
        if found is None:
            number = None if isinstance(class_, Literal) else self._model.vocabulary.find_class(class_)
            id_ = self._terms.values(np.array([self._terms.id_of(class_)], np.int64))[0]
            found = NO_PAIRS if number is None else ClassFacts(self, number, int(id_))
            self._members[class_] = found
        return found

    # -- columns -----------------------------------------------------------------------------------

    @property
    def has_columns(self) -> bool:
        """True if the facts have been copied into columns."""
        return "_facts_by_symbol" in self.__dict__

    @cached_property
    def _facts_by_symbol(self) -> tuple[Ids, Ids, Ids]:
        symbols = len(self._model.vocabulary.symbols)
        starts, subjects, objects = self._model.kernel.store.by_predicate(symbols)
        return starts, subjects.astype(np.int64), objects.astype(np.int64)

    @cached_property
    def _forms_by_property(self) -> dict[int, list[tuple[int, int, Literal]]]:
        """Literal forms by number of the property, each with the subject and object of its fact."""
        forms_of: dict[int, list[tuple[int, int, Literal]]] = defaultdict(list)
        for (predicate, subject, object_), form in self._forms.items():
            forms_of[predicate].append((subject, object_, form))
        return forms_of

    def columns(self, number: int) -> ColumnRelation:
        """Return the facts of a class or property as columns; the objects of a class are `NONE`."""
        starts, subjects, objects = self._facts_by_symbol
        part = slice(int(starts[number]), int(starts[number + 1]))
        forms = self._forms_by_property.get(number)
        what = objects[part]
        form_ids = (
            self._forms_of_objects(subjects[part], what, forms) if forms else self._terms.first_forms(what)
        )
        return ColumnRelation(subjects[part], what, None if form_ids is what else form_ids)

    def _forms_of_objects(self, subjects: Ids, objects: Ids, forms: list[tuple[int, int, Literal]]) -> Ids:
        """Return the term numbers of the objects of facts, in the facts' literal forms."""
        form_ids = self._terms.first_forms(objects)
        if form_ids is objects:
            form_ids = objects.copy()
        keys = (subjects << 32) | objects
        order = np.argsort(keys)
        target = np.array([(subject << 32) | object_ for subject, object_, _ in forms], np.int64)
        indexes = np.searchsorted(keys, target, sorter=order)
        for index, key, (_, _, form) in zip(indexes.tolist(), target.tolist(), forms, strict=True):
            if index < len(order) and keys[order[index]] == key:
                form_ids[order[index]] = self._terms.id_of(form)
        return form_ids

    @cached_property
    def _symbol_ids(self) -> Ids:
        """Term numbers of the classes and properties that have facts."""
        symbols = self._model.vocabulary.symbols
        counts = np.diff(self._facts_by_symbol[0])
        ids = [
            self._terms.id_of(symbol.name) if count else NONE
            for symbol, count in zip(symbols, counts.tolist(), strict=True)
        ]
        return self._terms.values(np.array(ids, np.int64))

    @cached_property
    def _symbol_of_fact(self) -> Ids:
        """Number of the class or property of each fact."""
        counts = np.diff(self._facts_by_symbol[0])
        return np.repeat(np.arange(len(counts)), counts)

    @cached_property
    def _types(self) -> ColumnRelation:
        _, subjects, objects = self._facts_by_symbol
        of_classes = np.flatnonzero(objects == NONE)
        return ColumnRelation(subjects[of_classes], self._symbol_ids[self._symbol_of_fact[of_classes]])

    @cached_property
    def triples(self) -> IndexedTriples:
        starts, subjects, objects = self._facts_by_symbol
        names = self._symbol_ids[self._symbol_of_fact]
        is_class = objects == NONE
        type_ = int(self._terms.values(np.array([self._terms.id_of(RDF_TYPE)], np.int64))[0])
        what = np.where(is_class, names, objects)
        form_ids = self._terms.first_forms(what)
        if self._forms:
            form_ids = what.copy() if form_ids is what else form_ids
            for number in self._forms_by_property:
                part = slice(int(starts[number]), int(starts[number + 1]))
                form_ids[part] = self.columns(number).pairs()[2]
        return IndexedTriples(subjects, np.where(is_class, type_, names), what, form_ids)

    # -- single terms ------------------------------------------------------------------------------

    def is_few(self, count: int) -> bool:
        """Return whether looking up `count` terms in the kernel is cheaper than reading columns."""
        if self.has_columns:
            return count <= _MAX_PROBED_WITH_COLUMNS
        return count <= max(_MAX_PROBED, len(self._model) // _FACTS_PER_TERM)

    def object_forms(self, number: int, subjects: Ids, objects: Ids) -> Ids:
        """Return the term numbers of the objects of a property's facts, in the facts' literal forms.

        The cost is a lookup for each object, if there are few objects, or else for each whose value has
        several forms.
        """
        if not self._forms:
            return self._terms.first_forms(objects)
        if len(objects) <= _MAX_PROBED_WITH_COLUMNS:
            indexes = np.arange(len(objects))
        else:
            indexes = np.flatnonzero(self._model.vocabulary.varied.among(objects))
        facts = zip(subjects[indexes].tolist(), objects[indexes].tolist(), strict=True)
        forms = [self._forms.get((number, *fact)) for fact in facts]
        with_form = [index for index, form in enumerate(forms) if form is not None]
        form_ids = self._terms.first_forms(objects)
        if not with_form:
            return form_ids
        if form_ids is objects:
            form_ids = objects.copy()
        form_ids[indexes[with_form]] = self._terms.ids_of([forms[index] for index in with_form])
        return form_ids

    def probe(self, number: int, terms: Ids, by_object: bool) -> tuple[Ids, Ids] | None:
        """Return the facts with one of `terms` as subject or object: the indexes in `terms`, and the other
        ends of the facts.

        None if terms or facts are many; columns then count the matches before arrays are allocated.
        """
        if not self.is_few(len(terms)):
            return None
        store = self._model.kernel.store
        if (number, by_object) not in self._indexed:
            store.index(number, not by_object, by_object)
            self._indexed.add((number, by_object))
        found = store.probe(number, contiguous(_numbers(terms)), 1 if by_object else 0, _MAX_PROBED_FACTS)
        if found is None:
            return None
        return found[:, 0].astype(np.int64), found[:, 1].astype(np.int64)

    def present(self, number: int, subjects: Ids, objects: Ids) -> Mask:
        """Return a mask of the facts of a class or property that the model contains."""
        facts = np.empty((len(subjects), 3), np.int32)
        facts[:, 0], facts[:, 1], facts[:, 2] = number, _numbers(subjects), _numbers(objects)
        found: Mask = np.array(self._model.kernel.store.present(contiguous(facts)), np.bool_)
        return found


class PropertyFacts:
    """Facts of a property."""

    def __init__(self, facts: WindowFacts, number: int) -> None:
        self._facts, self._number = facts, number

    @cached_property
    def _columns(self) -> ColumnRelation:
        return self._facts.columns(self._number)

    def __len__(self) -> int:
        return len(self._columns)

    def pairs(self) -> tuple[Ids, Ids, Ids]:
        return self._columns.pairs()

    def forward(self, subjects: Ids, limits: QueryLimits = NO_LIMITS) -> MatchedPairs:
        probed = self._facts.probe(self._number, subjects, by_object=False)
        if probed is None:
            return self._columns.forward(subjects, limits)
        rows, others = probed
        return MatchedPairs(rows, others, self._facts.object_forms(self._number, subjects[rows], others))

    def backward(self, objects: Ids, limits: QueryLimits = NO_LIMITS) -> MatchedPairs:
        probed = self._facts.probe(self._number, objects, by_object=True)
        if probed is None:
            return self._columns.backward(objects, limits)
        rows, others = probed
        return MatchedPairs(rows, others, self._facts.object_forms(self._number, others, objects[rows]))

    def holds(self, subjects: Ids, objects: Ids) -> Mask:
        return self._facts.present(self._number, subjects, objects)


class ClassFacts:
    """Members of a class, as pairs of a member and the class.

    Args:
        number: number of the class as a symbol.
        name: value number of the class as a term.
    """

    def __init__(self, facts: WindowFacts, number: int, name: int) -> None:
        self._facts, self._number, self._name = facts, number, name

    @cached_property
    def _members(self) -> Ids:
        return self._facts.columns(self._number).pairs()[0]

    def __len__(self) -> int:
        return len(self._members)

    def pairs(self) -> tuple[Ids, Ids, Ids]:
        names = np.full(len(self._members), self._name, np.int64)
        return self._members, names, names

    def forward(self, subjects: Ids, limits: QueryLimits = NO_LIMITS) -> MatchedPairs:
        rows = np.flatnonzero(self.holds(subjects, np.full(len(subjects), self._name, np.int64)))
        names = np.full(len(rows), self._name, np.int64)
        return MatchedPairs(rows, names, names)

    def backward(self, objects: Ids, limits: QueryLimits = NO_LIMITS) -> MatchedPairs:
        rows = np.flatnonzero(objects == self._name)
        count = len(self._members)
        limits.check_rows(count * len(rows))
        names = np.full(count * len(rows), self._name, np.int64)
        return MatchedPairs(np.repeat(rows, count), np.tile(self._members, len(rows)), names)

    def holds(self, subjects: Ids, objects: Ids) -> Mask:
        found = self._facts.present(self._number, subjects, np.full(len(subjects), NONE, np.int64))
        agree: Mask = found & (objects == self._name)
        return agree


def _numbers(terms: Ids) -> Integers:
    """Return term numbers for the kernel; a local number is replaced by a number that no term has."""
    return np.minimum(terms, LOCAL - 1).astype(np.int32)
