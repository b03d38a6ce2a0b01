"""XML that is refused before a parser sees it, and XML that is not."""

import pytest

from pantarhei.errors import MalformedInputError
from pantarhei.rdf import xml_guard
from pantarhei.rdf.xml_guard import LONGEST_ENTITY, MOST_ENTITIES, in_utf_8, refuse_entity_expansion


def document(*entities, body=b"<a/>"):
    declared = b"\n".join(b"<!ENTITY " + entity + b">" for entity in entities)
    return b"<!DOCTYPE a [\n" + declared + b"]>" + body


@pytest.mark.parametrize(
    ("content", "reason", "line"),
    [
        (document(b"o 'urn:o#'", b"b '&o;&o;'"), "the entity b refers to other entities", 3),
        (document(b"f SYSTEM 'file:///etc/passwd'"), "this entity declaration is not supported", 2),
        (document(b"% p 'text'"), "this entity declaration is not supported", 2),
        (document(b"l '" + b"x" * (LONGEST_ENTITY + 1) + b"'"), f"expected {LONGEST_ENTITY:,} at most", 2),
        (
            document(*(b"e%d 'x'" % i for i in range(MOST_ENTITIES + 1))),
            f"it declares {MOST_ENTITIES + 1:,} entities; expected {MOST_ENTITIES:,} at most",
            None,
        ),
    ],
    ids=["of entities", "external", "parameter", "long", "many"],
)
def test_what_could_expand_or_hide_is_refused_with_its_line(content, reason, line):
    with pytest.raises(MalformedInputError, match=reason) as raised:
        refuse_entity_expansion(content, "a.rdf")
    assert raised.value.line == line


def test_entities_that_shorten_iris_pass():
    refuse_entity_expansion(document(b"owl 'http://www.w3.org/2002/07/owl#'", body=b"&owl;" * 1000), "a.rdf")


def test_all_together_may_add_only_so_much(monkeypatch):
    monkeypatch.setattr(xml_guard, "LARGEST_EXPANSION", 1000)
    long = document(b"e '" + b"x" * 900 + b"'", body=b"&e;")
    refuse_entity_expansion(long, "a.rdf")
    with pytest.raises(MalformedInputError, match="many times its size"):
        refuse_entity_expansion(long + b"&e;" * 20, "a.rdf")


XML = '<?xml version="1.0" encoding="{}" standalone="yes"?>\n<a>é</a>'


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "latin1", "iso-8859-15", "Windows-1252", "UTF-8", "gbk"])
def test_a_declared_encoding_is_read_and_declared_anew(encoding):
    assert in_utf_8(XML.format(encoding).encode(encoding), "a.owl").decode() == XML.format("UTF-8")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_known_by_its_first_bytes(encoding):
    assert in_utf_8(XML.format("UTF-16").encode(encoding), "a.owl").decode() == XML.format("UTF-8")


def test_turtle_in_utf_16_is_read():
    text = "@prefix : <urn:x/> . :é a :C ."
    assert in_utf_8(text.encode("utf-16"), "a.ttl").decode() == text


@pytest.mark.parametrize(
    "content", [b"", b"<", b"<a> <b> <\xe9> .", b'<?xml version="1.0"?><a/>', b" <?xml ?>"]
)
def test_what_tells_no_encoding_stays_as_it_is(content):
    assert in_utf_8(content, "a.ttl") is content


@pytest.mark.parametrize(
    "name", ["utf-7", "cp037", "hex", "punycode", "rot13", "unicode_escape", "klingon", "", "é"]
)
def test_encodings_that_are_not_read_are_named(name):
    with pytest.raises(MalformedInputError, match="which is not supported; save it as UTF-8") as raised:
        in_utf_8(XML.format(name).encode(), "a.owl")
    assert raised.value.line == 1


def test_a_byte_that_the_encoding_does_not_have_is_told_with_its_line():
    with pytest.raises(MalformedInputError, match="a byte that is invalid in cp1252") as raised:
        in_utf_8(XML.format("windows-1252").encode("cp1252") + b"\n\x81", "a.owl")
    assert raised.value.line == 3


@pytest.mark.parametrize("content", [b"\xff\xfe\0\0<\0\0\0", b"\xff\xfe\0\xd8a", b"<\0a"])
def test_what_is_no_utf_16_is_refused(content):
    with pytest.raises(MalformedInputError, match="save it as UTF-8"):
        in_utf_8(content, "a.owl")
