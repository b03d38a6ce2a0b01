"""Rows go to the shard of their subject's key, or are refused."""

import random
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from rdflib import RDF, BNode

from pantarhei import Ontology
from pantarhei.errors import BackgroundOnlyError, InvalidRowError
from pantarhei.model.rule import Rule
from pantarhei.rdf.ntriples import parse_term, write_term
from pantarhei.rules.sharding.routing import Routing
from pantarhei.spark.shards import router as router_module
from pantarhei.spark.shards.router import _PLAIN_TERM, CLOCK, FIRST_TICK, LAST_TICK, WATERMARK_OFFSET, Router
from pantarhei.spark.shards.shard import ROWS, unpack_table
from shard_rows import routed, routed_rows
from strategies import (
    EX,
    INDIVIDUALS,
    A,
    B,
    R,
    S,
    a,
    b,
    is_a,
    related,
    x,
    y,
)

IN = EX.inBuilding
RULES = [
    Rule("joined", (is_a(A, x), related(IN, x, y)), is_a(B, y)),
    Rule("not both", (is_a(B, y), related(IN, x, y), is_a(EX.C, x)), None),
    Rule("told", (related(R, x, y),), related(S, y, x)),
]
PLACES = [(name, IN, EX[f"building{number % 2}"]) for number, name in enumerate((*INDIVIDUALS, EX.d, EX.e))]


LETTERS = pa.schema(
    [
        *((name, pa.string()) for name in ("kind", "reason")),
        ("timestamp", pa.int64()),
        *((name, pa.string()) for name in ("subject", "predicate", "object")),
        ("offset", pa.int64()),
    ]
)


def router(shards, **options):
    report = Ontology.from_rules(RULES, PLACES).sharding_report(keys=[IN])
    return Router(Routing.of(report, IN), shards, **options)


def batch(*rows):
    """A batch of a normalized DataFrame, with a carried column."""
    columns = list(zip(*rows, strict=True))
    kinds = (pa.int64(), *[pa.string()] * 3, pa.int64())
    names = ("timestamp", "subject", "predicate", "object", "offset")
    columns.append(list(range(len(rows))))
    arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    return pa.record_batch(arrays, names)


def test_a_name_goes_to_one_shard_however_it_is_written():
    texts = ("<http://example.org/a>", "<http://example.org/\\u0061>", "<http://example.org/c>")
    first, again, other = (set(routed(router(1000), [batch((1, each, R.n3(), b.n3()))])) for each in texts)
    assert first == again == other  # a and c are in one building
    assert {router(1000)._subject("<http://example.org/b>").shard} != first


INVALID = [
    (None, a.n3(), R.n3(), b.n3()),
    (FIRST_TICK - 1, a.n3(), R.n3(), b.n3()),
    (LAST_TICK + 1, a.n3(), R.n3(), b.n3()),
    (1, None, R.n3(), b.n3()),
    (1, a.n3(), None, b.n3()),
    (1, a.n3(), R.n3(), None),
    (1, '"text"', R.n3(), b.n3()),
    (1, "a b", R.n3(), b.n3()),
    (1, a.n3(), R.n3(), "95"),
    (1, a.n3(), R.n3(), '"95'),
    (1, a.n3(), R.n3(), "<no iri>"),
    (1, a.n3(), R.n3(), '"a\\q"'),
    (1, a.n3(), "_:p", b.n3()),
    (1, a.n3(), "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", '"text"'),
    (1, a.n3(), "<http://www.w3.org/1999/02/22-rdf-syntax-ns#\\u0074ype>", A.n3()),
]
NOT_FOR_THE_STREAM = (1, a.n3(), IN.n3(), b.n3())


@pytest.mark.parametrize("row", range(len(INVALID)))
def test_a_row_that_is_no_triple_is_an_error_with_the_row(row):
    with pytest.raises(InvalidRowError) as error:
        list(router(4).route([batch((1, a.n3(), R.n3(), b.n3()), INVALID[row])]))
    text = [f"{value!s}" for value in INVALID[row] if value is not None]
    assert all(any(each in cell for cell in error.value.row) for each in text)


def test_a_row_that_only_the_background_may_have_is_an_error():
    with pytest.raises(BackgroundOnlyError):
        list(router(4).route([batch(NOT_FOR_THE_STREAM)]))


