"""How names are written in a text of rules."""

import pytest
from rdflib import XSD, Namespace

from pantarhei.temporal.text.rule_terms import declarations, names_in_text

EX = Namespace("http://example.org/")
PREFIXES = {"": str(EX), "ex": f"{EX}ex#", "no good": "urn:no:", "x-1": "urn:x:"}


@pytest.mark.parametrize(
    ("iri", "text"),
    [
        (EX.hot, "hot"),
        (EX.Hot, ":Hot"),
        (EX["in"], ":in"),
        (EX["a-b"], ":a-b"),
        (EX["a/b"], "<http://example.org/a/b>"),
        (EX["a.b"], "<http://example.org/a.b>"),
        (EX[""], "<http://example.org/>"),
        (EX["ex#hot"], "ex:hot"),
        (Namespace("urn:no:").a, "<urn:no:a>"),
        (Namespace("urn:x:").a, "x-1:a"),
        (XSD.date, "xsd:date"),
    ],
)
def test_a_name_is_written_as_short_as_it_reads_back(iri, text):
    assert names_in_text([iri], PREFIXES).longer == {iri: text}


def test_prefixes_that_are_used_are_declared():
    names = names_in_text([EX.hot, XSD.date, EX.a], PREFIXES)
    assert declarations(names) == ["@prefix : <http://example.org/> ."]


def test_a_usual_prefix_that_means_something_else_is_declared():
    names = names_in_text([EX.hot], {"xsd": str(EX)})
    assert declarations(names) == ["@prefix xsd: <http://example.org/> ."]
    assert [*names.longer.values()] == ["xsd:hot"]
