import json
import pickle
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from rdflib import XSD, Literal

from pantarhei import (
    InvalidCellError,
    MalformedInputError,
    Mapping,
    MappingError,
    MissingFileError,
    OptionError,
    TimesCutWarning,
)

MAPPING = {
    "prefixes": {"ex": "http://example.org/"},
    "time": {"column": "at"},
    "mappings": {"m": {"s": "ex:$(id)", "po": [["ex:v", "$(v)"], ["ex:row", "$(_row)"]]}},
}
NUMBERED = {**MAPPING, "time": {"column": "at", "unit": "number"}}
MELTED = {
    **MAPPING,
    "melt": {"columns": ["v", "k*"]},
    "mappings": {"m": {"s": "ex:$(id)", "po": [["ex:$(variable)", "$(value)"]]}},
}
TEN = "2026-03-02T10:00:00Z"


def values(abox):
    return [term for _, predicate, term in abox.triples if predicate.endswith("/v")]


def test_a_mapping_is_checked_when_it_is_loaded(tmp_path):
    with pytest.raises(MappingError, match="it says no time"):
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
    assert values(Mapping.load(MAPPING).abox({"at": TEN, "id": "a", "v": value})) == [term]


def test_a_whole_number_of_any_size_has_all_its_digits():
    (term,) = values(Mapping.load(MAPPING).abox({"at": TEN, "id": "a", "v": 10**5000}))
    assert str(term) == "1" + "0" * 5000


def test_times_of_python_are_times():
    at = datetime(2026, 3, 2, 10, tzinfo=UTC)
    assert Mapping.load(MAPPING).abox({"at": at, "id": "a"}).at == at


@pytest.mark.parametrize("record", [7, None, ["at"], object()])
def test_what_is_no_record_is_refused(record):
    with pytest.raises(OptionError, match="a dictionary, or a text of JSON"):
        Mapping.load(MAPPING).abox(record)


@pytest.mark.parametrize("value", [{"a": 1}, [[1]], b"21", object(), {1, 2}])
def test_what_is_no_value_is_refused_with_the_member(value):
    with pytest.raises(InvalidCellError) as caught:
        Mapping.load(MAPPING).abox({"at": TEN, "id": "a", "v": value})
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
@pytest.mark.parametrize("mapping", [MAPPING, MELTED])
def test_half_of_a_pair_of_surrogates_is_refused_with_the_member(record, column, mapping):
    with pytest.raises(InvalidCellError, match="half of a pair of surrogates") as caught:
        Mapping.load(mapping).abox({"at": TEN, "id": "a", "v": "x", **record})
    assert caught.value.column == column


def test_half_of_a_pair_of_surrogates_in_a_name_matters_where_names_do():
    record = {"at": TEN, "id": "a", "v": "x", "k\ud800": "x"}
    assert values(Mapping.load(MAPPING).abox(record)) == [Literal("x")]
    with pytest.raises(InvalidCellError, match="half of a pair of surrogates") as caught:
        Mapping.load(MELTED).abox(record)
    assert caught.value.column == ascii("k\ud800")


def test_a_record_that_is_nested_too_deep_is_refused():
    value = {}
    for _ in range(100_000):
        value = {"x": value}
    with pytest.raises(MalformedInputError, match="nested too deep"):
        Mapping.load(MAPPING).abox({"at": TEN, "id": "a", "v": value})


def test_a_text_that_writes_no_object_is_refused():
    with pytest.raises(MalformedInputError, match="<record>: it is no line of JSON"):
        Mapping.load(MAPPING).abox('{"at"')


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
    mapping = Mapping.load({**MAPPING, "time": {"column": "at", "unit": "s"}})
    with pytest.warns(TimesCutWarning, match="<record>: the time 1.1234567 is cut") as caught:
        mapping.aboxes([{"at": 1.1234567, "id": "a"}, {"at": 2, "id": "a"}, b'{"at": 3.1234567, "id": "a"}'])
    assert (len(caught), mapping.times_cut) == (1, 2)


@pytest.mark.parametrize("is_text", [False, True])
def test_records_have_an_order_for_times_that_clocks_show_twice(is_text):
    mapping = Mapping.load(
        {**MAPPING, "time": {"column": "at", "zone": "Europe/Berlin", "ambiguous": "infer"}}
    )
    clocks = ["01:45", "02:15", "02:45", "02:15", "02:45", "03:15"]
    records = [{"at": f"2026-10-25T{clock}:00", "id": "a"} for clock in clocks]
    found = mapping.aboxes(map(json.dumps, records) if is_text else records)
    assert [abox.at.isoformat()[-6:] for abox in found] == ["+02:00"] * 3 + ["+01:00"] * 3


def test_a_mapping_pickles():
    mapping = pickle.loads(pickle.dumps(Mapping.load(NUMBERED)))
    assert mapping.abox({"at": 1, "id": "a"}).at == 1
