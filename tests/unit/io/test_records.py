"""Tables as streams: what rows become, and what whoever makes a mistake is told."""

import gzip
import io
import json
import pickle
from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from pyarrow import parquet
from rdflib import RDF, XSD, Literal, Namespace

import pantarhei as pr
from pantarhei import (
    InvalidCellError,
    MalformedInputError,
    Mapping,
    MappingError,
    MissingFileError,
    OptionError,
    TimesCutWarning,
    read_records,
)
from pantarhei.io.mapping.mapping_reader import read_mapping

EX = Namespace("http://example.org/")
PREFIXES = {"ex": str(EX)}
CARS = "at,garage,free,full\n7,north,12,false\n7,south,,true\n8,north,3,false\n"


def mapping(po, time="at", **other):
    return {
        "prefixes": PREFIXES,
        "time": {"column": time, "unit": "number"} if time == "at" else time,
        "mappings": {"garage": {"s": "ex:$(garage)", "po": po}},
        **other,
    }


FREE = mapping([["a", "ex:Garage"], ["ex:free", "$(free)", "xsd:integer"]])
NORTH = (EX.north, RDF.type, EX.Garage), (EX.north, EX.free, Literal(12))
READ = [(7, (*NORTH, (EX.south, RDF.type, EX.Garage))), (8, (NORTH[0], (EX.north, EX.free, Literal(3))))]


def aboxes(text, how=FREE, **options):
    return list(read_records(io.BytesIO(text.encode()), how, **{"format": "csv", **options}))


# -- what rows become ------------------------------------------------------------------------------


def test_rows_of_one_time_are_one_abox_and_an_empty_cell_makes_no_triple():
    assert aboxes(CARS) == READ


def test_many_triples_of_one_time_are_held_by_column_and_equal_what_few_are():
    rows = "".join(f"7,g{row % 5},{row},x\n" for row in range(200))
    (abox,) = aboxes("at,garage,free,full\n" + rows)
    assert type(abox.triples) is not tuple
    assert len(abox.triples) == 400
    assert abox.triples[-1] == (EX.g4, EX.free, Literal(199))


def test_a_reasoner_runs_over_a_table():
    ontology = pr.load_ontology("ontologies/pedals.ttl")
    how = {
        "prefixes": {"p": "http://example.org/pedals#"},
        "time": {"column": "at", "unit": "number"},
        "mappings": {"driver": {"s": "p:$(who)", "po": [["a", "$(what)~iri"]]}},
    }
    pressed = "http://example.org/pedals#{}Pressed"
    text = f"at,who,what\n1,x,{pressed.format('GasPedal')}\n2,x,{pressed.format('Brakes')}\n"
    reasoner = pr.StreamReasoner(ontology, pr.Window(range=2))
    removed = [len(update.repair.removed) for update in reasoner.run(aboxes(text, how))]
    assert removed == [0, 1]


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "csv.zst", "tsv", "jsonl", "parquet"])
def test_a_table_is_the_same_in_every_format(tmp_path, suffix):
    path = tmp_path / f"cars.{suffix}"
    match suffix:
        case "csv":
            path.write_text(CARS)
        case "csv.gz":
            path.write_bytes(gzip.compress(CARS.encode()))
        case "csv.zst":
            with pa.CompressedOutputStream(str(path), "zstd") as file:
                file.write(CARS.encode())
        case "tsv":
            path.write_text(CARS.replace(",", "\t"))
        case "jsonl":
            path.write_text(
                '{"at": 7, "garage": "north", "free": 12}\n{"at": 7, "garage": "south", "free": null}\n\n'
                '{"at": 8, "garage": "north", "free": 3}\n'
            )
        case "parquet":
            parquet.write_table(FRAME, path)
    assert list(read_records(path, FREE)) == READ


FRAME = pa.table(
    {"at": [7, 7, 8], "garage": ["north", "south", "north"], "free": pa.array([12, None, 3], pa.int32())}
)


@pytest.mark.parametrize(
    "made", [FRAME, FRAME.to_reader(), FRAME.to_pandas()], ids=lambda made: type(made).__name__
)
def test_a_frame_that_speaks_arrow_is_a_table(made):
    assert list(read_records(made, FREE)) == READ


