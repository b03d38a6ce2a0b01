"""Relative bases of documents, in each format that has them, beside rdflib's parsers."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from urllib.parse import urldefrag, urljoin

import pytest
from rdflib import Graph, URIRef
from rdflib.compare import isomorphic

import pantarhei as pr
from counts import seeds
from pantarhei.owl.document import read_document
from pantarhei.rdf.xml_guard import with_absolute_bases

BASES = ("", "#", "sub/", "sub", "../up/", "./", "/root/", "//host/x", "?q=1", "#part", "a%20b/", "é/")
ABSOLUTE = ("http://ex.org/a/b", "http://ex.org/a/b#c", "https://ex.org", "http://ex.org/a/?x=y")
NAMES = ("", "#A", "b", "../c", "/d", "?e", "d/e#f", "http://ex.org/whole")
HEAD = (
    '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:ex="http://v.org/"'
)


def attribute(random: Random, chance: float) -> str:
    if random.random() > chance:
        return ""
    quote, space = random.choice("\"'"), random.choice(["", " ", "\n "])
    base = random.choice([*BASES, *BASES, *ABSOLUTE])
    note = f" ex:note={quote}xml:base=&apos;x&apos; >{quote}" if random.random() < 0.3 else ""
    return f"{note} xml:base{space}={space}{quote}{base}{quote}"


def element(random: Random, depth: int) -> str:
    name = random.choice([f'rdf:about="{random.choice(NAMES)}"', f'rdf:ID="i{random.random()}"', ""])
    inside = [value(random, depth - 1) for _ in range(random.randint(0, 3))] if depth else []
    return f"<ex:C {name}{attribute(random, 0.5)}>{''.join(inside)}</ex:C>\n"


def value(random: Random, depth: int) -> str:
    base = plain(random)
    return random.choice(
        [
            f'<ex:p{base} rdf:resource="{random.choice(NAMES)}"/>',
            f"<ex:q{base}>{element(random, depth)}</ex:q>",
            f"<ex:r{base}>x</ex:r>",
        ]
    )


def plain(random: Random) -> str:
    return f' xml:base="{random.choice(BASES)}"' if random.random() < 0.3 else ""


@pytest.mark.parametrize("seed", seeds(50, 500, 20_000))
def test_bases_of_xml_are_resolved_as_by_rdflib(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    root = f' xml:base="{random.choice([*BASES, *ABSOLUTE])}"' if random.random() < 0.8 else ""
    elements = "".join(element(random, 3) for _ in range(3))
    entity = '<!DOCTYPE rdf:RDF [<!ENTITY up "../">]>\n' if random.random() < 0.2 else ""
    text = f"{HEAD}{root}>\n{elements}</rdf:RDF>".replace("<rdf:RDF", f"{entity}<rdf:RDF", 1)
    if entity:
        text = text.replace('"../up/', '"&up;up/')
    path = tmp_path / "file name.rdf"
    path.write_text(text, encoding="utf-8")
    mine = Graph()
    for triple in read_document(path).triples:
        mine.add(triple)
    assert isomorphic(mine, Graph().parse(data=text, format="xml", publicID=path.as_uri()))
    written = with_absolute_bases(text.encode(), path.as_uri())
    assert with_absolute_bases(written, "http://other.org/") == written


@pytest.mark.parametrize("base", BASES)
def test_relative_bases_of_other_formats_are_resolved(base: str, tmp_path: Path) -> None:
    context = {"@base": base, "p": {"@id": "http://v.org/p", "@type": "@id"}}
    texts = {
        "ttl": f"@base <{base}> . <> <http://v.org/p> <b>, <#c> .",
        "trig": f"@base <{base}> . {{ <> <http://v.org/p> <b>, <#c> . }}",
        "jsonld": json.dumps({"@context": context, "@id": "", "p": ["b", "#c"]}),
    }
    for suffix, text in texts.items():
        path = tmp_path / f"file.{suffix}"
        path.write_text(text, encoding="utf-8")
        whole = urldefrag(urljoin(path.as_uri(), base))[0]  # rdflib keeps the fragment of a base in Turtle
        named = [URIRef(urljoin(whole, name) if name else whole) for name in ("", "b", "#c")]
        expected = {(named[0], URIRef("http://v.org/p"), each) for each in named[1:]}
        assert set(read_document(path).triples) == expected, suffix


MALFORMED = {
    "an IRI with a space": ('<ex:C rdf:about="http://a b/"/>', "Invalid IRI"),
    "a base with a space": ('<ex:C xml:base="a b"/>', "Invalid IRI|IRI"),
    "an ID that is not a name": ('<ex:C rdf:ID="1 x"/>', "rdf:ID"),
    "an ID twice": ('<ex:C rdf:ID="x"/><ex:C rdf:ID="x"/>', "already"),
    "text among elements": ("<ex:C>text</ex:C>", "text"),
    "an unknown prefix": ("<no:C/>", "prefix"),
    "an unknown entity": ("<ex:C>&no;</ex:C>", "entity"),
    "a language that is none": ('<ex:C><ex:p xml:lang="a b">x</ex:p></ex:C>', "language"),
    "ID and about": ('<ex:C rdf:about="http://x/" rdf:ID="u"/>', "rdf:ID"),
}


@pytest.mark.parametrize("problem", MALFORMED)
@pytest.mark.parametrize("before", [0, 1, 700])
def test_errors_of_xml_have_lines(problem: str, before: int, tmp_path: Path) -> None:
    element, said = MALFORMED[problem]
    lines = [f'{HEAD} xml:base="sub/">', *["<ex:C rdf:about='#a'/>"] * before, element, "</rdf:RDF>"]
    path = tmp_path / "a.rdf"
    path.write_text("\n".join(lines))
    with pytest.raises(pr.MalformedInputError, match=said) as raised:
        pr.load_ontology(path)
    assert raised.value.line == before + 3  # the head has two lines


def test_a_long_line_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "a.rdf"
    path.write_text(f'{HEAD} xml:base="sub/"><!--{"x" * 100_000}--><ex:C></ex:D></rdf:RDF>')
    with pytest.raises(pr.MalformedInputError) as raised:
        pr.load_ontology(path)
    assert raised.value.line == 2  # the head has two lines


def test_the_content_of_xml_literals_stays_as_it_is(tmp_path: Path) -> None:
    inside = '<ex:p rdf:parseType="Literal"><b xml:base="sub/">x</b></ex:p>'
    text = f'{HEAD} xml:base="sub/"><ex:C rdf:about="a">{inside}</ex:C></rdf:RDF>'.encode()
    written = with_absolute_bases(text, "http://ex.org/")
    assert inside.encode() in written and b'xml:base="http://ex.org/sub/"' in written
