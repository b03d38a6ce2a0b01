"""What repairs took out, looked up together."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, URIRef

from pantarhei.encoding.lexicon import Lexicon, LiteralSet, Names
from pantarhei.encoding.numbers import Symbol
from pantarhei.repair.occurrences import Removal, look_up
from pantarhei.window.log import EMPTY_LOG, Entry, Log

CLASSES = 3


def lexicon(shift):
    """Class `c` has the number `(c + shift) % CLASSES`."""
    symbols = [Symbol(URIRef(f"urn:{(number - shift) % CLASSES}"), 1) for number in range(CLASSES)]
    return Lexicon(symbols, Names(["<urn:x>"]), [], LiteralSet())


def facts(classes, shift):
    return np.array([((each + shift) % CLASSES, 0, -1) for each in classes], np.int32).reshape(-1, 3)


def renumbered(log):
    def shifted(rows):
        return np.column_stack([(rows[:, 0] + 1) % CLASSES, rows[:, 1:]]).astype(np.int32)

    entries = (replace(each, facts=shifted(each.facts), cut=shifted(each.cut)) for each in log)
    return Log.of(entries, log.timeline.first_level)


some = st.lists(st.integers(0, CLASSES - 1), max_size=3)


@settings(deadline=None)
@given(st.lists(st.tuples(some, some, st.integers(1, 6), st.booleans()), max_size=12))
def test_removals_looked_up_together_are_those_of_one_by_one_and_of_the_definition(steps):
    """A cut fact loses what asserts it in the window of the time, since it was last cut.

    Now and then the facts have other numbers from there on, as after a compaction.
    """
    log, numbers, shift, held = EMPTY_LOG, lexicon(0), 0, {}
    removals, expected = [], []
    for level, (asserted, cut, width, renumbers) in enumerate(steps):
        if renumbers:
            log, numbers, shift = renumbered(log), lexicon(shift + 1), shift + 1
        log = log.from_level(level - width)
        for each in asserted:
            held.setdefault(each, set()).add(level)
        lost = {each: held.pop(each, set()) for each in dict.fromkeys(cut)}
        arriving = Entry(level, f"t{level}", 10 * level, facts(asserted, shift), facts(lost, shift))
        if cut:
            removals.append(Removal(log, arriving, numbers))
            inside = {
                (each, at) for each, ats in lost.items() for at in ats if at >= log.timeline.first_level
            }
            expected.append({(f"t{at}", (URIRef("urn:x"), RDF.type, URIRef(f"urn:{c}"))) for c, at in inside})
        log = log.with_entry(arriving)
    together = list(look_up(removals))
    assert [found.assertions() for found in together] == expected
    assert [found.assertions() for each in removals for found in look_up([each])] == expected
    assert list(map(len, together)) == list(map(len, expected))


def test_of_no_removals_there_is_nothing_to_look_up():
    assert list(look_up([])) == []
