"""Facts of a window model as a graph for pattern matching."""

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
        large, small: graphs without a common triple, by value; a predicate without facts in `small` costs no
            more than in `large`.
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

    def triples(self) -> IndexedTriples:
        return self._triples

    def nodes(self) -> Ids:
        return self._triples.nodes

    @cached_property
    def _triples(self) -> IndexedTriples:
        both = [self._large.triples().all(), self._small.triples().all()]
        columns = zip(*((m.subjects, m.predicates, m.objects, m.shown) for m in both), strict=True)
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
        return subjects, *_others([each[1:] for each in found])

    def forward(self, subjects: Ids, limits: QueryLimits = NO_LIMITS) -> MatchedPairs:
        return _together([part.forward(subjects, limits) for part in self._parts])

    def backward(self, objects: Ids, limits: QueryLimits = NO_LIMITS) -> MatchedPairs:
        return _together([part.backward(objects, limits) for part in self._parts])

    def holds(self, subjects: Ids, objects: Ids) -> Mask:
        large, small = (part.holds(subjects, objects) for part in self._parts)
        return large | small


def _together(found: Sequence[MatchedPairs]) -> MatchedPairs:
    rows = np.concatenate([pairs.rows for pairs in found])
    return MatchedPairs(rows, *_others([(pairs.others, pairs.shown) for pairs in found]))


def _others(found: Sequence[tuple[Ids, Ids]]) -> tuple[Ids, Ids]:
    """Concatenate terms by value and in their forms; one array if both are equal."""
    others = np.concatenate([values for values, _ in found])
    if all(shown is values for values, shown in found):
        return others, others
    return others, np.concatenate([shown for _, shown in found])


NOTHING: Final = ColumnRelation(*(np.empty(0, np.int64),) * 2)

# Greatest number of terms that are looked up in the kernel although the facts are in columns.
_FEW = 32

# Greatest number of terms that are looked up before: `_RATHER_FEW`, or one for `_FACTS_A_TERM` facts.
_RATHER_FEW, _FACTS_A_TERM = 512, 16

# Greatest number of facts that one look-up in the kernel returns; it cannot be interrupted.
_MOST_PROBED = 1 << 16