def test_files_of_a_folder_are_read_in_the_order_of_their_names(tmp_path):
    head, *rows = CARS.splitlines(keepends=True)
    (tmp_path / "b.csv").write_text(head + rows[2])
    (tmp_path / "a.csv").write_text(head + rows[0] + rows[1])
    (tmp_path / "notes.txt").write_text("no table")
    assert list(read_records(tmp_path, FREE)) == READ
    assert list(read_records(tmp_path / "*.csv", FREE)) == READ
    assert list(read_records([tmp_path / "a.csv", tmp_path / "b.csv"], FREE)) == READ


def test_a_reader_can_be_iterated_again(tmp_path):
    (tmp_path / "cars.csv").write_text(CARS)
    reader = read_records(tmp_path / "cars.csv", FREE)
    assert list(reader) == list(reader) == READ
    assert reader.bytes_read == reader.size == len(CARS)


def test_rows_before_a_wrong_one_are_given_out_before_the_error():
    reader = iter(read_records(io.BytesIO(f"{CARS}9,north,many,x\n".encode()), FREE, format="csv"))
    assert next(reader) == READ[0]
    with pytest.raises(pr.InvalidCellError) as caught:
        next(reader)
    assert (caught.value.line, caught.value.column) == (5, "free")


def test_wrong_rows_are_skipped_counted_and_kept():
    text = (
        "at,garage,free,full\n7,north,12,x\n7,south,many,x\n7,south\n\n7,south,,x\nx,north,1,x\n8,north,3,x\n"
    )
    reader = read_records(io.BytesIO(text.encode()), FREE, format="csv", on_error="skip")
    assert list(reader) == READ
    assert [skipped.line for skipped in reader.skipped] == [3, 4, 7]
    assert reader.skipped_count == 3
    assert "'many' is not of type xsd:integer" in reader.skipped[0].reason
    assert reader.skipped[0].text == "at=7, garage=south, free=many"


def test_times_are_instants_in_the_zone_of_the_mapping():
    how = mapping([["a", "ex:Garage"]], {"column": "at", "zone": "Europe/Copenhagen"})
    ((at, _),) = aboxes("at,garage\n2014-08-01 07:50:00,north\n", how)
    assert at == datetime(2014, 8, 1, 5, 50, tzinfo=UTC)
    assert at.isoformat() == "2014-08-01T07:50:00+02:00"


def test_melted_columns_are_rows_of_their_own():
    how = mapping(
        [["$(property)~iri", "$(value)", "xsd:integer"], ["ex:at", "$(at)"]],
        melt={"columns": {"ozone": {"property": "ex:ozone"}, "co": {"property": "ex:monoxide"}}},
    )
    ((_, triples),) = aboxes("at,garage,ozone,co\n7,north,81,\n", how)
    assert triples == ((EX.north, EX.at, Literal("7")), (EX.north, EX.ozone, Literal(81)))


def test_a_row_can_have_a_name_of_its_own():
    how = mapping([["ex:free", "$(free)", "xsd:integer"]])
    how["mappings"]["garage"]["s"] = "ex:reading/$(_row)"
    found = [triples[0][0] for _, triples in aboxes(CARS, how)]
    assert found == [EX["reading/1"], EX["reading/3"]]


def test_a_value_is_percent_encoded_into_an_iri_and_escaped_in_a_text():
    how = mapping([["ex:says", "$(free)"], ["ex:number", "$(free) cars", "en~lang"]])
    ((_, triples),) = aboxes('at,garage,free\n7,a b/é,"one ""two""\\"\n', how)
    subject = EX["a%20b%2Fé"]
    said = 'one "two"\\'
    assert triples == (
        (subject, EX.says, Literal(said)),
        (subject, EX.number, Literal(f"{said} cars", lang="en")),
    )


def test_numbers_keep_the_text_that_they_have():
    how = mapping([["ex:free", "$(free)", "xsd:decimal"]], decimal=",")
    ((_, triples),) = aboxes('at,garage,free\n7,north,"0,50"\n', how)
    assert triples[0][2].eq(Literal("0.50", datatype=XSD.decimal, normalize=False))
    assert str(triples[0][2]) == "0.50"


def test_a_mapping_as_a_value_is_taken_too():
    assert aboxes(CARS, read_mapping(FREE)) == READ


