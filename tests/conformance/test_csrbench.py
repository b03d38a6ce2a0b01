"""CSRBench: what seven queries report over 34 timestamped graphs, by the definitions.

Windows are `[from, to)`, reported when they close, with all their answers (RStream), for every start `t0` of
the first window.
"""

import json
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest
from rdflib import Graph, Literal, URIRef

import pantarhei as pr
from counts import some
from oracle.answers import answers
from oracle.continuous import Policy, SlidingWindow, reports
from pantarhei.errors import QueryTextError
from pantarhei.model.time import TimeKind
from pantarhei.query.languages import read_stream_text
from pantarhei.query.syntax import read_query
from pantarhei.values.value import value_of

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "conformance" / "csrbench"
QUERIES = ("q1", "q2", "q3", "q4", "q5", "q6", "q6_5s", "q7")
EACH = pytest.mark.parametrize("name", some(QUERIES, ["q3"]))
needs_data = pytest.mark.skipif(not FOLDER.exists(), reason=f"no folder {FOLDER}")


@cache
def queries():
    return json.loads((FOLDER / "queries.json").read_text())["original"]


@cache
def expected():
    return json.loads((FOLDER / "expected-windowclose-rstream.json").read_text())["expected"]


@cache
def stream():
    """The graphs in time order, each as a set of triples."""
    lines = defaultdict(list)
    for line in (FOLDER / "stream.tsv").read_text().splitlines():
        at, triple = line.split("\t", 1)
        lines[int(at)].append(triple)
    return [(at, frozenset(Graph().parse(data="\n".join(lines[at]), format="nt"))) for at in sorted(lines)]


def term(binding):
    if binding["type"] == "uri":
        return URIRef(binding["value"])
    datatype = binding.get("datatype")
    return Literal(binding["value"], datatype=datatype and URIRef(datatype), normalize=False)


def values(rows):
    """Rows as a bag, literals by their values: the expected averages are written in another form."""
    return Counter(tuple(map(value_of, row)) for row in rows)


def expected_values(window):
    return values([term(binding[name]) for name in window["vars"]] for binding in window["bindings"])


@pytest.mark.long
@needs_data
@EACH
def test_the_definitions_report_what_is_expected(name):
    """`t0` is a boundary. The first window expected is the first whole one, and time goes on to the last."""
    query = queries()[name]

    @cache
    def answered(content):
        return values(answers(query["sparql"], content).rows_in_order)

    for start, windows in expected()[name].items():
        window = SlidingWindow(
            query["window_ms"], query["slide_ms"], int(start), closed="left", since=windows[0]["from"]
        )
        reported = reports(
            {None: stream()},
            [window],
            lambda content: answered(content).elements(),
            Policy(("close",)),
            TimeKind.INTEGER,
            until=windows[-1]["to"],
        )
        assert reported == [(window["to"], expected_values(window)) for window in windows], start


@needs_data
def test_the_data_are_whole():
    windows = [window for starts in expected().values() for each in starts.values() for window in each]
    assert len(stream()) == 34
    assert (len(windows), sum(len(window["bindings"]) for window in windows)) == (703, 2501)


# -- the texts in the languages ----------------------------------------------------------------------


@cache
def texts():
    aligned = json.loads((FOLDER / "queries.json").read_text())["aligned_2023"]
    return {
        (name, language): query[f"{language}query"]
        for name, query in aligned.items()
        for language in ("csparql", "rspql")
    }


@needs_data
def test_the_texts_are_read():
    """One has a brace too many."""
    refused, read = {}, {}
    for key, text in texts().items():
        try:
            read[key] = read_stream_text(text)
        except QueryTextError as error:
            refused[key] = error
    assert {key: error.problem for key, error in refused.items()} == {("q6", "csparql"): "unexpected }"}
    for (name, language), made in read.items():
        assert made.language == {"csparql": "C-SPARQL", "rspql": "RSP-QL"}[language]
        assert made.name == name
        (window,) = made.windows
        assert window.stream.startswith("http://localhost:12345/")
        assert window.is_default is (language == "csparql")


@needs_data
@pytest.mark.parametrize("name", ["q1", "q3", "q5", "q7"])
def test_a_query_is_the_same_with_a_window(name):
    """The text is made of the query and its window. Times are milliseconds."""
    query = queries()[name]
    declared = f"FROM STREAM <urn:s> [RANGE {query['window_ms']} STEP {query['slide_ms']}] WHERE"
    made = read_stream_text(query["sparql"].replace("WHERE", declared, 1))
    assert made.query.node == read_query(query["sparql"]).node
    (window,) = made.windows
    assert (window.extent.range, window.extent.slide) == (query["window_ms"], query["slide_ms"])


def in_language(query, language):
    """The query with its window, which is to report whenever it closes."""
    head, body = query["sparql"].split("WHERE", 1)
    lengths = f"RANGE {query['window_ms']} STEP {query['slide_ms']}"
    if language == "C-SPARQL":
        return f"{head} FROM STREAM <urn:s> [{lengths} REPORT ON_WINDOW_CLOSE] WHERE {body}"
    end = body.rindex("}") + 1
    window = f"FROM NAMED WINDOW <urn:w> ON <urn:s> [{lengths}]"
    return f"{head} {window} WHERE {{ WINDOW <urn:w> {body[:end]} }} {body[end:]}"


def as_expected(windows):
    return [(window["to"], expected_values(window)) for window in windows]


@needs_data
@EACH
def test_the_texts_report_what_is_expected(name):
    """In RSP-QL whole windows report; of C-SPARQL's those before them are left out."""
    query = queries()[name]
    for start, windows in expected()[name].items():
        languages = ("RSP-QL", "C-SPARQL") if start in list(expected()[name])[:2] else ("RSP-QL",)
        for language in languages:
            run = pr.register(
                in_language(query, language),
                streams={"urn:s": stream()},
                origin=int(start),
                closed="left",
                since=windows[0]["from"],
                until=windows[-1]["to"],
            )
            reported = [(report.at, values(report.added.elements())) for report in run.run()]
            if language == "C-SPARQL":
                reported = [(at, rows) for at, rows in reported if at >= windows[0]["to"]]
            assert reported == as_expected(windows), start


@pytest.mark.long
@needs_data
@EACH
def test_registered_queries_with_windows_report_what_is_expected(name):
    """One reasoner has the windows of all starts."""
    query = queries()[name]
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(query["window_ms"]))
    reported = {}
    for start in expected()[name]:
        window = pr.Window(query["window_ms"], query["slide_ms"], int(start), "left")
        handle = reasoner.register(query["sparql"], start, window, on="close", emit="rstream")
        reported[start] = []
        handle.subscribe(lambda change, start=start: reported[start].extend(change.reports))
    for at, triples in stream():
        reasoner.push(at, triples)
    reasoner.advance(max(windows[-1]["to"] for windows in expected()[name].values()))
    for start, windows in expected()[name].items():
        first, last = windows[0]["to"], windows[-1]["to"]
        found = [(each.at, values(each.added.elements())) for each in reported[start]]
        assert [each for each in found if first <= each[0] <= last] == as_expected(windows), start
