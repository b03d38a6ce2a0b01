"""Answers are values, of one state of the window: they pickle, and can be read."""

from __future__ import annotations

import pickle
import sys
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import polars
import pytest
from pyarrow import parquet
from rdflib import RDF, RDFS, XSD, BNode, Graph, Literal, Namespace, URIRef, Variable
from rdflib.query import Result

from notebooks import shown
from pantarhei import MissingPackageError, Ontology, OptionError, StreamReasoner, Window
from pantarhei.query import QueryResult, run_query
from pantarhei.query.answers import check_distinct_names

EX, OTHER = Namespace("http://example.org/"), Namespace("http://other.org/")
BELT, ROLLER = EX.belt, EX.roller


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x ?c { ?x a ?c }",
        "SELECT ?x ?y { ?x a ?c OPTIONAL { ?x ?p ?y } FILTER(false) }",
        "ASK { ?x a ?c }",
        "CONSTRUCT { ?x <urn:is> ?c } WHERE { ?x a ?c }",
    ],
)
def test_answers_come_back_whole(text):
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(2))
    reasoner.push(1, [(EX.a, RDF.type, EX.C), (EX.b, RDF.type, EX.D)])
    result = reasoner.query(text)
    back = pickle.loads(pickle.dumps(result))
    assert back.type == result.type
    assert back.columns() == result.columns()
    assert back.to_arrow().equals(result.to_arrow())
    assert len(pickle.dumps(result)) < 5000, "an answer does not carry its window along"


GRAPH = Graph().add((EX.belt, EX.speed, Literal(7))).add((EX.b, EX.speed, Literal(12)))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT ?who ?v { ?who ?p ?v }", "QueryResult(SELECT ?who ?v: 2 rows)"),
        ("SELECT ?who { ?who ?p 7 }", "QueryResult(SELECT ?who: 1 row)"),
        ("ASK { ?s ?p ?o }", "QueryResult(ASK: True)"),
        ("CONSTRUCT { ?s a ?o } WHERE { ?s ?p ?o }", "QueryResult(CONSTRUCT: 2 triples)"),
    ],
)
def test_the_repr_says_what_was_asked_and_how_much_there_is(query, text):
    assert repr(run_query(GRAPH, query)) == text


def test_the_text_is_a_table():
    result = run_query(GRAPH, "SELECT ?who ?v ?none { ?who ?p ?v } ORDER BY ?v")
    assert str(result).splitlines() == ["who   v   none", "belt  7", "b     12"]
    assert str(run_query(GRAPH, "SELECT ?who { ?who ?p 1 }")).splitlines() == ["who", "no answers"]
    assert str(run_query(GRAPH, "ASK { ?s ?p 1 }")).splitlines() == ["answer", "false"]


def test_names_with_one_last_part_are_told_apart_in_the_table():
    graph = Graph().add((EX.Sensor, RDFS.seeAlso, OTHER.Sensor))
    assert "<http://example.org/Sensor>  <http://other.org/Sensor>" in str(
        run_query(graph, "SELECT ?s ?o { ?s ?p ?o }")
    )


def test_many_answers_are_counted_and_not_shown():
    graph = Graph()
    for number in range(1500):
        graph.add((EX.belt, EX.speed, Literal(number)))
    lines = str(run_query(graph, "SELECT ?v { ?s ?p ?v } ORDER BY ?v")).splitlines()
    assert lines[:2] == ["v", "0"]
    assert lines[-2:] == ["19", "… and 1,480 more"]


# -- as rdflib's --------------------------------------------------------------------------------------------


def test_a_result_is_rdflibs():
    result = run_query(GRAPH, "SELECT ?who ?v ?none { ?who ?p ?v } ORDER BY ?v")
    assert isinstance(result, Result) and len(result) == 2 and result
    first, second = result
    assert (first.who, first["v"], first[0], first.none) == (EX.belt, Literal(7), EX.belt, None)
    assert first.asdict() == {"who": EX.belt, "v": Literal(7)}
    assert second.labels == {"who": 0, "v": 1, "none": 2}
    assert result.bindings[0] == {Variable("who"): EX.belt, Variable("v"): Literal(7)}
    assert result.vars == [Variable("who"), Variable("v"), Variable("none")]
    assert [row.v for row in result] == [row.v for row in result], "it is iterated again"