# -- mistakes, and what is said of them ------------------------------------------------------------

MAPPING = """\
prefixes: {ex: http://example.org/}
time: {column: time, zone: UTC}
mappings:
  garage:
    s: ex:$(id)
    po:
      - [ex:free, $(free), xsd:integer]
"""
TABLE = "time,id,free\n2026-01-01 10:00,a,1\n"


def said(text=TABLE, how=MAPPING, format="csv"):
    """What the error says when a table of this text is read."""
    content = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(pr.InputError) as caught:
        list(read_records(io.BytesIO(content), how, format=format))
    return str(caught.value)


def in_parquet(**columns):
    file = io.BytesIO()
    parquet.write_table(pa.table({"time": ["2026-01-01 10:00"], "id": ["a"], **columns}), file)
    return file.getvalue()


def test_the_table_of_the_mistakes_below_is_right():
    ((at, triples),) = read_records(io.BytesIO(TABLE.encode()), MAPPING, format="csv")
    assert (at, triples) == (datetime(2026, 1, 1, 10, tzinfo=UTC), ((EX.a, EX.free, Literal(1)),))


def test_a_column_that_is_there_twice_does_no_harm_where_nothing_refers_to_it():
    text = "time,id,free,x,x\n2026-01-01 10:00,a,1,,\n"
    assert len(list(read_records(io.BytesIO(text.encode()), MAPPING, format="csv"))) == 1


def test_a_byte_order_mark_is_no_part_of_the_first_columns_name():
    content = b"\xef\xbb\xbf" + TABLE.encode()
    assert len(list(read_records(io.BytesIO(content), MAPPING, format="csv"))) == 1


def test_an_empty_file_is_said_and_a_header_alone_is_a_table_without_rows():
    assert said("") == (
        "<table>: it is empty; expected a line with the names of its columns, and one for each row"
    )
    assert said("", format="jsonl") == "<table>: it is empty; expected an object in each line"
    assert list(read_records(io.BytesIO(b"time,id,free\n"), MAPPING, format="csv")) == []


def test_a_column_with_columns_inside_is_said_and_those_inside_can_be_named():
    content = in_parquet(free=[{"now": 1}])
    assert said(content, format="parquet") == (
        "the mapping, line 7: <table> has no column free; expected one of time, id, free.now (did you mean "
        "free.now?)"
    )
    how = MAPPING.replace("$(free)", "$(free.now)")
    ((_, triples),) = read_records(io.BytesIO(content), how, format="parquet")
    assert triples == ((EX.a, EX.free, Literal(1)),)


def test_a_mapping_that_is_not_there_is_said(tmp_path):
    with pytest.raises(pr.MissingFileError, match=r"no-mapping\.yaml cannot be read: No such file"):
        read_records(io.BytesIO(), "no-mapping.yaml", format="csv")


def test_a_table_that_is_not_there_is_said(tmp_path):
    for source in ("none.csv", tmp_path, tmp_path / "*.csv"):
        with pytest.raises(pr.MissingFileError, match="cannot be read"):
            read_records(source, MAPPING)


def test_what_is_no_table_is_said(tmp_path):
    (tmp_path / "cars.txt").write_text(CARS)
    with pytest.raises(pr.UnknownFormatError, match=r"ends in \.csv, \.tsv, \.jsonl"):
        read_records(tmp_path / "cars.txt", MAPPING)
    with pytest.raises(pr.OptionError, match="of Arrow"):
        read_records(3, MAPPING)
    with pytest.raises(pr.OptionError, match="one of csv, tsv, jsonl, parquet"):
        read_records("-", MAPPING, format="xml")
    with pytest.raises(pr.OptionError, match='expected "raise" or "skip"'):
        read_records("-", MAPPING, on_error="ignore")


def test_a_table_that_is_given_to_read_stream_is_said_to_need_a_mapping(tmp_path):
    with pytest.raises(pr.OptionError, match="read_records reads tables, with a mapping"):
        pr.read_stream(tmp_path / "readings.csv")


