import io

import pytest

from pantarhei import MalformedInputError
from pantarhei.io.tables.json_table import JSONDocument, JSONTable
from pantarhei.rdf.statements import ByteFeed

UTF_16 = '{"a": 1}\n'.encode("utf-16")


def read(content, *columns, lenient=False):
    table = JSONTable("t.jsonl", ByteFeed(io.BytesIO(content)), lenient)
    table.open()
    return [
        (
            {name: list(column) for name, column in block.columns.items()},
            list(block.places()),
            block.left_out,
        )
        for block in table.blocks(columns)
    ]


def test_members_are_columns_and_those_of_an_object_inside_have_two_names():
    ((columns, places, _),) = read(b'{"a": 1, "b": {"c": "x"}}\n\n{"a": 2}\n', "a", "b.c")
    assert columns == {"a": [b"1", b"2"], "b.c": ["x", None]}
    assert places == [1, 3]


def test_a_number_has_the_digits_that_are_written():
    ((columns, _, _),) = read(b'{"a": 123456789012345678901234567890}\n{"a": 0.50}\n{"a": 1e-7}\n', "a")
    assert columns == {"a": [b"123456789012345678901234567890", b"0.50", b"1e-7"]}


def test_what_is_no_object_is_left_out_with_its_line_and_text():
    ((columns, places, left_out),) = read(b'{"a": 1}\n[2]\n{"a":\n\xff\n{"a": 3}\n', "a")
    assert (columns, places) == ({"a": [b"1", b"3"]}, [1, 5])
    assert [(each.line, each.rows_before, each.text) for each in left_out] == [
        (2, 1, "[2]"),
        (3, 1, '{"a":'),
        (4, 1, "\ufffd"),
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"[" * 100_000, "the nesting is too deep"),
        (UTF_16, "it is UTF-16"),
        (b"\n<html>\n", "it is a web page"),
        (b"PAR1\x15\x04", "it is Parquet"),
        (b"\xff\n", "it is not UTF-8"),
    ],
)
def test_what_the_first_line_is_instead_is_said(content, reason):
    assert reason in read(content, "a", lenient=True)[0][2][0].reason


def test_a_table_without_a_line_is_refused_or_has_no_rows():
    with pytest.raises(MalformedInputError, match="it is empty"):
        read(b"\n")
    assert [columns for columns, _, _ in read(b"\n", "a", lenient=True)] == [{"a": []}]


def test_half_of_a_surrogate_pair_is_refused_however_deep_it_is():
    deep = b'{"a": ' * 400 + b'"\\udc00"' + b"}" * 400
    ((_, _, left_out),) = read(deep, "a")
    assert "surrogates" in left_out[0].reason


def document(content, *columns, lenient=False):
    table = JSONDocument("t.json", ByteFeed(io.BytesIO(content)), lenient)
    table.open()
    found, places, left_out = [], [], []
    for block in table.blocks(columns):
        found += zip(*(list(block.columns[name]) for name in columns), strict=True)
        places += block.places()
        left_out += block.left_out
    return found, places, [each.reason for each in left_out]


@pytest.mark.parametrize(
    "content",
    [
        b'[{"a": 1},\n {"a": 2.50}]',
        b'{"a": 1}\n{"a": 2.50}',
        b'\xef\xbb\xbf{\n "a": 1\n}\n{"a":\n2.50}\n',
        b'[{"a": 1}] [{"a": 2.50}]',
    ],
)
def test_a_document_is_an_array_of_objects_or_several(content):
    assert document(content, "a") == ([(b"1",), (b"2.50",)], [1, 2], [])


def test_what_is_no_object_in_a_document_is_left_out():
    assert document(b'[{"a": 1}, 7, [1], {"a": 2}]', "a")[:2] == ([(b"1",), (b"2",)], [1, 4])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'[{"a": 1}', "the array is not closed"),
        (b'[{"a": 1},\n{"a"}', "it is not JSON from line 2 on"),
        (b"[" * 100_000, "it is not JSON from line 1 on"),
        (b"\xff", "it is not UTF-8"),
    ],
)
def test_what_is_malformed_ends_a_document(content, reason):
    assert reason in document(content, "a", lenient=True)[2][-1]


def test_a_document_without_anything_is_refused_and_an_empty_array_has_no_rows():
    with pytest.raises(MalformedInputError, match="it is empty"):
        document(b" \n")
    assert document(b"[]", "a") == ([], [], [])