@pytest.mark.parametrize(
    ("format", "part"),
    [
        ("json", b'"uri", "value": "http://example.org/belt"'),
        ("xml", b"<uri>http://example.org/belt</uri>"),
        ("csv", b"http://example.org/belt,7"),
        ("txt", b"belt"),
    ],
)
def test_a_result_is_written_in_the_formats_of_results(format, part):
    result = run_query(GRAPH, "SELECT ?who ?v { ?who ?p ?v } ORDER BY ?v")
    assert part in result.serialize(format=format)


def test_a_result_that_is_written_is_read_again_as_an_equal_one():
    result = run_query(GRAPH, "SELECT ?who ?v ?none { ?who ?p ?v } ORDER BY ?v")
    for format in ("json", "xml"):
        assert result == Result.parse(format=format, source=BytesIO(result.serialize(format=format)))


def test_an_answer_yes_or_no_is_its_truth():
    yes, no = run_query(GRAPH, "ASK {}"), run_query(GRAPH, "ASK { FILTER(false) }")
    assert (bool(yes), list(yes), len(yes)) == (True, [True], 1)
    assert (bool(no), list(no), no.askAnswer) == (False, [False], False)
    assert yes != no and b"true" in yes.serialize(format="json")
    assert yes.graph is None and yes.bindings == []


def test_triples_are_a_graph_and_are_iterated():
    made = run_query(GRAPH, "CONSTRUCT { ?who a ?v . ?v a ?who } { ?who ?p ?v }")
    assert set(made) == set(made.graph) == {(EX.belt, RDF.type, Literal(7)), (EX.b, RDF.type, Literal(12))}
    assert made.graph is made.graph
    assert set(Graph().parse(data=made.serialize(format="turtle"))) == set(made)


def test_rows_without_columns_are_counted():
    result = QueryResult("SELECT", (), 3)
    assert result.rows == [(), (), ()] and len(list(result)) == 3


def test_terms_are_made_when_they_are_looked_at_and_once():
    calls = []

    def decode():
        calls.append(1)
        return [[EX.a, None]]

    result = QueryResult("SELECT", [Variable("x")], 2, decode)
    assert len(result) == 2 and repr(result) and not calls
    assert [tuple(row) for row in result] == [tuple(row) for row in result] == [(EX.a,), (None,)]
    assert result.columns() == {"x": [EX.a, None]}
    assert len(calls) == 1


# -- tables ------------------------------------------------------------------------------------------------


def table(*values):
    made = Graph()
    for i, value in enumerate(values):
        made.add((EX[f"s{i}"], EX.p, value))
    return run_query(made, f"SELECT ?v {{ ?s <{EX.p}> ?v }} ORDER BY ?s").to_arrow()


LATE = "9999-12-31T23:59:59-05:00"  # which Python has not in UTC
DAY = Literal("2026-01-31T10:00:00Z", datatype=XSD.dateTime)


@pytest.mark.parametrize(
    ("values", "kind", "plain"),
    [
        ([BELT, ROLLER], "name", [str(BELT), str(ROLLER)]),
        ([Literal(1), Literal("2", datatype=XSD.long)], "integer", [1, 2]),
        ([Literal(1), Literal("2.5", datatype=XSD.decimal)], "number", [1.0, 2.5]),
        ([Literal(1.5), Literal("2.5", datatype=XSD.decimal)], "number", [1.5, 2.5]),
        ([Literal(True), Literal(False)], "boolean", [True, False]),
        ([Literal("a"), Literal("b", datatype=XSD.string)], "string", ["a", "b"]),
        ([DAY], "time", [datetime(2026, 1, 31, 10, tzinfo=UTC)]),
        ([Literal(1), Literal("a")], "n-triples", ['"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"a"']),
        ([BELT, Literal("a")], "n-triples", [f"<{BELT}>", '"a"']),
        ([Literal("a", lang="en")], "n-triples", ['"a"@en']),
        ([Literal("9" * 400, datatype=XSD.decimal)], "n-triples", [f'"{"9" * 400}"^^<{XSD.decimal}>']),
        ([Literal(LATE, datatype=XSD.dateTime)], "n-triples", [f'"{LATE}"^^<{XSD.dateTime}>']),
        ([Literal(2**70)], "n-triples", [f'"{2**70}"^^<http://www.w3.org/2001/XMLSchema#integer>']),
    ],
)
def test_a_column_has_plain_values_where_all_its_terms_agree(values, kind, plain):
    made = table(*values)
    assert made.schema.field("v").metadata[b"terms"].decode() == kind
    assert made.column("v").to_pylist() == plain


