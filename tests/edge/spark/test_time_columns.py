"""Columns of times: dates and decimals, and changes, which are not assertions."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from pantarhei import Ontology, OptionError, StreamReasoner, Window
from pantarhei.spark import materialize_aboxes, melt, reason_stream, run, shard_stream
from pantarhei.spark.frame import normalized
from spark_streams import TEXTS, Folder

TERMS = ("<urn:a>", "<urn:p>", "<urn:b>")
MAPPING = {
    "time": {"column": "timestamp", "zone": "UTC"},
    "mappings": {"it": {"s": "urn:a", "po": [["urn:p", "1"]]}},
}
DATES = [date(1, 1, 1), date(1969, 12, 31), date(2026, 3, 29), date(9999, 12, 31)]


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_dates_are_midnight_in_utc_as_in_mappings_with_this_zone(spark, zone):
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        df = spark.createDataFrame([(day, *TERMS) for day in DATES], f"timestamp date, {TEXTS}")
        mapped = melt(df.where("timestamp > '1900-01-01'"), MAPPING).toArrow()["timestamp"].to_pylist()
        made = normalized(df).toArrow()["timestamp"].to_pylist()
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
    assert made == [datetime(day.year, day.month, day.day, tzinfo=UTC) for day in DATES]
    assert mapped == made[1:]


def test_dates_that_no_datetime_has_are_invalid_rows(spark):
    years = "VALUES (2026), (0), (10000), (290000), (NULL) AS t(year)"
    terms = "'<urn:a>' AS subject, '<urn:p>' AS predicate, '<urn:b>' AS object"
    df = spark.sql(f"SELECT make_date(year, 1, 1) AS timestamp, {terms} FROM {years}")
    skipped = []
    reasoner = StreamReasoner(Ontology.from_rules([]), Window("P1D"))
    updates = run(reasoner, df, on_error="skip", on_skipped=skipped.append)
    assert [update.at for update in updates] == [datetime(2026, 1, 1, tzinfo=UTC)]
    assert skipped[0].count == 4


def test_decimals_are_integers_or_with_a_scale_floats(spark):
    wholes = [Decimal(-3), Decimal(2**62 + 1), Decimal(10) ** 37, None]
    whole = spark.createDataFrame([(at, *TERMS) for at in wholes], f"timestamp decimal(38,0), {TEXTS}")
    skipped = []
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(1))
    assert [update.at for update in run(reasoner, whole, on_error="skip", on_skipped=skipped.append)] == [-3]
    assert skipped[0].count == 3
    half = spark.createDataFrame([(Decimal("1.5"), *TERMS)], f"timestamp decimal(3,1), {TEXTS}")
    assert normalized(half).first().timestamp == 1.5


def test_changes_are_not_taken_for_assertions(spark, tmp_path):
    schema, ontology, window = f"timestamp long, {TEXTS}, change int", Ontology.from_rules([]), Window(1)
    changes = spark.createDataFrame([(1, *TERMS, -1)], schema)
    stream = Folder(tmp_path / "in").stream(spark, schema)
    for attempt in (
        lambda: materialize_aboxes(changes, ontology),
        lambda: run(StreamReasoner(ontology, window), changes),
        lambda: reason_stream(stream, ontology, window),
        lambda: shard_stream(stream, ontology, window),
        lambda: reason_stream(stream, ontology, window, shard_by="subject"),
    ):
        with pytest.raises(OptionError, match=r'deletions are not assertions; .* df.where\("change = 1"\)'):
            attempt()
    text = changes.withColumn("change", changes["change"].cast("string"))  # a column of the user
    assert materialize_aboxes(text, ontology).columns[:4] == ["timestamp", "subject", "predicate", "object"]
