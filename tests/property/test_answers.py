"""The answers of the engine are those of the definition, for queries of all forms and random data.

Over graphs as they are given, where several forms of a value meet in all places; and over windows that slide
and are repaired, where the definition is asked over `materialization()` and `interpretation(at)`.
"""

from random import Random

import pytest
from rdflib import Graph

from counts import seeds
from oracle.answers import answers, difference
from pantarhei import QueryError, StreamReasoner, Window, load_ontology
from pantarhei.query import ONTOLOGY_GRAPH, SCHEMA_GRAPH, timestamp_graph
from pantarhei.query.expressions import LiteralValues
from pantarhei.query.planner import QueryPlanner
from pantarhei.query.solutions import TermSpace
from pantarhei.query.sources.relation import LazyGraphs
from pantarhei.query.sources.view import GraphFacts, View
from random_queries import ONTOLOGY, PREFIXES, random_dataset, random_query

SEEDS = seeds(2, 40, long=2_000)
QUERIES = 10  # over each dataset

QUESTIONS = QueryPlanner(PREFIXES)


pytestmark = pytest.mark.usefixtures("quiet")


def view(default, named):
    terms = TermSpace()
    graphs = {name: GraphFacts.of(terms, triples) for name, triples in named.items()}
    dataset = LazyGraphs(GraphFacts.of(terms, default), lambda: list(graphs), graphs.get)
    return View(dataset, terms, LiteralValues([]))


def compare(ask, text, default, named):
    """Assert that `ask` answers a query as the definition does, or that both refuse it."""
    try:
        result = ask(text)
    except QueryError as error:
        # malformed constant patterns, and casts that SPARQL has not, are refused, not errors of a row
        assert "regular expression" in str(error) or "is not known" in str(error), f"{error}\n{text}"
        return
    rows = [()] * bool(result.askAnswer) if result.type == "ASK" else [tuple(row) for row in result]
    expected = answers(text, default, named, PREFIXES)
    wrong = difference(expected, [str(variable) for variable in result.vars or ()], rows)
    assert wrong is None, f"{text}\n{wrong}\n{result.plan()}"


@pytest.mark.parametrize("seed", SEEDS)
def test_answers_over_graphs_are_those_of_the_definition(seed):
    random = Random(seed)
    default, named = random_dataset(random, is_plain=seed % 2 == 1)
    asked = view(default, named)
    for _ in range(QUERIES):
        compare(lambda text: QUESTIONS.answer(asked, text), random_query(random), default, named)


@pytest.mark.parametrize("seed", SEEDS)
def test_answers_over_windows_are_those_of_the_definition(seed):
    random = Random(-1 - seed)
    ontology = load_ontology(Graph().parse(data=ONTOLOGY))
    reasoner = StreamReasoner(ontology, Window(range=3), keep=random.choice(("newest", "every")))
    triples, _ = random_dataset(random, is_plain=seed % 2 == 1)
    for at in range(5):
        reasoner.push(at, random.sample(triples, random.randint(0, len(triples) // 2)))
        default = reasoner.materialization()
        named = {timestamp_graph(at): reasoner.interpretation(at) for at in reasoner.timestamps}
        named[ONTOLOGY_GRAPH] = list(ontology.graph)
        named[SCHEMA_GRAPH] = list(reasoner.dataset.graph(SCHEMA_GRAPH))
        for _ in range(QUERIES // 5):
            compare(lambda text: reasoner.query(text, initNs=PREFIXES), random_query(random), default, named)