BELTS = Graph().add((BELT, EX.speed, Literal(0))).add((BELT, RDF.type, EX.C)).add((ROLLER, RDF.type, EX.C))


def test_unbound_is_null():
    found = run_query(BELTS, f"SELECT ?x ?v {{ ?x a ?c OPTIONAL {{ ?x <{EX.speed}> ?v }} }} ORDER BY ?x")
    assert found.to_arrow().column("v").to_pylist() == [0, None]
    frame = found.to_pandas()
    assert str(frame["v"].dtype) == "Int64"
    assert list(frame["x"]) == [str(BELT), str(ROLLER)]


def test_ask_and_construct_have_tables_too():
    assert run_query(BELTS, "ASK { ?s ?p ?o }").to_arrow().to_pydict() == {"answer": [True]}
    made = run_query(BELTS, f"CONSTRUCT {{ ?x a <{EX.Y}> }} WHERE {{ ?x a <{EX.C}> }}").to_arrow()
    assert made.column_names == ["subject", "predicate", "object"]
    assert made.num_rows == 2
    assert run_query(BELTS, "SELECT ?x { ?x <urn:none> 1 }").to_pandas().shape == (0, 1)


def test_tab_separated_rows_are_those_that_rdflib_reads_back():
    terms = [
        Literal('a\ttab, a "quote", a \\ and\nlines'),
        Literal("01", datatype=XSD.integer),
        Literal("x", lang="en"),
        Literal(2.5),
        URIRef("http://example.org/ü"),
        BNode("b"),
        None,
    ]
    values = " ".join(f"({'UNDEF' if t is None or isinstance(t, BNode) else t.n3()} 1)" for t in terms)
    result = run_query(Graph(), f"SELECT ?x ?n {{ VALUES (?x ?n) {{ {values} }} }}")
    written = result.serialize(format="tsv")
    assert written.decode().startswith("?x\t?n\n")
    assert len(written.decode().splitlines()) == len(terms) + 1
    read = Result.parse(BytesIO(written), format="tsv")
    assert [(row.get(Variable("x")), row.get(Variable("n"))) for row in read.bindings] == result.rows


def test_tab_separated_rows_are_written_to_files(tmp_path):
    result = run_query(Graph(), "SELECT ?x ?y { VALUES ?x { 1 2 } }")
    for path in (str(tmp_path / "a.tsv"), tmp_path / "b.tsv"):
        assert result.serialize(path, format="tsv") is None
    with (tmp_path / "c.tsv").open("wb") as file:
        result.serialize(file, format="tsv")
    contents = {path.read_bytes() for path in tmp_path.iterdir()}
    assert contents == {result.serialize(format="tsv")}
    integer = "^^<http://www.w3.org/2001/XMLSchema#integer>"
    assert contents.pop().decode() == f'?x\t?y\n"1"{integer}\t\n"2"{integer}\t\n'


@pytest.mark.parametrize(("text", "format"), [("SELECT * {}", "tsx"), ("ASK {}", "tsv"), ("ASK {}", "csv")])
def test_formats_that_there_are_not_are_refused(text, format):
    with pytest.raises(OptionError, match="one of xml, json"):
        run_query(Graph(), text).serialize(format=format)


@pytest.mark.parametrize("text", ["CONSTRUCT WHERE { ?s ?p ?o }", "DESCRIBE <urn:a>"])
@pytest.mark.parametrize("format", ["tsv", "csv", "json"])
def test_formats_of_tables_are_refused_for_graphs(text, format):
    with pytest.raises(OptionError) as raised:
        run_query(Graph(), text).serialize(format=format)
    assert (raised.value.given, raised.value.expected) == (
        repr(format),
        f"a format of graphs for {text.split()[0]}",
    )


def test_a_variable_of_another_columns_name_is_refused_and_told_from_the_rest():
    with pytest.raises(OptionError, match=r"a column at already; .* \(\?at AS \?other\)") as raised:
        check_distinct_names(["who", "at"], ["at", "change"], "queries['hot']")
    assert (raised.value.option, raised.value.given) == ("queries['hot']", "?at")


