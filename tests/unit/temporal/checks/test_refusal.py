"""Each kind of mistake in temporal rules is marked where it is written: line, column and a caret below it."""

import pytest
from rdflib import Graph

import pantarhei as pr

ONTOLOGY = pr.load_ontology(
    Graph().parse(
        data="""
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :Broken owl:disjointWith :Spare ."""
    )
)
MINUTES = pr.Window(range="PT5M", slide="PT1M")
MISTAKES = {
    "bad unit": ("alarm(X) :-\n  hot(X) in [5 fortnights].", "fortnights", "fortnights is no unit of time"),
    "unsafe variable": ("alarm(X,\n  Y) :- hot(X).", "Y", "Y is in the head, and nothing binds it"),
    "unsafe negation": ("alarm(X) :- hot(X),\n  not near(X, Y).", "Y", "and nothing binds it"),
    "missing dot": ("alarm(X) :- hot(X)\ncold(X) :- wet(X).", "cold", "has not ended"),
    "window in a head": ("on.\nalarm(X) in [5 min] :- hot(X).", "in [", "a head has no window"),
    "unknown prefix": ("alarm(X) :-\n  ex:Hot(X).", "ex:Hot", "the prefix ex: is not declared"),
    "variable as predicate": ("alarm(X) :-\n  Hot(X).", "Hot", "read as a variable, by its first letter"),
    "negation cycle": ("a(X) :- b(X),\n  not c(X).\nc(X) :- a(X).", "not c", "a rests on its own absence"),
    "recursion through always": (
        "a(X) :- b(X),\n  c(X) always in [5 min].\nc(X) :- a(X).",
        "c(X) always",
        "itself at all ticks of a window",
    ),
    "constraint reachable": ("on.\n  :Broken(X) :- hot(X).", ":Broken", "its conclusions can contradict"),
    "unbounded time": ("a(X) :-\n  hot(X) at T.", "T.", "nothing bounds the time T"),
    "too many ticks": ("a(X) :-\n  hot(X) in [9999999 min].", "hot(X) in", "reaches back 9_999_999 ticks"),
    "window of assertions over conclusions": (
        "b(X) :- hot(X).\na(X) :-\n  b(X) in [3 #].",
        "b(X) in",
        "counts assertions",
    ),
    "ticks where times are dates": ("a(X) :-\n  hot(X) in [5].", "hot(X) in", "counts ticks"),
    "two numbers of arguments": ("a(X) :- hot(X),\n  hot(X, 3).", "hot(X, 3)", "has 2 arguments here, and 1"),
    "a time that is none": ("a(X) :-\n  hot(X) at :noon in [5 min].", ":noon", "noon is no time"),
    "what is remembered in vain": ("remember b,\n  c.\nb :- d.", "c.", "no rule concludes it"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_has_its_line_its_column_and_a_caret(mistake):
    text, place, said = MISTAKES[mistake]
    with pytest.raises(pr.TemporalRuleError) as told:
        rules = pr.load_rules(text, prefixes={"": "http://example.org/"})
        pr.StreamReasoner(ONTOLOGY, MINUTES, temporal=rules)
    error, message = told.value, str(told.value)
    begun = text.index(place, text.index("\n"))  # on a later line than the first
    line = text[:begun].count("\n") + 1
    column = begun - text.rindex("\n", 0, begun)
    assert (error.line, error.column) == (line, column)
    assert said in message and f"line {line}, column {column}: " in message
    *_, excerpt, caret = message.split("\n")
    assert excerpt.strip() == text.split("\n")[line - 1].strip()
    assert excerpt[caret.index("^") :].startswith(place.rstrip("."))
    assert error.expected and error.expected in message