def test_rows_that_are_skipped_are_handed_out_with_their_reasons_and_the_others_are_routed():
    choose = random.Random(7)
    valid = [(at, a.n3(), R.n3(), b.n3()) for at in range(5)]
    rows = [*INVALID, NOT_FOR_THE_STREAM, *valid]
    choose.shuffle(rows)
    sent = [batch(*rows[:6]), batch(*rows[6:])]
    outcome = list(routed_rows(router(4, on_error="skip", letters=LETTERS), sent))
    letters = pa.concat_tables(
        [unpack_table(each["rows"]) for each in outcome if each["shard"] == CLOCK and each["rows"]]
    )
    assert sum(each["count"] for each in outcome if each["shard"] == CLOCK) == len(letters) == len(rows) - 5
    lost = {
        tuple(each[name] for name in ("timestamp", "subject", "predicate", "object"))
        for each in letters.to_pylist()
    }
    assert lost == {row for row in rows if row not in valid}
    assert all(letters["reason"].to_pylist()) and set(letters["kind"].to_pylist()) == {"invalid"}
    kept = routed(router(4, on_error="skip", letters=LETTERS), sent)
    (part,) = kept.values()
    assert sorted(part["timestamp"].to_pylist()) == list(range(5))
    offsets = sorted([*part["offset"].to_pylist(), *letters["offset"].to_pylist()])
    assert offsets == sorted([*range(6), *range(len(rows) - 6)])


def test_a_text_that_is_not_utf_8_is_an_invalid_row():
    broken = pa.array([b"<urn:\xff>", a.n3().encode()], pa.binary()).view(pa.string())
    whole = batch((1, a.n3(), R.n3(), b.n3()), (1, a.n3(), R.n3(), b.n3()))
    for name in ("subject", "predicate"):
        given = whole.set_column(whole.schema.get_field_index(name), name, broken)
        with pytest.raises(InvalidRowError, match="UTF-8"):
            list(router(4).route([given]))


def test_the_key_with_most_rows_is_named():
    rows = [(at, a.n3(), R.n3(), b.n3()) for at in range(3)] + [(1, EX.unknown.n3(), R.n3(), b.n3())]
    row, _ = routed_rows(router(1), [batch(*rows)])
    assert (row["hot_key"], row["hot_rows"]) == (EX.building0.n3(), 3)


def test_shards_that_can_hold_a_triple_are_found_by_its_key():
    streaming = [A, R, EX.C]
    rules = [*RULES, Rule("known", (related(R, x, y),), is_a(EX.Known, y))]
    report = Ontology.from_rules(rules, PLACES).sharding_report(streaming, keys=[IN])
    found = Router(Routing.of(report, IN), 7)
    (building,) = {where for name, _, where in PLACES if name == a}
    own = [found.shard_of(a)]
    assert found.shards_with((a, RDF.type, A)) == found.shards_with((building, RDF.type, B)) == own
    assert (
        found.shards_with((a, R, EX.e)) == found.shards_with((EX.e, S, a)) == own
    )  # an inverse: at its object
    assert list(found.shards_with((a, RDF.type, EX.Known))) == list(range(7))  # in that of whoever says it
    assert list(found.shards_with((BNode("b"), RDF.type, A))) == list(range(7))  # its label is another there
    assert found.shards_with((a, IN, building)) == [0]  # in each


def test_only_rows_for_the_stream_advance_its_time():
    rows = [(5, a.n3(), R.n3(), b.n3()), (9, a.n3(), R.n3(), "95"), (2**60, a.n3(), R.n3(), b.n3())]
    sent = router(4, on_error="skip").route([batch(*rows)])
    events = [each["event"].cast(pa.int64())[0].as_py() for each in sent]
    assert [each for each in events if each is not None] == [(5 + WATERMARK_OFFSET) * 1000]


TERMS = [
    "<urn:a>",
    "<http://example.org/a?b=c&d#e>",
    "_:b1",
    '"a"',
    '""',
    '"a b"@en',
    '"1"^^<http://www.w3.org/2001/XMLSchema#integer>',
]


def test_a_term_that_is_taken_for_valid_without_parsing_is_valid():
    choose, plain = random.Random(3), 0
    for _ in range(3000):
        text = list(choose.choice(TERMS))
        for _ in range(choose.choice((0, 0, 1, 2))):
            place = choose.randrange(len(text) + 1)
            text[place : place + choose.randrange(2)] = choose.choice(' "<>\\_:@^a1-\n{}|`\u00e9')
        given = "".join(text)
        if pc.match_substring_regex(pa.array([given.encode()]), _PLAIN_TERM)[0].as_py():
            plain += 1
            assert write_term(parse_term(given))
    assert plain > 1000


class CountedCodes(np.ndarray):
    """Numbers of a column that count the numbers read by functions."""

    read = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        CountedCodes.read += self.size
        return getattr(ufunc, method)(*map(np.asarray, inputs), **options)

    def __array_function__(self, function, types, arguments, options):
        CountedCodes.read += self.size
        return super().__array_function__(function, types, arguments, options)