@pytest.mark.parametrize(
    ("names", "columns", "given", "told"),
    [
        (["At"], ["at"], "?At", "a column at already"),
        (["x", "X"], [], "?X, ?x", "a column x already"),
        (["Change", "AT"], ["at", "change"], "?AT, ?Change", "a column at and a column change"),
    ],
)
def test_capital_letters_count_where_they_tell_columns_apart(names, columns, given, told):
    check_distinct_names(names, columns)
    with pytest.raises(OptionError, match=told) as raised:
        check_distinct_names(names, columns, ignores_case=True)
    assert raised.value.given == given


MIXED = "SELECT ?x ?v { ?x a ?c OPTIONAL { ?x <http://example.org/speed> ?v } } ORDER BY ?x"


@pytest.mark.parametrize(
    "query",
    [
        MIXED,
        "ASK { ?s ?p ?o }",
        "CONSTRUCT { ?x a <urn:Y> } WHERE { ?x ?p ?o }",
        "SELECT ?x { ?x a <urn:None> }",
        "SELECT ?at { BIND('2026-01-31T10:00:00Z'^^<http://www.w3.org/2001/XMLSchema#dateTime> AS ?at) }",
    ],
)
def test_a_polars_frame_and_a_parquet_file_have_the_rows_of_the_arrow_table(query, tmp_path):
    result = run_query(BELTS, query)
    expected = result.to_arrow()
    frame = result.to_polars()
    assert isinstance(frame, polars.DataFrame) and frame.columns == expected.column_names
    assert frame.to_dicts() == expected.to_pylist()
    result.to_parquet(tmp_path / "answers.parquet")
    again = parquet.read_table(tmp_path / "answers.parquet")
    assert again.equals(expected) and again.schema.equals(expected.schema, check_metadata=False)
    kinds = [[field.metadata[b"terms"] for field in each.schema] for each in (again, expected)]
    assert kinds[0] == kinds[1]
    assert [path.name for path in tmp_path.iterdir()] == ["answers.parquet"]


def test_a_parquet_file_is_replaced_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "answers.parquet"
    run_query(BELTS, MIXED).to_parquet(str(path))
    before = path.read_bytes()

    def broken(table, file):
        Path(file).write_bytes(before[:20])
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(parquet, "write_table", broken)
        with pytest.raises(OSError, match="no space left"):
            run_query(BELTS, "ASK {}").to_parquet(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
    run_query(BELTS, "ASK {}").to_parquet(path)
    assert parquet.read_table(path).to_pydict() == {"answer": [True]}
    with pytest.raises(OSError):
        run_query(BELTS, "ASK {}").to_parquet(tmp_path / "missing" / "answers.parquet")


def test_without_polars_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingPackageError) as raised:
        run_query(BELTS, "ASK {}").to_polars()
    assert raised.value.package == "polars" and str(raised.value).startswith(
        "to_polars needs an optional package ("
    )
    assert str(raised.value).endswith("pip install 'pantarhei[polars]'")


# -- notebooks ---------------------------------------------------------------------------------------------


def numbers(count):
    columns = [[EX[f"s{number}"] for number in range(count)], [Literal(number) for number in range(count)]]
    return QueryResult("SELECT", [Variable("m"), Variable("t")], count, lambda: columns)


def test_a_notebook_shows_the_first_ten_rows_and_the_number_of_the_others():
    (headings, *rows), text = shown(numbers(1200))
    assert headings == ["?m", "?t"] and len(rows) == 10 and rows[9] == ["s9", "9"]
    assert "QueryResult(SELECT ?m ?t: 1,200 rows)" in text and "and 1,190 more of 1,200 rows" in text
    (_, *rows), text = shown(numbers(10))
    assert len(rows) == 10 and "more" not in text


def test_a_notebook_shows_triples_and_truths():
    (headings, *rows), text = shown(run_query(GRAPH, "CONSTRUCT { ?who a ?v } { ?who ?p ?v }"))
    assert headings == ["subject", "predicate", "object"] and len(rows) == 2
    assert "QueryResult(CONSTRUCT: 2 triples)" in text
    (headings, row), text = shown(run_query(GRAPH, "ASK {}"))
    assert (headings, row) == (["answer"], ["true"]) and "QueryResult(ASK: True)" in text
    assert shown(run_query(GRAPH, "SELECT ?x { ?x a ?x }"))[0] == [["?x"]]
