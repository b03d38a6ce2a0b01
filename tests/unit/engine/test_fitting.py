"""What leaves early so that a window fits its limits."""

import pytest
from rdflib import Variable

from pantarhei.engine.consumer import Consumers
from pantarhei.engine.fitting import Fitting
from pantarhei.engine.memory import Memory
from pantarhei.errors import MemoryLimitError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.model.rule import Rule
from pantarhei.ontology import Ontology
from pantarhei.window.history import History, Past
from pantarhei.window.limits import Limits
from pantarhei.window.log import Entry, Log
from strategies import EX, A, B, is_a, member

x = Variable("x")
EACH = 10  # assertions of a timestamp, from each of which another fact follows


@pytest.fixture
def window():
    """Makes a `Fitting` of four timestamps."""
    foundation = Foundation.of(Ontology.from_rules([Rule("cax-sco", (is_a(A, x),), is_a(B, x))]))
    model, entries = foundation.model(), []
    for level in range(4):
        facts = foundation.vocabulary.encode([member(A, EX[f"i{level}x{i}"]) for i in range(EACH)]).facts
        model.add(facts, level)
        entries.append(Entry(level, level + 1, level + 1, facts, facts[:0]))
    model.take_changes()

    def made(**limits):
        memory = Memory(Limits(**limits), foundation.vocabulary, Consumers())
        return Fitting(model, Log.of(entries), memory, Past(History()))

    return made


def at(entries):
    return [entry.at for entry in entries]


def test_what_fits_stays(window):
    fitting = window(max_facts=8 * EACH, on_limit="drop")
    fitting.fit(4)
    assert (at(fitting.early), len(fitting.model)) == ([], 8 * EACH)


@pytest.mark.parametrize(("most", "early"), [(8 * EACH - 1, [1]), (4 * EACH, [1, 2]), (2 * EACH, [1, 2, 3])])
def test_the_oldest_leave_and_no_more_than_must(window, most, early):
    fitting = window(max_facts=most, on_limit="drop")
    fitting.fit(4)
    assert at(fitting.early) == early
    assert len(fitting.model) == 2 * EACH * (4 - len(early)) and len(fitting.log.timeline) == 4 - len(early)


def test_too_many_bytes_make_the_oldest_leave_and_the_model_is_to_be_made_anew(window):
    fitting = window(max_bytes=1, on_limit="drop")
    fitting.fit(4)
    assert at(fitting.early) == [1, 2, 3] and fitting.needs_rebuild
    assert fitting.needs_recheck  # whether the last one fits is known once the model is made anew


def test_where_nothing_is_to_leave_and_where_one_alone_is_too_much_it_is_an_error(window):
    with pytest.raises(MemoryLimitError):
        window(max_facts=EACH).fit(4)
    with pytest.raises(MemoryLimitError):
        window(max_facts=EACH, on_limit="drop").fit(4)
