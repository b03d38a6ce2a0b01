"""Terms of the parser as rdflib's."""

import copy
import pickle
from contextlib import suppress
from itertools import combinations

import pyoxigraph
import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, XSD, BNode, Literal, URIRef

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.encoding.encode import prefix_of_push
from pantarhei.errors import InvalidTripleError, OptionError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.io.abox import TimestampedABox
from pantarhei.model.rule import Rule
from pantarhei.rdf import ntriples
from pantarhei.rdf.ntriples import (
    TermReader,
    exactly,
    name_of_timestamp,
    nodes_of_document,
    nodes_of_message,
    parse_term,
    prefix_of_name,
    to_rdflib,
    unused_prefix,
    write_term,
)
from pantarhei.values.value import is_ill_typed, value_of
from strategies import EX, V, related, x, y

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


A, P, NODE = ox.NamedNode("urn:a"), ox.NamedNode("urn:p"), ox.BlankNode("x")
TYPE = ox.NamedNode(str(RDF.type))


def test_a_label_is_one_node_in_a_message_and_the_same_when_it_is_read_again():
    reader = TermReader()
    one, again, other = (nodes_of_message("a.nq", "urn:g", number) for number in (1, 1, 2))
    first = reader.triple(ox.Quad(NODE, P, NODE), one)
    assert first[0] == first[2] == reader.triple(ox.Quad(NODE, P, A), again)[0]
    assert first[0] != reader.triple(ox.Quad(NODE, P, A), other)[0]
    assert one["y"] != one["x"]


def test_a_literal_is_as_written():
    written = ox.Literal("01", datatype=ox.NamedNode(str(XSD.integer)))
    assert str(TermReader().triple(ox.Quad(A, P, written), nodes_of_message("", "", 0))[2]) == "01"


@pytest.mark.parametrize(
    "quad", [ox.Quad(A, TYPE, ox.Literal("a")), ox.Quad(A, P, ox.Triple(A, P, A))], ids=["literal", "triple"]
)
def test_what_rdf_does_not_have_is_an_error(quad):
    with pytest.raises(InvalidTripleError):
        TermReader().triple(quad, nodes_of_message("", "", 0))


def test_terms_come_out_the_same_when_the_cache_is_full(monkeypatch):
    monkeypatch.setattr(ntriples, "MOST_CACHED", 2)
    reader, nodes = TermReader(), nodes_of_message("", "", 0)
    quads = [ox.Quad(ox.NamedNode(f"urn:{i % 5}"), P, A) for i in range(20)]
    assert [str(reader.triple(quad, nodes)[0]) for quad in quads] == [f"urn:{i % 5}" for i in range(20)]
    assert len(reader._cache) <= 2


LITERALS = [
    Literal("2020-01-01T00:00:00Z", datatype=XSD.dateTime, normalize=False),
    Literal("007", datatype=XSD.integer, normalize=False),
    Literal("20", datatype=XSD.double, normalize=False),
    Literal("1", datatype=XSD.boolean, normalize=False),
    Literal("high", datatype=XSD.integer, normalize=False),
    Literal("Tor", lang="de"),
    Literal("plain"),
]
FACTS = [(EX[f"i{number}"], V, literal) for number, literal in enumerate(LITERALS)]
RULES = [
    Rule("prp-spo1", (related(V, x, y),), related(EX.W, x, y)),
    Rule("cls-hv1", (related(EX.Q, x, y),), related(V, x, LITERALS[1])),
]


def exact(triples):
    return sorted((t[0], t[1], str(t[2]), t[2].datatype, t[2].language or "") for t in triples)


@pytest.mark.parametrize("again", [lambda value: pickle.loads(pickle.dumps(value)), copy.deepcopy])
class TestAgain:
    def test_an_ontology_is_the_same_one(self, again):
        ontology = Ontology.from_rules(RULES, FACTS[1:4])
        made = again(ontology)
        assert made == ontology
        assert made.fingerprint == ontology.fingerprint
        assert exact(made.background) == exact(FACTS[1:4])

    def test_a_foundation_is_the_same_one(self, again):
        foundation = Foundation.of(Ontology.from_rules(RULES, FACTS[1:4]), FACTS[:1])
        assert again(foundation).digest == foundation.digest

    def test_an_interpretation_of_a_copy_is_understood(self, again):
        ontology = Ontology.from_rules(RULES, FACTS[:1])
        worker = ABoxMaterializer(again(Foundation.of(ontology)))
        reasoner = StreamReasoner(ontology, Window(5))
        reasoner.push_materialized(1, worker.materialize(FACTS[1:4]))
        assert exact(triple for _, triple in reasoner.assertions()) == exact(FACTS[1:4])

    def test_updates_and_aboxes_tell_the_same(self, again):
        reasoner = StreamReasoner(Ontology.from_rules(RULES), Window(5))
        update = reasoner.push(1, FACTS[:4])
        assert exact(again(update).delta.added) == exact(update.delta.added)
        assert exact(again(TimestampedABox(1, FACTS)).triples) == exact(FACTS)


def test_any_literal_comes_back():
    make, arguments = exactly(list, LITERALS)
    assert exact((EX.a, V, literal) for literal in make(*arguments)) == exact(
        (EX.a, V, each) for each in LITERALS
    )


LABELS = ["x", "1", "1-x", "-x", "2.1-x", "b0", "n0"]


def test_no_two_scopes_have_a_node_in_common():
    prefixes = [
        *(prefix_of_push(number, part) for number in (1, 2, 12, 21) for part in (0, 1, 2, 12)),
        *map(prefix_of_name, ("m", "m1x", "t", "t1", "b1", "belt")),
        *(prefix_of_name(name_of_timestamp(ticks)) for ticks in (-12, -2, 0, 2, 12)),
    ]
    scopes = [{prefix + label for label in LABELS} for prefix in prefixes]
    numbered = [
        nodes_of_message("a.nq", "urn:g", 0),
        nodes_of_message("a.nq", "urn:g", 1),
        nodes_of_document(b""),
    ]
    scopes += [{str(nodes[label]) for label in LABELS} for nodes in numbered]
    assert all(len(scope) == len(LABELS) for scope in scopes)
    assert all(one.isdisjoint(other) for one, other in combinations(scopes, 2))


def test_nodes_are_numbered_as_they_appear_and_have_the_same_names_when_they_are_read_again():
    for made in (lambda: nodes_of_message("a.nq", "urn:g", 1), lambda: nodes_of_document(b"_:x")):
        nodes, again = made(), made()
        assert nodes["x"] is nodes["x"]
        assert [nodes["x"], nodes["y"]] == [again["other"], again["x"]]


@pytest.mark.parametrize("name", ["", "a-b", "1a", "m1", "é", "a_b", "m1.2"])
def test_a_name_that_could_be_another_scopes_is_refused(name):
    with pytest.raises(OptionError) as raised:
        prefix_of_name(name)
    assert (raised.value.option, raised.value.given) == ("scope", repr(name))


def test_a_prefix_beside_labels_begins_none_of_them():
    assert unused_prefix([]) == ""
    assert unused_prefix(["x"]) == "m"
    assert unused_prefix(["m1", "mm"]) == "mmm"