def test_time_that_goes_back_is_said_by_the_reasoner_and_can_be_waited_for():
    text = f"{CARS}7,south,1,x\n"
    ontology = pr.load_ontology("ontologies/pedals.ttl")
    with pytest.raises(pr.LateABoxError, match="or let the stream wait for them with allowed_lateness"):
        list(pr.StreamReasoner(ontology, pr.Window(range=2)).run(aboxes(text)))
    updates = pr.StreamReasoner(ontology, pr.Window(range=2)).run(aboxes(text), allowed_lateness=1)
    assert [update.at for update in updates] == [7, 8]


def test_times_of_the_hour_that_comes_twice_compare_as_instants():
    how = mapping([["a", "ex:Garage"]], {"column": "at", "zone": "Europe/Copenhagen"})
    text = "at,garage\n2025-10-26 02:59+02:00,north\n2025-10-26 02:00+01:00,north\n"
    first, second = (abox.at for abox in aboxes(text, how))
    assert first < second


MAPPING_OF_RECORD_MAPPING = {
    "prefixes": {"ex": "http://example.org/"},
    "time": {"column": "at"},
    "mappings": {"m": {"s": "ex:$(id)", "po": [["ex:v", "$(v)"], ["ex:row", "$(_row)"]]}},
}
NUMBERED = {**MAPPING_OF_RECORD_MAPPING, "time": {"column": "at", "unit": "number"}}
MELTED = {
    **MAPPING_OF_RECORD_MAPPING,
    "melt": {"columns": ["v", "k*"]},
    "mappings": {"m": {"s": "ex:$(id)", "po": [["ex:$(variable)", "$(value)"]]}},
}
TEN = "2026-03-02T10:00:00Z"


def values(abox):
    return [term for _, predicate, term in abox.triples if predicate.endswith("/v")]


def test_a_mapping_is_checked_when_it_is_loaded(tmp_path):
    with pytest.raises(MappingError, match="time is missing"):
        Mapping.load({"mappings": {}})
    with pytest.raises(MissingFileError):
        Mapping.load(tmp_path / "none.yaml")
    path = tmp_path / "m.yaml"
    path.write_text("time: at\nmappings: {m: {s: 'urn:$(id)', po: [[a, 'urn:C']]}}\n")
    assert len(Mapping.load(path).abox({"at": TEN, "id": "x"}).triples) == 1


@pytest.mark.parametrize(
    ("value", "term"),
    [
        (21, Literal("21", datatype=XSD.integer)),
        (21.5, Literal("21.5", datatype=XSD.decimal)),
        (1e-7, Literal("0.0000001", datatype=XSD.decimal)),
        (Decimal("0.50"), Literal("0.50", datatype=XSD.decimal, normalize=False)),
        (True, Literal("true", datatype=XSD.boolean)),
        ("21", Literal("21")),
        (float("nan"), Literal("NaN", datatype=XSD.double, normalize=False)),
    ],
)
def test_values_of_python_are_what_json_would_make_of_them(value, term):
    assert values(Mapping.load(MAPPING_OF_RECORD_MAPPING).abox({"at": TEN, "id": "a", "v": value})) == [term]


def test_a_whole_number_of_any_size_has_all_its_digits():
    (term,) = values(Mapping.load(MAPPING_OF_RECORD_MAPPING).abox({"at": TEN, "id": "a", "v": 10**5000}))
    assert str(term) == "1" + "0" * 5000


def test_times_of_python_are_times():
    at = datetime(2026, 3, 2, 10, tzinfo=UTC)
    assert Mapping.load(MAPPING_OF_RECORD_MAPPING).abox({"at": at, "id": "a"}).at == at


@pytest.mark.parametrize("record", [7, None, ["at"], object()])
def test_what_is_no_record_is_refused(record):
    with pytest.raises(OptionError, match="a dictionary, or the text of a JSON object"):
        Mapping.load(MAPPING_OF_RECORD_MAPPING).abox(record)


