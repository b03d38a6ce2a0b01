"""The canonical models that executors make of a DataFrame's ABoxes."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import Observation
from pyspark.sql import functions as f
from rdflib import RDF, RDFS, XSD, BNode, Literal, URIRef

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import InterpretationTables
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.data_range import Datatype, DatatypeRestriction
from pantarhei.model.rule import Member, Rule
from pantarhei.rdf.ntriples import parse_term
from pantarhei.spark import materialize_aboxes, run
from spark_streams import SCHEMA, by_value, rows_of, table_of
from strategies import EX, A, B, C, R, S, V, is_a, member, related, x, y
from worlds import World

RULES = [
    Rule("sub", (is_a(A, x),), is_a(B, x)),
    Rule("range", (related(R, x, y),), is_a(A, y)),
    Rule("with the background", (related(R, x, y), related(S, y, x)), is_a(EX.Pair, x)),
    Rule("disjoint", (is_a(B, x), is_a(C, x)), None),
]
ONTOLOGY = Ontology.from_rules(RULES)
BACKGROUND = [(EX.b, S, EX.a), member(A, EX.always)]
TYPE = RDF.type.n3()


def is_shuffled_for(made):
    """Whether the executed plan puts the rows of each timestamp together."""
    made.collect()
    plan = made._jdf.queryExecution().executedPlan().toString().partition("Initial Plan")[0]
    assert "MapInArrow" in plan
    return "Exchange hashpartitioning(xxhash64(timestamp" in plan


def sorted_rows(df):
    return sorted(map(tuple, df.collect()))


def test_models_are_those_of_single_aboxes_and_of_reasoners_that_hold_one(spark):
    world = World(11, constraints=3)
    ontology = Ontology.from_rules(world.rules)
    choose = random.Random(5)
    stream = [(at, list(dict.fromkeys(world.facts(choose.choice((1, 5, 30)))))) for at in range(-5, 15)]
    rows = rows_of(stream)
    random.Random(1).shuffle(rows)
    df = spark.createDataFrame(table_of(rows)).withColumn("more", f.rand()).repartition(3)
    observation = Observation()
    made = materialize_aboxes(
        df, ontology, background=world.background, conflicts=True, observation=observation, spark_partitions=5
    )
    assert made.columns == ["timestamp", "subject", "predicate", "object", "derived", "conflicts"]
    found = {}
    for at, *texts, derived, conflicts in made.collect():
        found.setdefault(at, {})[tuple(map(parse_term, texts))] = (derived, conflicts)
    assert made.rdd.getNumPartitions() == 5
    foundation = Foundation.of(ontology, world.background)
    texts, worker = InterpretationTables(foundation), ABoxMaterializer(foundation)
    contradictory = 0
    for at, abox in stream:
        alone = StreamReasoner(ontology, Window(0), world.background, repair="off")
        always = alone.materialization()
        conflicts = alone.push(0, abox).repair.conflict_sets
        facts = found.pop(at)
        assert by_value(facts) == by_value(alone.materialization() - always | set(abox))
        assert {fact for fact, (derived, _) in facts.items() if not derived} == set(abox)
        assert len(texts.table(worker.materialize(abox))) == len(facts)
        of_number = {}
        for fact, (derived, numbers) in facts.items():
            assert (numbers is None) == derived
            for number in numbers or ():
                of_number.setdefault(number, set()).add(fact)
        assert {frozenset(members) for members in of_number.values()} == {
            frozenset(fact for _, fact in conflict) for conflict in conflicts
        }
        contradictory += bool(conflicts)
    assert not found and contradictory > 3
    assert observation.get["facts"] == made.count()
    assert observation.get["conflicting"] == made.where(f.size("conflicts") > 0).count() > 3
    assert observation.get["skipped"] == 0


def test_backgrounds_join_in_and_are_not_repeated_and_blank_nodes_are_the_timestamps_own(spark):
    rows = rows_of([(1, [(EX.a, R, EX.b)]), (2, [member(A, EX.always)])])
    rows += [(3, "_:b", R.n3(), "_:c"), (4, "_:b", TYPE, A.n3())]
    made = sorted_rows(
        materialize_aboxes(spark.createDataFrame(rows, SCHEMA), ONTOLOGY, background=BACKGROUND)
    )
    assert [(at, *map(parse_term, texts), derived) for at, *texts, derived in made] == sorted(
        [
            (1, EX.a, R, EX.b, False),
            (1, *member(EX.Pair, EX.a), True),
            (1, *member(A, EX.b), True),
            (1, *member(B, EX.b), True),
            (2, *member(A, EX.always), False),
            (3, BNode("b"), R, BNode("c"), False),
            (3, *member(A, BNode("c")), True),
            (3, *member(B, BNode("c")), True),
            (4, *member(A, BNode("b")), False),
            (4, *member(B, BNode("b")), True),
        ],
        key=lambda row: (row[0], row[1].n3(), row[2].n3(), row[3].n3()),
    )
    with_b = materialize_aboxes(
        spark.createDataFrame(rows[2:], SCHEMA), ONTOLOGY, background=[member(C, BNode("b"))], conflicts=True
    )
    assert {row.subject for row in with_b.where("not derived").collect()} == {"_:mb"}
    assert not with_b.where(f.size("conflicts") > 0).count()  # they would be, were it the background's


def test_axioms_of_the_background_count_and_numbers_are_read_by_value(spark):
    background = [(EX.Own, RDFS.subClassOf, A), member(EX.Own, EX.always)]
    above = DatatypeRestriction(Datatype(XSD.decimal), ((XSD.minInclusive, Literal(80)),))
    hot = Rule("hot", (related(V, x, y),), is_a(EX.Hot, x), tests=(Member(y, above),))
    rows = rows_of([(1, [member(EX.Own, EX.a), (EX.a, V, Literal(85.5))])])
    given = spark.createDataFrame(rows, SCHEMA)
    ontology = Ontology.from_rules([*RULES, hot])
    made = materialize_aboxes(given, ontology, background=background, numbers="by_value")
    found = {parse_term(row.object) for row in made.collect() if row.predicate == TYPE}
    assert found == {EX.Own, A, B, EX.Hot}


def test_terms_may_be_structs_and_columns_have_other_names(spark):
    terms = [EX["ü"], BNode("b"), Literal("plain"), Literal('"\\ \n\r\t'), Literal("zwei", lang="de")]
    terms += [Literal("01", datatype=XSD.integer, normalize=False), Literal("typed", datatype=XSD.string)]

    def struct(term):
        kind = "uri" if isinstance(term, URIRef) else "bnode" if isinstance(term, BNode) else "literal"
        datatype = getattr(term, "datatype", None)
        return (kind, str(term), datatype and str(datatype), getattr(term, "language", None) or "")

    rows = [(9, EX.s.n3(), struct(V), struct(term)) for term in terms]
    struct_type = "struct<type: string, value: string, datatype: string, lang: string>"
    schema = f"`the time` int, s string, timestamp struct<type: string, value: string>, `o.o` {struct_type}"
    df = spark.createDataFrame([(at, s, p[:2], o) for at, s, p, o in rows], schema)
    columns = {"timestamp": "the time", "subject": "s", "predicate": "timestamp", "object": "o.o"}
    made = materialize_aboxes(df, ONTOLOGY, columns=columns)
    assert made.schema["timestamp"].dataType.simpleString() == "bigint"
    asserted = made.where("not derived").collect()
    assert [row.object for row in asserted] == [
        "<http://example.org/ü>",
        "_:b",
        '"plain"',
        '"\\"\\\\ \\n\\r\t"',
        '"zwei"@de',
        f'"01"^^<{XSD.integer}>',
        '"typed"',
    ]


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_times_of_each_kind_come_back_as_they_were(spark, zone):
    usual = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        hour = timedelta(hours=1)  # in New York clocks went back at six in UTC: half past one came twice
        first = datetime(2026, 11, 1, 5, 30, 0, 1, tzinfo=UTC)
        rows = [(at, EX.a.n3(), TYPE, A.n3()) for at in (first, first + hour, first - 1000 * hour)]
        df = spark.createDataFrame(table_of(rows))
        made = materialize_aboxes(df, ONTOLOGY)
        assert made.schema["timestamp"] == df.schema["timestamp"]
        micros = [int(at.timestamp()) * 10**6 + at.microsecond for at, *_ in rows]
        found = made.select(f.unix_micros("timestamp")).collect()
        assert sorted(row[0] for row in found) == sorted(2 * micros)
        updates = run(StreamReasoner(ONTOLOGY, Window("PT1H")), df)
        assert [update.at for update in updates] == sorted(at for at, *_ in rows)
    finally:
        spark.conf.set("spark.sql.session.timeZone", usual)


def test_doubles_are_times_and_negative_zero_is_zero(spark):
    rows = [(at, EX[f"x{number}"].n3(), TYPE, A.n3()) for number, at in enumerate((0.0, -0.0, -1.5, 2.25))]
    df = spark.createDataFrame(table_of(rows)).repartition(3, "subject")
    reasoner = StreamReasoner(ONTOLOGY, Window(10.0))
    assert [update.at for update in run(reasoner, df, spark_partitions=3)] == [-1.5, 0.0, 2.25]
    assert len(reasoner.assertions()) == 4


@pytest.mark.long
def test_what_is_clustered_by_timestamp_is_not_shuffled_again_and_all_else_is(spark):
    rows = [(at, EX[f"x{number}"].n3(), TYPE, A.n3()) for number in range(30) for at in range(6)]
    df = spark.createDataFrame(table_of(rows)).repartition(3)
    expected = sorted_rows(materialize_aboxes(df, ONTOLOGY))
    assert len(expected) == 2 * len(rows)
    together = df.repartition(3, "timestamp")
    clustered = {
        "hash": together,
        "more columns": together.withColumn("more", f.lit(1)).where("subject is not null"),
        "range": df.repartitionByRange(3, "timestamp"),
        "one partition": df.coalesce(1),
    }
    for name, given in clustered.items():
        made = materialize_aboxes(given, ONTOLOGY)
        assert not is_shuffled_for(made), name
        assert sorted_rows(made) == expected, name
    spread = {
        "round robin": df,
        "by two columns": df.repartition(3, "timestamp", "subject"),
        "by another": df.repartition(3, "subject"),
        "a timestamp computed later": together.withColumn("timestamp", f.expr("cast(timestamp as int) + 0")),
    }
    for name, given in spread.items():
        made = materialize_aboxes(given, ONTOLOGY)
        assert is_shuffled_for(made), name
        assert sorted_rows(made) == expected, name
    assert is_shuffled_for(materialize_aboxes(together, ONTOLOGY, clustered=False))
    assert not is_shuffled_for(materialize_aboxes(df, ONTOLOGY, clustered=True))


def test_a_join_that_spark_plans_anew_while_it_runs_cuts_no_abox(spark):
    """Spark makes the join by sorting one by broadcast, and then reads the shuffled rows where they are."""
    settings = {
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        "spark.sql.adaptive.autoBroadcastJoinThreshold": "10MB",
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
    }
    usual = {name: spark.conf.get(name, None) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        rows = spark.range(0, 400, 1, 4).selectExpr(
            "id % 20 AS timestamp",
            f"format_string('<{EX}x%d>', id) AS subject",
            f"'{R.n3()}' AS predicate",
            f"'{EX.one.n3()}' AS object",
        )
        joined = rows.join(spark.range(20).withColumnRenamed("id", "timestamp"), "timestamp")
        made = materialize_aboxes(joined, ONTOLOGY, spark_partitions=2)
        derived = made.where("derived").groupBy("timestamp").count().collect()
        assert {(row.timestamp, row["count"]) for row in derived} == {(at, 2) for at in range(20)}
    finally:
        for name, value in usual.items():
            spark.conf.unset(name) if value is None else spark.conf.set(name, value)


def test_nothing_makes_nothing_and_columns_without_nulls_may_lose_rows(spark):
    observation = Observation()
    nothing = materialize_aboxes(spark.createDataFrame([], SCHEMA), ONTOLOGY, observation=observation)
    assert nothing.collect() == []
    assert observation.get == {"facts": 0, "conflicting": 0, "skipped": 0}
    assert list(run(StreamReasoner(ONTOLOGY, Window(1)), spark.createDataFrame([], SCHEMA))) == []
    given = spark.range(4).select(
        f.col("id").alias("timestamp"),
        f.lit(EX.a.n3()).alias("subject"),
        f.lit(TYPE).alias("predicate"),
        f.when(f.col("id") == 2, "no term").otherwise(A.n3()).alias("object"),
    )
    assert not any(field.nullable for field in given.schema)
    observation = Observation()
    made = materialize_aboxes(given, ONTOLOGY, on_error="skip", observation=observation)
    assert {row.timestamp for row in made.collect()} == {0, 1, 3}
    assert observation.get == {"facts": 6, "conflicting": 0, "skipped": 1}
