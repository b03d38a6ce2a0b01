"""W3C tests of SPARQL queries as listed in its manifests, and the comparison of answers.

Names are resolved against the address of the tests on the web: no answer depends on a folder. Literals keep
their lexical forms. Two answers agree if their rows are equal bags up to renaming blank nodes, in the query's
order if it has one; decimals, floats and doubles are compared by value, since computed values can have
several lexical forms.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pyoxigraph
from rdflib import RDF, XSD, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.collection import Collection
from rdflib.compare import isomorphic
from rdflib.plugins.sparql import prepareQuery

from pantarhei.owl.document import FORMATS, SUFFIXES
from pantarhei.rdf.ntriples import nodes_of_document, to_rdflib
from pantarhei.rdf.parse import DocumentTerms, parse
from pantarhei.values.value import is_well_typed

FOLDER = Path(__file__).resolve().parents[1].parent / "shared" / "conformance" / "w3c-sparql"
BASE = "https://w3c.github.io/rdf-tests/sparql/"
MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
QT = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-query#")
RS = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/result-set#")
RESULTS = {
    ".srx": pyoxigraph.QueryResultsFormat.XML,
    ".srj": pyoxigraph.QueryResultsFormat.JSON,
    ".tsv": pyoxigraph.QueryResultsFormat.TSV,
}
MEASURED = {XSD.decimal, XSD.float, XSD.double}


@dataclass(frozen=True)
class Case:
    """One entry of a manifest.

    Args:
        id: folder and name, such as `sparql10/ask/ask-1`.
        kind: the local name of its class.
        query: the address of the query; `data`, `named` and `result` are addresses too.
        data: the documents of the default graph.
        named: the documents of the named graphs, whose addresses are the graphs' names.
        lax: a row may occur fewer times than expected, but at least once.
    """

    id: str
    kind: str
    query: URIRef
    data: tuple[URIRef, ...] = ()
    named: tuple[URIRef, ...] = ()
    result: URIRef | None = None
    lax: bool = False

    @property
    def text(self) -> str:
        """Query; relative names in it are relative to its address."""
        return f"BASE <{self.query}>\n{file_of(self.query).read_text('utf-8')}"

    @property
    def asks_graphs(self) -> bool:
        """True if the case has named graphs."""
        return bool(self.named) or "GRAPH" in self.text

    def dataset(self) -> Graph:
        """Return the data; a single graph if the query needs no named graphs."""
        if not self.asks_graphs:
            return _filled(Graph(), self.data)
        dataset = Dataset()
        _filled(dataset.default_graph, self.data)
        for name in self.named:
            _filled(dataset.graph(name), (name,))
        return dataset


class Table(NamedTuple):
    """Answer of a SELECT query: its variables, and its rows in order, None where unbound."""

    variables: tuple[str, ...]
    rows: list[tuple]


def file_of(address: URIRef) -> Path:
    return FOLDER / address.removeprefix(BASE)


def read_triples(address):
    """Return the triples of a document of the tests; literals keep their lexical forms."""
    content = file_of(address).read_bytes()
    terms = DocumentTerms(nodes_of_document(address.encode() + content))
    format = FORMATS[SUFFIXES[file_of(address).suffix]]
    return parse(content, format, address, address, {}, terms)


def _filled(graph, addresses):
    for address in addresses:
        for triple in read_triples(address):
            graph.add(triple)
    return graph


# -- cases ---------------------------------------------------------------------------------------------------


@cache
def cases() -> tuple[Case, ...]:
    """Return the entries of all manifests; none if the tests are not installed."""
    manifests = sorted(FOLDER.glob("*/*/manifest.ttl"))
    return tuple(case for path in manifests for case in _of_manifest(path))


def _of_manifest(path):
    folder = path.parent.relative_to(FOLDER).as_posix()
    address = URIRef(f"{BASE}{folder}/manifest.ttl")
    manifest = _filled(Graph(), (address,))
    for entry in Collection(manifest, manifest.value(address, MF.entries)):
        action, result = manifest.value(entry, MF.action), manifest.value(entry, MF.result)
        query = manifest.value(action, QT.query) or action
        data = tuple(sorted(manifest.objects(action, QT.data)))
        named = set(manifest.objects(action, QT.graphData))
        if not data and not named and result is not None:
            data, named = _from_clauses(query)
        yield Case(
            f"{folder}/{entry.rpartition('#')[2]}",
            manifest.value(entry, RDF.type).removeprefix(str(MF)),
            query,
            data,
            tuple(sorted(named)),
            result,
            manifest.value(entry, MF.resultCardinality) == MF.LaxCardinality,
        )


def _from_clauses(query):
    """Return all graphs that FROM and FROM NAMED of a query name, as named graphs; the query selects among
    them.
    """
    clauses = _algebra(Case("", "", query).text).get("datasetClause") or ()
    return (), {URIRef(clause.default or clause.named) for clause in clauses}


def _algebra(text):
    return prepareQuery(text).algebra


# -- answers -------------------------------------------------------------------------------------------------


def expected(case: Case) -> bool | Table | Graph:
    """Return the expected answer of the case."""
    format = RESULTS.get(file_of(case.result).suffix)
    if format is None:
        return _from_graph(_filled(Graph(), (case.result,)))
    solutions = pyoxigraph.parse_query_results(file_of(case.result).read_bytes(), format)
    if isinstance(solutions, pyoxigraph.QueryBoolean):
        return bool(solutions)
    rows = [tuple(None if term is None else to_rdflib(term) for term in solution) for solution in solutions]
    return Table(tuple(variable.value for variable in solutions.variables), rows)


def _from_graph(graph):
    """Return the result set that a graph describes, or the graph itself."""
    result_set = graph.value(predicate=RDF.type, object=RS.ResultSet)
    if result_set is None:
        return graph
    if (answer := graph.value(result_set, RS.boolean)) is not None:
        return answer.toPython()
    variables = tuple(sorted(map(str, graph.objects(result_set, RS.resultVariable))))
    solutions = sorted(
        graph.objects(result_set, RS.solution), key=lambda node: int(graph.value(node, RS["index"]) or 0)
    )
    rows = []
    for solution in solutions:
        bound = {
            str(graph.value(binding, RS.variable)): graph.value(binding, RS.value)
            for binding in graph.objects(solution, RS.binding)
        }
        rows.append(tuple(bound.get(variable) for variable in variables))
    return Table(variables, rows)


def found(result) -> bool | Table | Graph:
    """Convert a query's result."""
    if result.type == "ASK":
        return bool(result.askAnswer)
    if result.type != "SELECT":
        return graph_of(result)
    variables = tuple(map(str, result.vars))
    return Table(variables, [tuple(row) for row in result])


