import io

import pytest

from pantarhei import MalformedInputError
from pantarhei.rdf.statements import ByteFeed
from pantarhei.streams.tables.json_table import JSONTable


def opened(content):
    table = JSONTable("t.jsonl", ByteFeed(io.BytesIO(content)))
    table.open()
    return table


def read(content):
    table = opened(content)
    return [
        (
            {name: array.to_pylist() for name, array in block.columns.items()},
            list(block.places()),
            block.left_out,
        )
        for block in table.blocks(table.names)
    ]


def test_members_are_columns_and_those_of_an_object_inside_have_two_names():
    ((columns, places, _),) = read(b'{"a": 1, "b": {"c": "x", "d": {"e": true}}}\n\n{"a": 2}\n')
    assert columns == {"a": [1, 2], "b.c": ["x", None], "b.d.e": [True, None]}
    assert places == [1, 3]


def test_numbers_of_two_kinds_are_doubles_and_other_mixtures_are_texts():
    ((columns, _, _),) = read(b'{"a": 1, "b": 1, "c": [1]}\n{"a": 0.5, "b": "x", "c": true}\n')
    assert columns == {"a": [1.0, 0.5], "b": ["1", "x"], "c": ["[1]", "true"]}


def test_a_number_beyond_64_bits_keeps_its_digits():
    ((columns, _, _),) = read(b'{"a": 123456789012345678901234567890}')
    assert columns == {"a": ["123456789012345678901234567890"]}


def test_what_is_no_object_is_left_out_with_its_line():
    ((columns, places, left_out),) = read(b'{"a": 1}\n[2]\n{"a":\n{"a": 3}\n')
    assert (columns, places) == ({"a": [1, 3]}, [1, 4])
    assert [(each.line, each.rows_before) for each in left_out] == [(2, 1), (3, 1)]


def test_a_file_without_any_object_is_refused():
    with pytest.raises(MalformedInputError, match="it is empty"):
        opened(b"\n")
    with pytest.raises(MalformedInputError, match="line 1: it is no line of JSON"):
        opened(b"[" * 100_000)
