"""Documents at their deepest, and one level deeper."""

import pytest

from pantarhei.errors import MalformedInputError
from pantarhei.rdf.nesting_guard import (
    DEEPEST_ELEMENT,
    DEEPEST_OBJECT,
    DEEPEST_TRIPLE_TERM,
    refuse_deep_nesting,
)


@pytest.mark.parametrize(
    ("format", "begin", "end", "deepest"),
    [
        ("json-ld", b'{"a": ', b"1}", DEEPEST_OBJECT),
        ("xml", b"<a>", b"</a>", DEEPEST_ELEMENT),
        ("turtle", b"<<( <urn:a> <urn:b> ", b" )>>", DEEPEST_TRIPLE_TERM),
    ],
)
def test_the_deepest_passes_and_what_is_deeper_does_not(format, begin, end, deepest):
    refuse_deep_nesting(begin * deepest + end * deepest, format, "a")
    with pytest.raises(MalformedInputError, match=f"nested deeper than {deepest} levels"):
        refuse_deep_nesting(begin * (deepest + 1), format, "a")


@pytest.mark.parametrize("content", [b"<a>\n<b/>", b"<a>\n<b", b"<a>\n<b>text", b'<a>\n<b c="'])
def test_xml_that_is_cut_off_is_refused(content):
    with pytest.raises(MalformedInputError, match="the document ends inside an element") as raised:
        refuse_deep_nesting(content, "xml", "a.rdf")
    assert raised.value.line == 2


def test_many_beside_one_another_are_not_deep():
    refuse_deep_nesting(b'{"a": 1}' * 1000, "json-ld", "a")


def test_brackets_in_strings_do_not_count():
    refuse_deep_nesting(b'{"a": "' + b"{" * 1000 + b'\\" {"}', "json-ld", "a")
    refuse_deep_nesting(b'<urn:a> <urn:b> "' + b"<<( " * 1000 + b'" .', "turtle", "a")