def graph_of(triples) -> Graph:
    graph = Graph()
    for triple in triples:
        graph.add(triple)
    return graph


# -- comparison ----------------------------------------------------------------------------------------------


def check_result(case: Case, result) -> None:
    """Assert that a query's result, in rdflib's representation, is the expected one."""
    if case.kind == "CSVResultFormatTest":
        assert _csv(result.serialize(format="csv")) == _csv(file_of(case.result).read_bytes())
    else:
        check(case, found(result))


def check(case: Case, answer: bool | Table | Graph) -> None:
    """Assert that an answer is the expected one."""
    expected_answer = expected(case)
    assert type(answer) is type(expected_answer)
    if isinstance(expected_answer, bool):
        assert answer == expected_answer
    elif isinstance(expected_answer, Graph):
        assert isomorphic(_by_value(answer), _by_value(expected_answer)), shown(answer, expected_answer)
    else:
        _check_table(case, answer, expected_answer)


def _check_table(case, answer, expected_answer):
    assert set(answer.variables) == set(expected_answer.variables)
    given, right = _bag(answer), _bag(expected_answer)
    if case.lax:
        assert all(given[row] <= right[row] for row in given), shown(answer, expected_answer)
        given, right = Counter(given.keys()), Counter(right.keys())
    assert same_bags(given, right), shown(answer, expected_answer)
    if keys := _order_keys(case, answer.variables):
        assert _keys(answer, keys) == _keys(expected_answer, keys), shown(answer, expected_answer)


def _bag(table):
    """Return the rows with their multiplicities, columns by name."""
    order = sorted(range(len(table.variables)), key=lambda column: table.variables[column])
    return Counter(tuple(_value(row[column]) for column in order) for row in table.rows)


def same_bags(one: Counter, other: Counter) -> bool:
    """True if two bags of rows are equal up to renaming blank nodes."""
    plain, named = ({row: n for row, n in bag.items() if not _has_blank(row)} for bag in (one, other))
    return plain == named and isomorphic(_as_graph(one), _as_graph(other))


def _has_blank(row):
    return any(isinstance(term, BNode) for term in row)


def _as_graph(bag):
    """Return the rows with blank nodes as a graph: a node per row, with its multiplicity and its cells."""
    graph = Graph()
    for row, number in bag.items():
        if _has_blank(row):
            node = BNode()
            graph.add((node, URIRef("urn:number"), Literal(number)))
            for column, term in enumerate(row):
                if term is not None:
                    graph.add((node, URIRef(f"urn:column:{column}"), term))
    return graph


def _value(term):
    """Return the term; for a decimal, float or double a term that depends only on its value."""
    if isinstance(term, Literal) and term.datatype in MEASURED and is_well_typed(term):
        return Literal(str(float(term)), datatype=term.datatype, normalize=False)
    if isinstance(term, Literal) and term.datatype == XSD.string:
        return Literal(str(term))
    return term


def _by_value(graph):
    return graph_of((s, p, _value(o)) for s, p, o in graph)


def _order_keys(case, variables):
    """Return the variables of the query's ORDER BY that occur in its result."""
    node = _algebra(case.text)
    while "p" in node and node.name != "OrderBy":
        node = node.p
    conditions = [condition.expr for condition in node.expr] if node.name == "OrderBy" else []
    shown_until = next((i for i, key in enumerate(conditions) if str(key) not in variables), len(conditions))
    return [str(key) for key in conditions[:shown_until]]


def _keys(table, keys):
    """Return the values by which the rows are ordered; all blank nodes are equal."""
    columns = [table.variables.index(key) for key in keys]
    return [
        tuple("_:" if isinstance(row[c], BNode) else _value(row[c]) for c in columns) for row in table.rows
    ]


def _csv(content):
    header, *rows = csv.reader(io.StringIO(content.decode()))
    return header, Counter(tuple("_:" if cell.startswith("_:") else cell for cell in row) for row in rows)


def shown(answer, expected_answer) -> str:
    """Write both as text, for the message of a failure."""
    texts = []
    for each in (answer, expected_answer):
        rows = each.rows if isinstance(each, Table) else list(each)
        lines = [" ".join("-" if term is None else term.n3() for term in row) for row in rows[:20]]
        texts.append("\n".join(sorted(lines)))
    return "\nfound\n{}\nexpected\n{}".format(*texts)