@pytest.mark.parametrize("value", [{"a": 1}, [[1]], b"21", object(), {1, 2}])
def test_what_is_no_value_is_refused_with_the_member(value):
    with pytest.raises(InvalidCellError) as caught:
        Mapping.load(MAPPING_OF_RECORD_MAPPING).abox({"at": TEN, "id": "a", "v": value})
    assert caught.value.column == "v"
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    ("record", "column"),
    [
        ({"id": "a\ud800"}, "id"),
        ({"v": "\ud800"}, "v"),
        ({"v": ["x", "\udfff"]}, "v"),
        ({"at": "\ud800"}, "at"),
        ({"v": {"x": "\ud800"}}, "v.x"),
    ],
)
@pytest.mark.parametrize("mapping", [MAPPING_OF_RECORD_MAPPING, MELTED])
def test_half_of_a_pair_of_surrogates_is_refused_with_the_member(record, column, mapping):
    with pytest.raises(InvalidCellError, match="half of a pair of surrogates") as caught:
        Mapping.load(mapping).abox({"at": TEN, "id": "a", "v": "x", **record})
    assert caught.value.column == column


def test_half_of_a_pair_of_surrogates_in_a_name_matters_where_names_do():
    record = {"at": TEN, "id": "a", "v": "x", "k\ud800": "x"}
    assert values(Mapping.load(MAPPING_OF_RECORD_MAPPING).abox(record)) == [Literal("x")]
    with pytest.raises(InvalidCellError, match="half of a pair of surrogates") as caught:
        Mapping.load(MELTED).abox(record)
    assert caught.value.column == ascii("k\ud800")


def test_a_record_that_is_nested_too_deep_is_refused():
    value = {}
    for _ in range(100_000):
        value = {"x": value}
    with pytest.raises(MalformedInputError, match="nested too deep"):
        Mapping.load(MAPPING_OF_RECORD_MAPPING).abox({"at": TEN, "id": "a", "v": value})


def test_a_text_that_writes_no_object_is_refused():
    with pytest.raises(MalformedInputError, match="<record>: it is not a line of JSON"):
        Mapping.load(MAPPING_OF_RECORD_MAPPING).abox('{"at"')


def test_neighbours_of_one_time_are_one_abox_and_rows_are_counted():
    mapping = Mapping.load(NUMBERED)
    records = [{"at": 1, "id": "a"}, {"at": 1, "id": "b"}, '{"at": 2, "id": "c"}']
    found = mapping.aboxes(records)
    assert [(abox.at, [int(term) for *_, term in abox.triples]) for abox in found] == [(1, [1, 2]), (2, [3])]
    assert int(mapping.abox(records[0], row=9).triples[0][2]) == 9
    assert mapping.aboxes([]) == []


def test_bad_records_are_handed_over():
    bad = []
    records = [{"at": 1, "id": "a"}, {"id": "b"}, "[", {"at": 2.5, "id": "c"}, {"at": 3, "id": "d"}]
    found = Mapping.load(NUMBERED).aboxes(records, lambda record, error: bad.append((record, error.reason)))
    assert [abox.at for abox in found] == [1, 3]
    assert [record for record, _ in bad] == records[1:4]
    with pytest.raises(InvalidCellError):
        Mapping.load(NUMBERED).aboxes(records)


def test_times_that_are_cut_are_counted_with_one_warning():
    mapping = Mapping.load({**MAPPING_OF_RECORD_MAPPING, "time": {"column": "at", "unit": "s"}})
    with pytest.warns(TimesCutWarning, match="<record>: the time 1.1234567 is cut") as caught:
        mapping.aboxes([{"at": 1.1234567, "id": "a"}, {"at": 2, "id": "a"}, b'{"at": 3.1234567, "id": "a"}'])
    assert (len(caught), mapping.times_cut) == (1, 2)


@pytest.mark.parametrize("is_text", [False, True])
def test_records_have_an_order_for_times_that_clocks_show_twice(is_text):
    mapping = Mapping.load(
        {**MAPPING_OF_RECORD_MAPPING, "time": {"column": "at", "zone": "Europe/Berlin", "ambiguous": "infer"}}
    )
    clocks = ["01:45", "02:15", "02:45", "02:15", "02:45", "03:15"]
    records = [{"at": f"2026-10-25T{clock}:00", "id": "a"} for clock in clocks]
    found = mapping.aboxes(map(json.dumps, records) if is_text else records)
    assert [abox.at.isoformat()[-6:] for abox in found] == ["+02:00"] * 3 + ["+01:00"] * 3


def test_a_mapping_pickles():
    mapping = pickle.loads(pickle.dumps(Mapping.load(NUMBERED)))
    assert mapping.abox({"at": 1, "id": "a"}).at == 1
