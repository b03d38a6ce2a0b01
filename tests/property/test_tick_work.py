"""A push costs the same however many came before it in its tick: by its calls, and the memory it takes."""

import sys
import tracemalloc
from statistics import median

import pytest
from rdflib import XSD, Graph, Literal, Namespace

import pantarhei as pr
from counts import some

EX = Namespace("http://example.org/")
SINGLE = Graph().parse(
    data="""
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    :value a owl:FunctionalProperty, owl:DatatypeProperty ."""
)
ONTOLOGIES = {"free": pr.load_ontology(Graph()), "contradicted": pr.load_ontology(SINGLE)}
RULES = {
    "states": "hot(S) :- :value(S, V), V > 24.",
    "events": "hot(S) :- asserted :value(S, V) in [3], V > 24.",
    "always states": "hot(S) :- :value(S, V) always in [2].",
    "always events": "hot(S) :- asserted :value(S, V) always in [2].",
    "last": "hot(S) :- asserted :value(S, V) in [9 #].",
    "last at": "hot(S, T) :- asserted :value(S, V) at T in [9 #].",
    "count states": "hot(S) :- :value(S, V) at least 2 times in [4].",
    "count events": "hot(S) :- asserted :value(S, V) at least 2 times in [4].",
    "not": "hot(S) :- :value(S, V), not asserted :cold(S) in [3].",
    "at": "hot(S, T) :- asserted :value(S, V) at T in [3], V > 24.",
    "at in heads": "hot(S) at T :- asserted :value(S, V) at T in [3], V > 24. b(S) :- hot(S) always in [2].",
    "remember": "remember hot. hot(S) :- :value(S, V), V > 24. was(S) :- hot(S) in [3].",
    "wide": "high(S, V, S) :- asserted :value(S, V) in [2].",
}
FEW, MANY, TIMES = 60, 600, 15
# A further part of a contradicted ABox repairs all of it again: such ABoxes are not given in parts.
CASES = [("contradicted", name, False) for name in RULES] + [
    ("free", name, is_one_abox) for name in RULES for is_one_abox in (False, True)
]
DAILY = [case for case in CASES if case[1] in {"states", "count events", "remember"}]


def reading(number):
    return [(EX[f"s{number % 20}"], EX.value, Literal(str(20 + number % 7), datatype=XSD.decimal))]


def calls_of(work):
    """How many functions a piece of work calls, those of numpy and the kernel among them."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def bytes_of(work):
    """How much memory a piece of work takes at most, on top of what is there."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def spent(reasoner, first, at):
    """Calls and bytes of pushes, each the median of several: lists grow in leaps."""
    calls, sizes = [], []
    for number in range(first, first + 2 * TIMES):
        seen, measure = (calls, calls_of) if number % 2 else (sizes, bytes_of)
        seen.append(measure(lambda: reasoner.push(at(number), reading(number))))  # noqa: B023
    return median(calls), median(sizes)


@pytest.mark.parametrize(
    "case", some(CASES, DAILY), ids=lambda case: f"{case[0]}, {case[1]}" + ", one ABox" * case[2]
)
def test_a_push_costs_the_same_however_many_came_in_its_tick(case):
    ontology, rules, is_one_abox = case

    def at(number):
        return 1 if is_one_abox else number + 1

    given = pr.load_rules(RULES[rules].replace(". ", ".\n") + "\n", prefixes={"": str(EX)})
    window = pr.Window(range=20_000, slide=10_000)
    reasoner = pr.StreamReasoner(ONTOLOGIES[ontology], window, temporal=given)
    measured = []
    for first, count in ((0, FEW), (FEW + 2 * TIMES, MANY)):
        for number in range(first, first + count):
            reasoner.push(at(number), reading(number))
        measured.append(spent(reasoner, first + count, at))
    (few_calls, few_bytes), (many_calls, many_bytes) = measured
    assert many_calls <= 1.2 * few_calls + 20
    assert is_one_abox or many_bytes <= 1.5 * few_bytes + 4_000  # the log holds each ABox as one array
