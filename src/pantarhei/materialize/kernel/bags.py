"""Signed bags of rows: what registered queries do for each row.

A row is a tuple of numbers of terms. A signed bag is a dictionary that says how many copies of a row came
(above 0) or went (below), or are there; none has the weight 0.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *

from pantarhei.materialize.kernel.arrays import ints_of

_UNKNOWN = object()


def put(bag: dict, row: tuple, weight):
    """Add copies of a row to a bag."""
    size: cython.Py_ssize_t = len(bag)
    before = bag.setdefault(row, weight)
    if len(bag) == size:  # it was there
        weight = weight + before
        if weight:
            bag[row] = weight
        else:
            del bag[row]


def add_noted(entries: list, changes, absent):
    """Add the rows of changes, pairs `(bag, change)`, to bags; `entries` note what stood there before, and
    `absent` where nothing did. A bag may recur.
    """
    bag: dict
    change: dict
    for bag, change in changes:
        for row, weight in change.items():
            before = bag.get(row)
            if before is None:
                entries.append((bag, row, absent))
                bag[row] = weight
                continue
            entries.append((bag, row, before))
            weight = weight + before
            if weight:
                bag[row] = weight
            else:
                del bag[row]


def by_end(change, size: cython.Py_ssize_t):
    """A change by the last `size` numbers of its rows, without these there."""
    rows: dict = change
    parts: dict = {}
    row: tuple
    part: dict
    for row, weight in rows.items():
        length: cython.Py_ssize_t = len(row)
        end = row[length - size :]
        found = parts.get(end)
        if found is None:
            part = parts[end] = {}
        else:
            part = found
        part[row[: length - size]] = weight
    return parts


def true_rows(change, place: cython.Py_ssize_t, known):
    """The rows of a change for which what stands at a place is true; None where that is not known of each."""
    rows: dict = change
    truths: dict = known
    found: dict = {}
    row: tuple
    for row, weight in rows.items():
        is_true = truths.get(row[place], _UNKNOWN)
        if is_true is True:
            found[row] = weight
        elif is_true is _UNKNOWN:
            return None
    return found


def projected(change, places: list):
    """The rows of a change with what stands at these places alone, `NONE` where a place is below 0."""
    rows: dict = change
    found: dict = {}
    row: tuple
    part: list
    for row, weight in rows.items():
        part = []
        for each in places:
            part.append(row[each] if each >= 0 else NONE)
        put(found, tuple(part), weight)
    return found


def taken(items, at, places):
    """What stands at places behind a place; a few at once, without a list between."""
    i: cython.Py_ssize_t
    count: cython.Py_ssize_t = len(places)
    if count == 1:
        return (items[at + places[0]],)
    if count == 2:
        return items[at + places[0]], items[at + places[1]]
    if count == 3:
        return items[at + places[0]], items[at + places[1]], items[at + places[2]]
    found: list = []
    for i in range(count):
        found.append(items[at + places[i]])  # noqa: PERF401 (this loop is one of C)
    return tuple(found)


@cython.cclass
class Reader:
    """Makes rows of the matches of a body.

    Args:
        leaf: whose rows they are.
        places: where in a match stands what a row has.
        forms: where a row has a literal that a fact shows: the place in the row; the fact's property, and the
            places of its subject and object in the match.
        test: `(place, known, learn)` where not all rows are read: those are for which what stands at a place
            of the row is true, which is `known` by its number, or what `learn` says of the row. None for all.
    """

    def __init__(self, leaf, places, forms, test=None):
        self.leaf = leaf
        self.places = ints_of(places)
        self.forms = tuple(forms)
        self.tested = NONE if test is None else test[0]
        self.known = {} if test is None else test[1]
        self.learn = None if test is None else test[2]

    def row(self, found, at, shown):
        """The row of the match at a place of `found`; `shown` as `BodyMatches.signed_rows` takes it."""
        row: tuple = taken(found.items, at, self.places)
        if shown is not None and self.forms:
            shown_row: list = list(row)
            for place, predicate, subject, object_ in self.forms:
                literal = found.items[at + cython.cast(cython.int, object_)]
                if literal >= FIRST_LITERAL:
                    fact = (predicate, found.items[at + cython.cast(cython.int, subject)], literal)
                    form = shown(fact, found.items[at + 1])
                    if form is not None:
                        shown_row[place] = form
            row = tuple(shown_row)
        return row

    def read(self, found, at, shown, changes):
        """Add the row of a match to the change of the leaf, if it passes the test."""
        if self.tested >= 0 and shown is None:  # else the row may show another form
            number = found.items[at + self.places[self.tested]]
            if self.known.get(number, True) is not True:
                return
        row = self.row(found, at, shown)
        if self.tested >= 0 and not self.passes(row):
            return
        bag = changes.get(self.leaf)
        if bag is None:
            bag = changes[self.leaf] = {}
        put(bag, row, found.items[at + 1])

    def passes(self, row: tuple):
        """Whether a row passes the test."""
        is_true = self.known.get(row[self.tested], _UNKNOWN)
        return (self.learn(row) if is_true is _UNKNOWN else is_true) is True


@cython.cclass
class Readers:
    """Who reads the matches of one body.

    Args:
        of_all: those who read all of them.
        of_some: the others, by what the first variables are bound to.
        constants: how many variables those are.
    """

    def __init__(self, of_all, of_some, constants):
        self.of_all = list(of_all)
        self.of_some = of_some
        self.constants = ints_of(range(2, 2 + constants))

    def read(self, found, at, shown, changes):
        """Let all who read a match add its row to their changes."""
        reader: Reader
        for reader in self.of_all:
            reader.read(found, at, shown, changes)
        if self.of_some:
            bound = taken(found.items, at, self.constants)
            for reader in self.of_some.get(bound, ()):
                reader.read(found, at, shown, changes)
