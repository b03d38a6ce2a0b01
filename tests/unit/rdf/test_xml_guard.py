"""XML that is refused before a parser sees it, and XML that is not."""

import pytest

from pantarhei.errors import MalformedInputError
from pantarhei.rdf import xml_guard
from pantarhei.rdf.xml_guard import LONGEST_ENTITY, MOST_ENTITIES, refuse_entity_expansion


def document(*entities, body=b"<a/>"):
    declared = b"\n".join(b"<!ENTITY " + entity + b">" for entity in entities)
    return b"<!DOCTYPE a [\n" + declared + b"]>" + body


@pytest.mark.parametrize(
    ("content", "reason", "line"),
    [
        (document(b"o 'urn:o#'", b"b '&o;&o;'"), "the entity b is made of entities", 3),
        (document(b"f SYSTEM 'file:///etc/passwd'"), "not a name and a text", 2),
        (document(b"% p 'text'"), "not a name and a text", 2),
        (document(b"l '" + b"x" * (LONGEST_ENTITY + 1) + b"'"), "longer than", 2),
        (document(*(b"e%d 'x'" % i for i in range(MOST_ENTITIES + 1))), "more than", None),
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
