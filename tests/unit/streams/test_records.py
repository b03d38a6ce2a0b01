"""Tables as streams: what rows become, and what whoever makes a mistake is told."""

import gzip
import io
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from pyarrow import parquet
from rdflib import RDF, XSD, Literal, Namespace

import pantarhei as pr
from pantarhei import read_records
from pantarhei.mapping.read import read_mapping

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
    assert "'many' is no xsd:integer" in reader.skipped[0].reason
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


def test_a_column_that_is_missing_is_said_with_those_there_are():
    assert said(how=MAPPING.replace("$(free)", "$(fre)")) == (
        "the mapping, line 7: <table> has no column fre; expected one of time, id, free (did you mean free?)"
    )


def test_a_column_that_is_there_twice_is_said():
    assert said("time,id,free,free\n2026-01-01 10:00,a,1,2\n") == (
        "the mapping, line 7: <table> has 2 columns free; expected columns that are referred to have "
        "names of "
        "their own"
    )


def test_a_column_that_is_there_twice_does_no_harm_where_nothing_refers_to_it():
    text = "time,id,free,x,x\n2026-01-01 10:00,a,1,,\n"
    assert len(list(read_records(io.BytesIO(text.encode()), MAPPING, format="csv"))) == 1


def test_a_time_without_zone_is_said_with_two_ways_out():
    assert said(how=MAPPING.replace(", zone: UTC", "")) == (
        "<table>, line 2, column time: '2026-01-01 10:00' is a time without a zone; expected one, or zone: "
        "Europe/Copenhagen (or the zone that it is of) in the mapping"
    )


def test_a_number_as_time_is_said_to_need_a_unit():
    assert said(TABLE.replace("2026-01-01 10:00", "1700000000")) == (
        "<table>, line 2, column time: '1700000000' is no time; of a number the mapping has to say "
        "unit: s, ms, us "
        "or ns for a time since 1970, or unit: number where numbers are the stream's times"
    )
    frame = pa.table({"time": [1700000000], "id": ["a"], "free": [1]})
    with pytest.raises(
        pr.MappingError, match="the times in column time are numbers; expected unit: s, ms, us"
    ):
        list(read_records(frame, MAPPING))


def test_a_row_without_time_is_said():
    assert said(f"{TABLE},b,2\n") == (
        "<table>, line 3, column time: there is no time; expected one in each row"
    )


def test_a_time_in_another_format_is_said():
    assert (
        "'01/02/2026 10:00' is no time; expected an ISO 8601 time such as 2026-01-31T10:00:00Z, or a format:"
        in (said(TABLE.replace("2026-01-01", "01/02/2026")))
    )
    assert said(how=MAPPING.replace("zone", "format: '%d.%m.%Y', zone")) == (
        "<table>, line 2, column time: '2026-01-01 10:00' is not written as format: '%d.%m.%Y' says"
    )


def test_a_local_time_that_is_none_or_two_is_said():
    how = MAPPING.replace("UTC", "Europe/Copenhagen")
    assert "'2025-03-30 02:30' does not exist in Europe/Copenhagen: clocks were put forward over it" in (
        said(TABLE.replace("2026-01-01 10:00", "2025-03-30 02:30"), how)
    )
    assert (
        "'2025-10-26 02:30' happened twice in Europe/Copenhagen, when clocks were put back; expected a "
        "time with "
        "its offset, or ambiguous: earlier (or later) in the mapping"
    ) in said(TABLE.replace("2026-01-01 10:00", "2025-10-26 02:30"), how)


def test_a_text_in_a_column_of_numbers_is_said():
    assert said(TABLE.replace(",1\n", ",many\n")) == (
        "<table>, line 2, column free: 'many' is no xsd:integer, as the mapping says it is"
    )


def test_a_word_for_no_value_in_a_column_of_numbers_is_said_with_the_way_out():
    assert said(TABLE.replace(",1\n", ",n/a\n")) == (
        "<table>, line 2, column free: 'n/a' is no xsd:integer; if it stands for no value, the mapping "
        "has to say "
        'null: ["", "n/a"]'
    )


def test_a_decimal_comma_is_said_with_the_way_out():
    how = MAPPING.replace("xsd:integer", "xsd:decimal")
    assert said("time;id;free\n2026-01-01 10:00;a;1,5\n", how) == (
        "<table>, line 2, column free: '1,5' is no xsd:decimal; if , is the mark before decimals, the "
        "mapping has "
        'to say decimal: ","'
    )


