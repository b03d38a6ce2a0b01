"""The W3C's tests of SPARQL 1.0 and 1.1 queries, through both doors and by definition.

`run_query` is asked over the data as rdflib's graph or dataset; `reasoner.query` over a window that holds the
data under an empty ontology, where a test has no named graphs; the reference passes them all. A query that is
malformed is refused as one.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest
from rdflib import Dataset, Graph

import pantarhei as pr
import w3c_sparql
from oracle.answers import answers
from pantarhei.errors import QueryError
from pantarhei.query import run_query
from pantarhei.query.languages import read_stream_text
from pantarhei.query.syntax import read_query

CASES = w3c_sparql.cases()
pytestmark = pytest.mark.skipif(not CASES, reason=f"no test cases in {w3c_sparql.FOLDER}")

# The cases that fail, by the reason.
KNOWN_FAILURES = {"a function that nobody has made known is refused": "sparql11/syntax-query/test_4"}
REASONS = {id: reason for reason, ids in KNOWN_FAILURES.items() for id in ids.split()}


def parameters(kinds, wanted=lambda case: True, every=1):
    """The cases of some kinds as parameters, known failures marked.

    Args:
        every: one of so many is tried every day, the others are `long`.
    """
    cases = [case for case in CASES if case.kind in kinds and wanted(case)]
    return [_parameter(case, is_long=place % every > 0) for place, case in enumerate(cases)]


def _parameter(case, is_long):
    marks = [pytest.mark.xfail(reason=REASONS[case.id])] if case.id in REASONS else []
    return pytest.param(case, id=case.id, marks=[*marks, *[pytest.mark.long] * is_long])


EVALUATIONS = ("QueryEvaluationTest", "CSVResultFormatTest")


@pytest.mark.parametrize("case", parameters(EVALUATIONS))
def test_a_query_over_a_graph_has_the_expected_answer(case):
    w3c_sparql.check_result(case, run_query(case.dataset(), case.text))


@pytest.mark.parametrize("case", parameters(EVALUATIONS, lambda case: not case.asks_graphs, every=4))
def test_a_query_over_the_window_has_the_expected_answer(case):
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=1))
    reasoner.push(0, list(case.dataset()))
    w3c_sparql.check_result(case, reasoner.query(case.text))


@pytest.mark.parametrize("case", parameters(EVALUATIONS, lambda case: not case.asks_graphs, every=4))
def test_a_registered_query_has_the_expected_answer_when_data_come_in_parts_and_what_is_left_when_they_go(
    case,
):
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=2))
    query = reasoner.register(case.text)
    summed = Counter(dict(query.answers))
    triples = list(case.dataset())
    for at in range(6):
        update = reasoner.push(at, triples[at::3] if at < 3 else [])
        if query in update.answers:
            summed.update(update.answers[query].added)
            summed.subtract(update.answers[query].removed)
        assert +summed == Counter(dict(query.answers))
        asked = reasoner.query(case.text)
        if at == 2:
            w3c_sparql.check_result(case, asked)
        if not re.search("(?i)limit|offset|rand|uuid|bnode|now|sample|construct", case.text):
            rows = [()] * bool(asked.askAnswer) if asked.type == "ASK" else [tuple(row) for row in asked]
            assert +summed == Counter(rows), at


@pytest.mark.parametrize("case", parameters(("QueryEvaluationTest",), every=4))
def test_by_definition_a_query_has_the_expected_answer(case):
    default = [triple for name in case.data for triple in w3c_sparql.read_triples(name)]
    named = {name: list(w3c_sparql.read_triples(name)) for name in case.named}
    found = answers(case.text, default, named)
    if found.form == "ASK":
        answer = found.ask
    elif found.form == "SELECT":
        answer = w3c_sparql.Table(found.variables, found.rows_in_order)
    else:
        answer = w3c_sparql.graph_of(found.triples)
    w3c_sparql.check(case, answer)


@pytest.mark.parametrize("case", parameters(("PositiveSyntaxTest", "PositiveSyntaxTest11")))
def test_a_query_is_understood(case):
    read_query(case.text)


@pytest.mark.parametrize(
    "case", parameters(("PositiveSyntaxTest", "PositiveSyntaxTest11", "QueryEvaluationTest"), every=4)
)
def test_a_query_is_the_same_to_the_languages_of_streams(case):
    """No word of SPARQL is taken for one of theirs. Labels of blank nodes are drawn anew."""
    plain, registered = (repr(query) for query in (read_query(case.text), read_stream_text(case.text).query))
    drawn = re.compile(r"BNode\('\w+'\)")
    assert drawn.sub("", plain) == drawn.sub("", registered)


@pytest.mark.parametrize("case", parameters(("NegativeSyntaxTest", "NegativeSyntaxTest11")))
def test_a_malformed_query_is_refused(case):
    with pytest.raises(QueryError):
        run_query(Dataset(), case.text)


def test_every_case_is_there_and_every_known_failure_is_a_case():
    evaluated = [case for case in CASES if case.kind in EVALUATIONS]
    assert len(evaluated) == 405
    assert sum(not case.asks_graphs for case in evaluated) == 358
    assert len(CASES) - len(evaluated) == 137
    assert REASONS.keys() <= {case.id for case in CASES}
