from contextlib import suppress

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, XSD, BNode, Literal, URIRef

from pantarhei.errors import InvalidTripleError
from pantarhei.rdf.ntriples import parse_term, to_rdflib, write_term
from pantarhei.values.value import is_ill_typed, value_of

# Control characters are written with escapes; n3() of rdflib is not N-Triples for all of them.
texts = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=8)


DATATYPES = (XSD.integer, XSD.decimal, XSD.string, RDF.langString, RDF.HTML)


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("<urn:a>", URIRef("urn:a")),
        ("<http://example.org/ä?q=1#f>", URIRef("http://example.org/ä?q=1#f")),
        ("<urn:\\u0061>", URIRef("urn:a")),
        ("_:b", BNode("b")),
        ("_:b0.x-1", BNode("b0.x-1")),
        ('""', Literal("")),
        ('"a"', Literal("a")),
        ('"a\\n\\"\\\\\\u00e9"', Literal('a\n"\\é')),
        ('"a"@en', Literal("a", lang="en")),
        ('"a"@de-AT', Literal("a", lang="de-AT")),
        (f'"01"^^<{XSD.integer}>', Literal("01", datatype=XSD.integer, normalize=False)),
        (f'"x"^^<{XSD.integer}>', Literal("x", datatype=XSD.integer, normalize=False)),
        (f'"a"^^<{XSD.string}>', Literal("a")),
        ('"a ."', Literal("a .")),
        ('"<urn:end>"', Literal("<urn:end>")),
    ],
)
def test_terms(text, term):
    parsed = parse_term(text)
    assert type(parsed) is type(term) and parsed == term
    assert str(parsed) == str(term) and getattr(parsed, "datatype", 0) == getattr(term, "datatype", 0)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "a", "urn:a", "<a>", "<>", "<urn:a", "<urn:a b>", "<urn:a>>", "<urn:a> .", "<urn:a> <urn:b>",
        " <urn:a>", "<urn:a> ", "<urn:a>\n", "_:", "_:-a", "_:a.", "_: a", "?x", '"a', "'a'", '"a" .', '"a"@',
        '"a"^^', '"a"^^xsd:integer', '"a\nb"', '"\\x"', "1", "true", "a:b", "[]", "<<urn:a>>", "# comment",
        '"a" # comment', "<urn:a> . <urn:b> <urn:c> <urn:d>", '"\ud800"',
    ],
)  # fmt: skip
def test_other_texts_are_refused(text):
    with pytest.raises(InvalidTripleError) as raised:
        parse_term(text)
    assert raised.value.given == text


def test_what_is_refused_is_quoted_in_part():
    with pytest.raises(InvalidTripleError) as raised:
        parse_term("x" * 5000)
    assert len(str(raised.value)) < 500


def test_a_scope_names_blank_nodes_only():
    assert parse_term("_:b", "m1-") == BNode("m1-b")
    assert parse_term("<urn:b>", "m1-") == URIRef("urn:b")
    assert parse_term('"_:b"', "m1-") == Literal("_:b")


@given(texts)
def test_a_literal_comes_back_with_its_text(text):
    assert str(parse_term(quoted(text))) == text


@given(st.text(st.sampled_from('<>"_:a\\ .@^#\n'), max_size=8))
def test_any_text_is_a_term_or_refused(text):
    with suppress(InvalidTripleError):
        assert isinstance(parse_term(text), URIRef | BNode | Literal)


@given(
    st.text(max_size=6),
    st.sampled_from(
        ["", f"^^<{XSD.integer}>", f"^^<{XSD.decimal}>", f"^^<{XSD.string}>", "^^<urn:d>", "^^<d>"]
    )
    | st.text(max_size=5).map(lambda text: f"^^<urn:{text}>"),
)
def test_literals_read_at_once_are_what_the_parser_reads(text, datatype):
    written = f'"{text}"{datatype}'
    found = expected = None
    with suppress(InvalidTripleError):
        found = parse_term(written)
    with suppress(SyntaxError, UnicodeEncodeError):
        (quad,) = pyoxigraph.parse(f"<urn:x> <urn:x> {written} .".encode(), pyoxigraph.RdfFormat.N_TRIPLES)
        expected = to_rdflib(quad.object)
    assert (found is None) == (expected is None)
    if found is not None:
        assert (str(found), found.datatype, found.language) == (str(expected), expected.datatype, None)


@pytest.mark.parametrize(
    "datatype", [None, *(XSD[name] for name in ("string", "integer", "decimal", "double", "int"))]
)
@pytest.mark.parametrize(
    "lexical",
    [
        "",
        "a",
        "1",
        "01",
        "-7",
        "+7",
        "1.50",
        "-0.0",
        ".5",
        "5.",
        "1e3",
        "2E-4",
        "1e999",
        "-0",
        "999999999999999999",
        "9999999999999999999",
        "１",
        "INF",
        "NaN",
        " 1",
        "1 ",
        "1_0",
        "true",
    ],
)
def test_literals_are_those_that_rdflib_makes(lexical, datatype):
    made = parse_term(f'"{lexical}"' + (f"^^<{datatype}>" if datatype else ""))
    expected = typed(lexical, datatype)
    assert made == expected and str(made) == str(expected) and hash(made) == hash(expected)
    assert (made.datatype, made.language) == (expected.datatype, expected.language)
    assert type(made) is Literal
    if not is_ill_typed(value_of(made)):
        assert repr(made.value) == repr(expected.value) and made.ill_typed == expected.ill_typed


@pytest.mark.parametrize(
    ("lexical", "name"),
    [
        ("-0044-03-15T12:00:00", "dateTime"),
        ("12026-01-01T00:00:00Z", "dateTime"),
        ("2025-12-31T24:00:00Z", "dateTimeStamp"),
        ("-0044-03-15", "date"),
        ("24:00:00", "time"),
    ],
)
def test_times_that_no_datetime_can_be_are_read_without_a_word(lexical, name, caplog):
    made = parse_term(f'"{lexical}"^^<{XSD[name]}>')
    assert (str(made), made.datatype, made.value) == (lexical, XSD[name], None)
    assert not caplog.records


def typed(lexical, datatype):
    if datatype in (None, XSD.string):
        return Literal(lexical)
    return Literal(lexical, datatype=datatype, normalize=False)


@pytest.mark.parametrize(
    "term",
    [
        URIRef("http://example.org/é"),
        BNode("n1"),
        Literal('two\nlines\tand "quotes" \\'),
        Literal("oui", lang="fr"),
        Literal("01", datatype=URIRef("http://www.w3.org/2001/XMLSchema#integer"), normalize=False),
    ],
)
def test_written_terms_are_read_as_they_were(term):
    assert parse_term(write_term(term)) == term