def test_a_line_with_other_delimiters_is_said():
    assert said(f"{TABLE}2026-01-01 10:05;b;2\n") == (
        "<table>, line 3: 1 cell where the header has 3; this line looks as if ';' separated its cells"
    )


def test_a_table_with_other_delimiters_than_the_mapping_says_is_said():
    assert said(TABLE.replace(",", ";"), f'{MAPPING}delimiter: ","\n') == (
        "the mapping, line 2: <table> has no column time; expected one of time;id;free; it looks as if "
        "cells were "
        "separated by ';': say delimiter: \";\""
    )


def test_a_line_with_too_few_or_too_many_cells_is_said():
    assert said(f"{TABLE}2026-01-01 10:05,b\n") == "<table>, line 3: 2 cells where the header has 3"
    assert said(f"{TABLE}2026-01-01 10:05,b,1,000\n") == (
        "<table>, line 3: 4 cells where the header has 3; a cell with ',' in it stands in quotation marks"
    )


def test_a_quotation_mark_that_is_not_closed_is_said_where_it_is_opened():
    assert said(f'{TABLE}2026-01-01 10:05,"b,1\n2026-01-01 10:06,c,1\n') == (
        "<table>, line 3: a quotation mark is opened here and not closed; inside of cells it is written twice"
    )


def test_a_file_in_another_encoding_is_said():
    assert said(f"{TABLE}2026-01-01 10:00,å,1\n".encode("latin-1")) == (
        "<table>, line 3: it is not UTF-8; only UTF-8 is read; convert it first: iconv -f ISO-8859-1 -t "
        "UTF-8, or "
        "whatever it is"
    )
    assert said(TABLE.encode("utf-16")) == (
        "<table>, line 1: it is UTF-16; only UTF-8 is read; convert it first: iconv -f UTF-16 -t UTF-8"
    )


def test_a_byte_order_mark_is_no_part_of_the_first_columns_name():
    content = b"\xef\xbb\xbf" + TABLE.encode()
    assert len(list(read_records(io.BytesIO(content), MAPPING, format="csv"))) == 1


def test_an_empty_file_is_said_and_a_header_alone_is_a_table_without_rows():
    assert said("") == (
        "<table>: it is empty; expected a line with the names of its columns, and one for each row"
    )
    assert said("", format="jsonl") == "<table>: it is empty; expected an object in each line"
    assert list(read_records(io.BytesIO(b"time,id,free\n"), MAPPING, format="csv")) == []


def test_a_value_that_is_no_iri_where_the_mapping_says_one_is_said():
    assert said(TABLE.replace(",a,", ",http://x/a b,"), MAPPING.replace("ex:$(id)", "$(id)")) == (
        "<table>, line 2, column id: 'http://x/a b' is no IRI; expected one in full, or a template such as "
        "ex:$(column) in the mapping"
    )


def test_a_column_with_columns_inside_is_said_and_those_inside_can_be_named():
    content = in_parquet(free=[{"now": 1}])
    assert said(content, format="parquet") == (
        "the mapping, line 7: <table> has no column free; expected one of time, id, free.now (did you mean "
        "free.now?)"
    )
    how = MAPPING.replace("$(free)", "$(free.now)")
    ((_, triples),) = read_records(io.BytesIO(content), how, format="parquet")
    assert triples == ((EX.a, EX.free, Literal(1)),)


def test_a_column_of_lists_is_said():
    assert "expected a column of texts, numbers, booleans, dates or times, one value a row" in (
        said(in_parquet(free=[[1, 2]]), format="parquet")
    )


def test_a_cell_of_parquet_is_said_with_its_row():
    content = in_parquet(free=["many"])
    assert said(content, format="parquet").startswith("<table>, row 1, column free: 'many' is no xsd:integer")


def test_a_broken_line_of_json_is_said():
    good = '{"time": "2026-01-01T10:00", "id": "a", "free": 1}\n'
    assert said(f'{good}{{"time": \n', format="jsonl").startswith("<table>, line 2: it is no line of JSON: ")
    assert said(f"{good}[1]\n", format="jsonl") == (
        "<table>, line 2: it is no line of JSON: a list, and in each line an object is expected"
    )


def test_a_file_that_is_no_parquet_is_said():
    assert said(TABLE, format="parquet").startswith("<table>: it is no Parquet: ")


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
    with pytest.raises(pr.OptionError, match="speaks Arrow"):
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
