import pytest
from rdflib import XSD

from pantarhei.io.mapping.cell_columns import shown_cell
from pantarhei.io.mapping.json_cells import DECODER, JSONColumns

NONE = frozenset({""})


def cells(*texts, name="a", nulls=NONE):
    rows = [DECODER.decode(text) for text in texts]
    return JSONColumns(rows, [name])[name].cells(nulls)


def test_values_have_the_datatypes_of_json_each_by_itself():
    found = cells('{"a": 1}', '{"a": 2.50}', '{"a": "1"}', '{"a": true}', '{"a": 1e5}', '{"a": NaN}')
    assert found.values.to_pylist() == ["1", "2.50", "1", "true", "1e5", "NaN"]
    assert found.datatypes == (XSD.integer, XSD.decimal, None, XSD.boolean, XSD.decimal, XSD.double)
    assert found.codes.tolist() == [0, 1, 2, 3, 4, 5]


def test_what_is_null_absent_or_a_text_for_nothing_has_no_value():
    found = cells('{"a": null}', "{}", '{"a": ""}', '{"a": -9}', nulls=frozenset({"", "-9"}))
    assert found.codes.tolist() == [-1, -1, -1, -1]


def test_an_array_is_several_values():
    found = cells('{"a": [1, null, "x"]}', '{"a": []}', '{"a": 7}')
    assert found.codes.tolist() == [0, -1, 1, 2]
    assert found.ends.tolist() == [3, 3, 4]


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        ('{"a": {"b": 1}}', "a", "refer to a member of it: $(a.b)"),
        ('{"a": [[1]]}', "a", "an array in an array is not a value"),
        ('{"a": [{"b": 1}]}', "a", "an object in an array is not a value"),
        ('{"a": [{"b": 1}]}', "a.b", "a is an array of objects"),
        ('{"a": {"b": [{"c": 1}]}}', "a.b.c", "b is an array of objects"),
    ],
)
def test_objects_are_refused_where_a_value_is_expected(text, name, reason):
    assert reason in cells(text, name=name).refused[0]


def test_a_member_with_a_dot_in_its_name_comes_before_one_of_an_object_inside():
    found = cells('{"a": {"b": 1}, "a.b": 2}', '{"a": {"b": 3}}', '{"a": 4}', name="a.b")
    assert found.dense().to_pylist() == ["2", "3", None]


def test_errors_show_numbers_with_the_digits_of_the_file():
    row = DECODER.decode('{"v": [21.50, {"a": 1e-7}, "x"], "w": 1}')
    columns = JSONColumns([row], ["v", "w"])
    assert shown_cell(columns["v"], 0) == ["21.50", {"a": "1e-7"}, "x"]
    assert shown_cell(columns["w"], 0) == "1"
