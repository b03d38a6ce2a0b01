"""Registered queries of a stream: what each reports, as rows and files, and going on after a restart."""

from collections import Counter

import pytest
from pyspark.sql.types import IntegerType, LongType, StringType, TimestampType

from pantarhei import Ontology, OptionError, Window
from pantarhei.model.rule import Rule
from pantarhei.spark import Registration, reason_stream
from pantarhei.spark.collectors import text_row
from spark_streams import NOW, TEXTS, Folder
from strategies import EX, A, B, C, R, is_a, related, x, y

RULES = [
    Rule("sub", (is_a(A, x),), is_a(B, x)),
    Rule("disjoint", (is_a(B, x), is_a(C, x)), None),
    Rule("along", (is_a(A, x), related(R, x, y)), is_a(A, y)),
]
ONTOLOGY = Ontology.from_rules(RULES)
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
MEMBERS = f"SELECT ?x {{ ?x a <{B}> }}"
MANY = "SELECT ?c (COUNT(?x) AS ?many) { ?x a ?c } GROUP BY ?c"
a, b, c, d = (EX[name].n3() for name in "abcd")


def row(at, class_=A, who=a):
    return (at, who, TYPE, class_.n3())


def follow(stream, window=5, **options):
    query = reason_stream(stream, ONTOLOGY, Window(window), trigger=NOW, **options)
    query.await_termination()
    return query


class Anew:
    """Queries answered anew after each ABox."""

    def __init__(self, **texts):
        self.texts, self.answers, self.told = texts, {}, []

    def __call__(self, update, reasoner):
        self.told += [(update.at, name) for name in self.texts if name in update.answers]
        self.answers[update.at] = {
            name: Counter(map(text_row, reasoner.query(text).rows)) for name, text in self.texts.items()
        }


def totals(rows, at):
    found = Counter()
    for _, when, _, _, *terms, change in rows:
        found[tuple(terms)] += change if when <= at else 0
    return found


def test_files_and_functions_get_the_changes_of_each_query_across_a_failure_and_a_restart(spark, tmp_path):
    folder, anew, sunk = Folder(tmp_path / "in"), Anew(members=MEMBERS, many=MANY), {}
    folder.write([row(1), row(2, A, b), (2, b, R.n3(), c)])
    folder.write([row(3, C, b), row(4, A, d)])
    options = {
        "queries": {
            "members": MEMBERS,
            "many": Registration(MANY),
            "closed": Registration(MEMBERS, Window(2, 2, closed="right"), on="close", emit="rstream"),
        },
        "checkpoint": tmp_path / "checkpoint",
        "output": tmp_path / "out",
        "on_update": anew,
    }

    def sink(df, batch):
        if batch == 1 and 1 not in sunk:
            sunk[1] = None
            raise ZeroDivisionError
        sunk[batch] = [tuple(row) for row in df.collect()]

    with pytest.raises(Exception, match="ZeroDivisionError"):
        follow(folder.stream(spark), sink={"members": sink}, **options)
    folder.write([row(9, A, d), row(4, B, a)])  # 4 goes on from the batch before
    query = follow(folder.stream(spark), sink={"members": sink}, **options)
    written = {
        name: sorted(map(tuple, spark.read.parquet(str(tmp_path / "out" / name)).collect()))
        for name in options["queries"]
    }
    assert anew.answers.keys() == {1, 2, 3, 4, 9}
    for at, expected in anew.answers.items():
        assert {name: totals(written[name], at) for name in expected} == expected
    assert {(2, "members"), (9, "many")} <= set(anew.told)
    assert sorted(row for rows in sunk.values() for row in rows) == written["members"]
    assert written["members"][:3] == [(0, 1, -4, 1, a, 1), (0, 2, -3, 2, b, 1), (0, 2, -3, 2, c, 1)]
    assert [(at, start, end, who) for _, at, start, end, who, _ in written["closed"]] == [
        (2, 0, 2, a),
        (2, 0, 2, b),
        (2, 0, 2, c),
        (4, 2, 4, a),
        (4, 2, 4, d),
    ]
    assert set(query.reasoner.queries) == set(options["queries"]) and query.batch == 2