DISTINCT = {
    "subject": (a.n3(), "<http://example.org/{}>", "<not {}>", '"{}"', "_:{}"),
    "predicate": (R.n3(), "<http://example.org/p{}>", "<not {}>", '"{}"', IN.n3(), RDF.type.n3()),
    "object": (b.n3(), '"{}"', '"\u00fc{}"', "<http://example.org/\\u0061{}>", "<not {}>", "{}"),
}


@pytest.mark.parametrize("shards", [1, 40])
@pytest.mark.parametrize("seed", range(8))
def test_the_work_is_linear_in_the_rows_whatever_they_are(monkeypatch, seed, shards):
    choose = random.Random(seed)
    texts = [choose.choice(DISTINCT[name]) for name in DISTINCT]
    codes_of = router_module._codes

    def counted(column):
        found = codes_of(column)
        CountedCodes.read += found.size
        return found.view(CountedCodes)

    monkeypatch.setattr(router_module, "_codes", counted)

    def work(rows):
        given = batch(*((1, *(text.replace("{}", f"{row}") for text in texts)) for row in range(rows)))
        CountedCodes.read = 0
        list(router(shards, on_error="skip", letters=LETTERS).route([given]))
        return CountedCodes.read

    assert 0 < work(800) <= 9 * work(100)
    assert work(800) <= 40 * 800


def test_the_memory_is_bounded_whatever_the_texts_are(monkeypatch):
    monkeypatch.setattr(router_module, "_MOST_KNOWN", 10)
    monkeypatch.setattr(router_module, "_MOST_CHARACTERS", 1000)
    monkeypatch.setattr(router_module, "_BYTES_TOGETHER", 5000)
    found, sent = router(3, on_error="skip"), []
    for number in range(30):
        for length in (1, 400):
            name = f"<http://example.org/{'x' * length}{number}>"
            sent.append(batch((1, name, name, b.n3()), (1, name, RDF.type.n3(), name)))
    together = []
    routed_together = Router._routed
    monkeypatch.setattr(
        Router, "_routed", lambda self, table: together.append(table) or routed_together(self, table)
    )
    assert routed(found, sent)
    assert max(table.nbytes for table in together) < 5000 + max(each.nbytes for each in sent)
    for known in (found._subjects, found._classes, found._properties):
        assert 0 < len(known._values) <= 10 and sum(map(len, known._values)) < 2000


def drawn_type(choose, depth=2):
    """A type as Spark sends it, the type of dead letters, and a value."""
    kind = choose.choice(("text", "bytes", "time", "number", *(["list", "map", "struct"] if depth else [])))
    if kind in ("list", "map", "struct"):
        sent, kept, value = drawn_type(choose, depth - 1)
        field = pa.field("value", sent, nullable=choose.random() < 0.5)
        if kind == "list":
            return pa.list_(field), pa.list_(pa.field("value", kept)), [value, value]
        if kind == "map":
            return pa.map_(pa.large_string(), field), pa.map_(pa.string(), kept), [("k", value)]
        return pa.struct([field]), pa.struct([("value", kept)]), {"value": value}
    zone = choose.choice(["America/New_York", "UTC"])
    return {
        "text": (choose.choice([pa.string(), pa.large_string()]), pa.string(), "x"),
        "bytes": (choose.choice([pa.binary(), pa.large_binary()]), pa.binary(), b"x"),
        "time": (pa.timestamp("us", zone), pa.timestamp("us", "UTC"), datetime(2026, 3, 1, tzinfo=UTC)),
        "number": (pa.int32(), pa.int32(), 5),
    }[kind]


@pytest.mark.parametrize("seed", range(12))
def test_carried_columns_have_the_types_of_dead_letters_whatever_spark_sends(seed):
    choose = random.Random(seed)
    sent, kept, value = drawn_type(choose)
    name = choose.choice(["extra", "ticks", "shard", "change"])  # also names that are used inside
    letters = LETTERS.append(pa.field(name, kept))
    given = batch((1, a.n3(), R.n3(), b.n3()), (1, a.n3(), R.n3(), "95"))
    for term in ("subject", "object"):
        place = given.schema.get_field_index(term)
        given = given.set_column(
            place, term, given[term].cast(choose.choice([pa.string(), pa.large_string()]))
        )
    given = given.append_column(pa.field(name, sent, nullable=False), pa.array([value] * 2, sent))
    rows = list(routed_rows(router(3, on_error="skip", letters=letters), [given]))
    tables = [unpack_table(row["rows"]) for row in rows if row["rows"]]
    assert len(tables) == 2
    for table in tables:
        assert table.schema.field(name) == letters.field(name)
        assert table[name].to_pylist() == [value]
    (part,) = (table for table in tables if "kind" not in table.column_names)
    assert part.schema.equals(pa.schema([*ROWS, letters.field("offset"), letters.field(name)]))
