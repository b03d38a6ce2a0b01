"""Documents in other encodings, written anew in UTF-8."""

import pytest

from pantarhei.errors import MalformedInputError
from pantarhei.rdf.encoding import in_utf_8

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
    with pytest.raises(MalformedInputError, match="which is not read; save it as UTF-8") as raised:
        in_utf_8(XML.format(name).encode(), "a.owl")
    assert raised.value.line == 1


def test_a_byte_that_the_encoding_does_not_have_is_told_with_its_line():
    with pytest.raises(MalformedInputError, match="a byte that is no cp1252") as raised:
        in_utf_8(XML.format("windows-1252").encode("cp1252") + b"\n\x81", "a.owl")
    assert raised.value.line == 3


@pytest.mark.parametrize("content", [b"\xff\xfe\0\0<\0\0\0", b"\xff\xfe\0\xd8a", b"<\0a"])
def test_what_is_no_utf_16_is_refused(content):
    with pytest.raises(MalformedInputError, match="save it as UTF-8"):
        in_utf_8(content, "a.owl")