def test_a_restart_may_ask_for_other_queries_and_for_none_of_another_meaning(spark, tmp_path):
    folder, checkpoint = Folder(tmp_path / "in"), tmp_path / "checkpoint"
    options = {"checkpoint": checkpoint, "output": tmp_path / "out", "output_format": "csv"}
    folder.write([row(1), row(1, C, d)])
    follow(folder.stream(spark), queries={"members": MEMBERS}, **options)
    for given in (Registration(MANY), Registration(MEMBERS, Window(2))):
        with pytest.raises(OptionError, match=r"queries\['members'\]=.* the query of the checkpoint"):
            follow(folder.stream(spark), queries={"members": given}, **options)
    (tmp_path / "out" / "used").mkdir()
    (tmp_path / "out" / "used" / "batch-0000000000.csv").touch()
    with pytest.raises(OptionError, match=r"output=.*used"):
        follow(folder.stream(spark), queries={"used": MANY}, **options)
    sunk = []
    folder.write([row(2, A, b)])
    queries, sink = {"later": MEMBERS}, {"later": lambda df, batch: sunk.append((batch, df.collect()))}
    query = follow(folder.stream(spark), queries=queries, sink=sink, **options)
    assert [(batch, [tuple(row) for row in rows]) for batch, rows in sunk] == [
        (1, [(1, 2, -3, 2, a, 1), (1, 2, -3, 2, b, 1)])
    ]
    assert list(query.reasoner.queries) == ["later"]
    folder.write([row(3, A, c)])
    query = follow(folder.stream(spark), checkpoint=checkpoint)
    assert not query.reasoner.queries


def test_columns_have_fixed_types_and_one_query_needs_one_function(spark, tmp_path):
    folder, sunk = Folder(tmp_path / "in"), []
    noon = "2026-03-29T12:00:00Z"
    folder.write([(noon, *row(0)[1:])])
    asked = {"any": f"ASK {{ ?x a <{B}> }}"}
    stream = folder.stream(spark, f"timestamp timestamp, {TEXTS}")
    follow(stream, "PT10S", queries=asked, sink=lambda df, batch: sunk.append(df))
    (df,) = sunk
    times = {"at": TimestampType(), "start": TimestampType(), "end": TimestampType()}
    assert {field.name: field.dataType for field in df.schema} == {
        "batch": LongType(),
        **times,
        "change": IntegerType(),
    }
    assert df.selectExpr("unix_seconds(end) - unix_seconds(start)", "change").collect() == [(10, 1)]
    others = Folder(tmp_path / "numbers")
    others.write([row(1.5)])
    stream = others.stream(spark, f"timestamp double, {TEXTS}")
    asked = {"x": Registration(MEMBERS, Window(0.5))}
    follow(stream, queries=asked, sink=lambda df, batch: sunk.append(df))
    assert sunk[-1].schema["x"].dataType == StringType() and sunk[-1].dtypes[1] == ("at", "double")
    assert [tuple(row) for row in sunk[-1].collect()] == [(0, 1.5, 1.0, 1.5, a, 1)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"query": MEMBERS}, "query and queries exclude each other; .* Omit queries="),
        ({"queries": {"a": MEMBERS, "b": MANY}, "sink": print}, "a mapping of names in queries"),
        ({"queries": {"a/b": MEMBERS}}, "names that are valid for folders"),
        ({"queries": {"a": Registration(MEMBERS, on="close")}}, "a Window with a slide"),
        ({"queries": {"a": "SELECT ?end { ?end a ?c }"}}, r"queries\['a'\]=\?end"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_runs(spark, tmp_path, options, said):
    stream = Folder(tmp_path / "in").stream(spark)
    with pytest.raises(OptionError, match=said):
        follow(stream, **{"queries": {"a": MEMBERS}, **options})