class WindowFacts:
    """The materialization at one state.

    Few terms are looked up in the kernel's chains; for many terms all facts are copied into columns once.

    Args:
        model: must not change while this is in use.
        terms: dictionary with the vocabulary's numbers.
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
        return NOTHING if number is None else PropertyFacts(self, number)

    def members(self, class_: Term) -> Relation:
        if self._model.vocabulary.has_class_variables:
            return self.relation(RDF_TYPE)
        found = self._members.get(class_)
        if found is None:
            number = None if isinstance(class_, Literal) else self._model.vocabulary.find_class(class_)
            id_ = self._terms.values(np.array([self._terms.id_of(class_)], np.int64))[0]
            found = NOTHING if number is None else ClassFacts(self, number, int(id_))
            self._members[class_] = found
        return found

    def triples(self) -> IndexedTriples:
        return self._triples

    def nodes(self) -> Ids:
        return self._triples.nodes

    # -- columns -----------------------------------------------------------------------------------

    @property
    def has_columns(self) -> bool:
        """True if the facts have been copied into columns."""
        return "_grouped" in self.__dict__

    @cached_property
    def _grouped(self) -> tuple[Ids, Ids, Ids]:
        symbols = len(self._model.vocabulary.symbols)
        starts, subjects, objects = self._model.kernel.store.by_predicate(symbols)
        return starts, subjects.astype(np.int64), objects.astype(np.int64)

    @cached_property
    def _forms_of(self) -> dict[int, list[tuple[int, int, Literal]]]:
        """Forms by class or property, each with the subject and object of its fact."""
        forms_of: dict[int, list[tuple[int, int, Literal]]] = defaultdict(list)
        for (predicate, subject, object_), form in self._forms.items():
            forms_of[predicate].append((subject, object_, form))
        return forms_of

    def columns(self, number: int) -> ColumnRelation:
        """Return the facts of a class or property; objects of a class are `NONE`."""
        starts, subjects, objects = self._grouped
        part = slice(int(starts[number]), int(starts[number + 1]))
        forms = self._forms_of.get(number)
        what = objects[part]
        shown = self._all_shown(subjects[part], what, forms) if forms else self._terms.shown(what)
        return ColumnRelation(subjects[part], what, None if shown is what else shown)

    def _all_shown(self, subjects: Ids, objects: Ids, forms: list[tuple[int, int, Literal]]) -> Ids:
        """Return the objects in the forms of their facts."""
        shown = self._terms.shown(objects)
        if shown is objects:
            shown = objects.copy()
        keys = (subjects << 32) | objects
        order = np.argsort(keys)
        target = np.array([(subject << 32) | object_ for subject, object_, _ in forms], np.int64)
        places = np.searchsorted(keys, target, sorter=order)
        for place, key, (_, _, form) in zip(places.tolist(), target.tolist(), forms, strict=True):
            if place < len(order) and keys[order[place]] == key:
                shown[order[place]] = self._terms.id_of(form)
        return shown

    @cached_property
    def _symbol_ids(self) -> Ids:
        """Term numbers of the classes and properties that have facts."""
        symbols = self._model.vocabulary.symbols
        counts = np.diff(self._grouped[0])
        ids = [
            self._terms.id_of(symbol.name) if count else NONE
            for symbol, count in zip(symbols, counts.tolist(), strict=True)
        ]
        return self._terms.values(np.array(ids, np.int64))

    @cached_property
    def _of_symbols(self) -> Ids:
        """Class or property of each fact."""
        counts = np.diff(self._grouped[0])
        return np.repeat(np.arange(len(counts)), counts)

    @cached_property
    def _types(self) -> ColumnRelation:
        _, subjects, objects = self._grouped
        of_classes = np.flatnonzero(objects == NONE)
        return ColumnRelation(subjects[of_classes], self._symbol_ids[self._of_symbols[of_classes]])

    @cached_property
    def _triples(self) -> IndexedTriples:
        starts, subjects, objects = self._grouped
        names = self._symbol_ids[self._of_symbols]
        is_class = objects == NONE
        type_ = int(self._terms.values(np.array([self._terms.id_of(RDF_TYPE)], np.int64))[0])
        what = np.where(is_class, names, objects)
        shown = self._terms.shown(what)
        if self._forms:
            shown = what.copy() if shown is what else shown
            for number in self._forms_of:
                part = slice(int(starts[number]), int(starts[number + 1]))
                shown[part] = self.columns(number).pairs()[2]
        return IndexedTriples(subjects, np.where(is_class, type_, names), what, shown)

    # -- single terms ------------------------------------------------------------------------------

    def is_few(self, count: int) -> bool:
        """Return True if `count` terms are cheaper to look up in the kernel than in columns."""
        if self.has_columns:
            return count <= _FEW
        return count <= max(_RATHER_FEW, len(self._model) // _FACTS_A_TERM)

    def shown(self, number: int, subjects: Ids, objects: Ids) -> Ids:
        """Return the objects of a property's facts in their forms.

        Costs a look-up for each literal whose value has several forms, or for each of a few.
        """
        if not self._forms:
            return self._terms.shown(objects)
        if len(objects) <= _FEW:
            places = np.arange(len(objects))
        else:
            places = np.flatnonzero(self._model.vocabulary.varied.among(objects))
        facts = zip(subjects[places].tolist(), objects[places].tolist(), strict=True)
        forms = [self._forms.get((number, *fact)) for fact in facts]
        varied = [place for place, form in enumerate(forms) if form is not None]
        shown = self._terms.shown(objects)
        if not varied:
            return shown
        if shown is objects:
            shown = objects.copy()
        shown[places[varied]] = self._terms.ids_of([forms[place] for place in varied])
        return shown

    def probe(self, number: int, terms: Ids, by_object: bool) -> tuple[Ids, Ids] | None:
        """Return the facts with one of `terms` as subject or object: positions in `terms`, and the other
        ends.

        None if the terms or facts are many: columns count the matches before they are allocated.
        """
        if not self.is_few(len(terms)):
            return None
        store = self._model.kernel.store
        if (number, by_object) not in self._indexed:
            store.index(number, not by_object, by_object)
            self._indexed.add((number, by_object))
        found = store.probe(number, contiguous(_numbers(terms)), 1 if by_object else 0, _MOST_PROBED)
        if found is None:
            return None
        return found[:, 0].astype(np.int64), found[:, 1].astype(np.int64)

    def present(self, number: int, subjects: Ids, objects: Ids) -> Mask:
        """Return a mask of the facts of a class or property that are in the store."""
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
        return MatchedPairs(rows, others, self._facts.shown(self._number, subjects[rows], others))

    def backward(self, objects: Ids, limits: QueryLimits = NO_LIMITS) -> MatchedPairs:
        probed = self._facts.probe(self._number, objects, by_object=True)
        if probed is None:
            return self._columns.backward(objects, limits)
        rows, others = probed
        return MatchedPairs(rows, others, self._facts.shown(self._number, others, objects[rows]))

    def holds(self, subjects: Ids, objects: Ids) -> Mask:
        return self._facts.present(self._number, subjects, objects)


class ClassFacts:
    """Members of a class, as pairs with its name.

    Args:
        number: number of the class.
        name: number of its name, by value.
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
    """Terms as the kernel knows them; those that it cannot know as a number that none has."""
    return np.minimum(terms, LOCAL - 1).astype(np.int32)
