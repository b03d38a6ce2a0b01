"""Signed bags of rows for registered queries.

A row is a tuple of term numbers. A bag is a dictionary from rows to numbers of copies. In a *signed* bag, the
delta of a bag, inserted copies count positive and deleted copies negative. No number is zero.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *

from pantarhei.materialize.kernel.arrays import ints_of

_UNKNOWN = object()


def put(bag: dict, row: tuple, weight):
    """Add copies of a row to a bag; a negative weight removes copies."""
    size: cython.Py_ssize_t = len(bag)
    before = bag.setdefault(row, weight)
    if len(bag) == size:  # the bag has the row already
        weight = weight + before
        if weight:
            bag[row] = weight
        else:
            del bag[row]


def add_logged(entries: list, changes, absent):
    """Apply deltas to bags, given as pairs `(bag, delta)`; a bag may occur several times.

    Args:
        entries: undo log, to which `(bag, row, previous number of copies)` is appended.
        absent: stands for the previous number of copies of a row that the bag did not have.
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


def group_by_suffix(change, size: cython.Py_ssize_t):
    """Group the rows of a delta by their last `size` numbers, and remove these from the rows."""
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
    """Return the rows of a delta whose column `place` is true. Returns None if the truth value of a term is
    unknown.

    Args:
        known: truth values by term number.
    """
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


def project(change, places: list):
    """Project the rows of a delta to these columns; a negative column gives `NONE`."""
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


def take(items, at, places):
    """Return the items at the indexes `at + place` for each of `places`. Short results need no intermediate
    list.
    """
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
        found.append(items[at + places[i]])  # noqa: PERF401 (compiled to a C loop)
    return tuple(found)


@cython.cclass
class Reader:
    """Converter of the matches of a body to rows of one leaf operator.

    Args:
        leaf: the operator that receives the rows.
        places: for each column of a row its index in the match.
        forms: a tuple for each column that is the literal of a displayed fact: the column, the fact's
            property, and the indexes of its subject and of its object in the match.
        test: `(column, known, learn)` of a filter that passes the rows whose term at the column is true.
            `known` has truth values by term number, `learn` computes the truth value for a row. None for no
            filter.
    """

    def __init__(self, leaf, places, forms, test=None):
        self.leaf = leaf
        self.places = ints_of(places)
        self.forms = tuple(forms)
        self.tested = NONE if test is None else test[0]
        self.known = {} if test is None else test[1]
        self.learn = None if test is None else test[2]

    def row(self, found, at, shown):
        """Return the row of the match at index `at` of `found`; `shown` as for `BodyMatches.signed_rows`."""
        row: tuple = take(found.items, at, self.places)
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
        """Add the row of a match to the delta of the leaf, if it passes the filter."""
        if self.tested >= 0 and shown is None:  # otherwise the column may have another form of the literal
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
        """Return true if a row passes the filter."""
        is_true = self.known.get(row[self.tested], _UNKNOWN)
        return (self.learn(row) if is_true is _UNKNOWN else is_true) is True


@cython.cclass
class Readers:
    """Readers of the matches of one body.

    Args:
        of_all: readers that take every match.
        of_some: readers that take the matches with certain constants, by the values of the first variables.
        constants: number of these first variables.
    """

    def __init__(self, of_all, of_some, constants):
        self.of_all = list(of_all)
        self.of_some = of_some
        self.constants = ints_of(range(2, 2 + constants))

    def read(self, found, at, shown, changes):
        """Pass a match to the readers that take it."""
        reader: Reader
        for reader in self.of_all:
            reader.read(found, at, shown, changes)
        if self.of_some:
            bound = take(found.items, at, self.constants)
            for reader in self.of_some.get(bound, ()):
                reader.read(found, at, shown, changes)
