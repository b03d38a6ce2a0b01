"""Data files as tables: the same triples as a parser gives, in whichever syntax they stand."""

from __future__ import annotations

import gzip
import io

import pyarrow as pa
import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph, URIRef
from rdflib.compare import isomorphic

import pantarhei as pr
from pantarhei.errors import (
    CompressedInputError,
    InputError,
    MalformedInputError,
    MissingFileError,
    OptionError,
)
from pantarhei.io import read_table, triple_files
from pantarhei.owl.document import read_document
from pantarhei.rdf import plain_quads, statements
from pantarhei.rdf.triple_table import triples_of
from quad_lines import NODES, PROPERTIES, WORDS

TURTLE = """@prefix : <urn:x:> .
:a :b "one\\ntwo"@en , '''a "long" one''' , 01 , 1.50 , true ; a :C ; :d [ :b ( 1 :e ) ] . _:x :b _:y , _:x .
"""
ODD = [
    "",
    "# a comment",
    "<urn:a>\t<urn:b> <urn:c>.",
    '<urn:a> <urn:b> "\\u0041" .',
    "<urn:a> <urn:b> _:x  . # why",
]

triple_lines = st.builds(
    lambda s, p, o: f"{s} {p} {o} .", *map(st.sampled_from, (NODES, PROPERTIES, NODES + WORDS))
)


def texts(rows):
    return [tuple(row.values()) for row in rows.to_pylist()]


def parsed(lines, syntax):
    quads = ox.parse("\n".join(lines).encode(), syntax)
    return [tuple(map(str, (quad.subject, quad.predicate, quad.object))) for quad in quads]


@settings(deadline=None)
@given(
    st.lists(st.one_of(triple_lines, triple_lines, st.sampled_from(ODD)), max_size=20), st.integers(20, 400)
)
def test_ntriples_are_what_the_parser_reads(tmp_path_factory, lines, size):
    path = tmp_path_factory.mktemp("data") / "data.nt"
    path.write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(triple_files, "BLOCK", size)
        found = read_table(path)
    assert found.column_names == ["subject", "predicate", "object"]
    assert texts(found) == parsed(lines, ox.RdfFormat.N_TRIPLES)


@settings(deadline=None)
@given(
    st.lists(st.tuples(triple_lines, st.sampled_from(["", "<urn:g>", "<urn:h>", "_:g"])), max_size=20),
    st.sampled_from([1, 4]),
)
def test_nquads_have_their_graphs_beside_them(tmp_path_factory, given_lines, most_odd):
    path = tmp_path_factory.mktemp("data") / "data.nq"
    path.write_text("\n".join(f"{line[:-1]}{graph} ." for line, graph in given_lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_quads, "_MOST_ODD", most_odd)
        found = read_table(path)
    triples = parsed([line for line, _ in given_lines], ox.RdfFormat.N_TRIPLES)
    graphs = [graph or None for _, graph in given_lines]
    assert texts(found) == [(*triple, graph) for triple, graph in zip(triples, graphs, strict=True)]


@pytest.mark.parametrize("suffix", ["ttl", "trig", "rdf", "nt", "nq"])
def test_each_syntax_gives_the_same_graph(tmp_path, suffix):
    graph = Graph().parse(data=TURTLE, format="turtle")
    path = tmp_path / f"data.{suffix}"
    kind = {"ttl": "turtle", "trig": "turtle", "rdf": "xml", "nt": "nt", "nq": "nt"}[suffix]
    graph.serialize(path, format=kind, encoding="utf-8")
    found = Graph()
    for triple in triples_of(read_table(path)):
        found.add(triple)
    assert isomorphic(found, graph)


def test_literals_keep_their_form_and_blank_nodes_are_numbered(tmp_path):
    path = tmp_path / "data.ttl"
    path.write_text("@prefix : <urn:x:> . :a :b 01 , [ :c _:own ] .")
    rows = texts(read_table(path))
    assert ("<urn:x:a>", "<urn:x:b>", '"01"^^<http://www.w3.org/2001/XMLSchema#integer>') in rows
    assert {term for row in rows for term in row if term.startswith("_:")} == {"_:b0", "_:b1"}
    assert rows == texts(read_table(path))


def test_columns_are_dictionaries(tmp_path):
    path = tmp_path / "data.nt"
    path.write_text("<urn:a> <urn:b> <urn:c> .\n" * 1000)
    found = read_table(path)
    assert found.schema.types == [pa.dictionary(pa.int32(), pa.string())] * 3
    assert [len(column.combine_chunks().dictionary) for column in found.columns] == [1, 1, 1]


def test_an_empty_file_is_an_empty_table(tmp_path):
    path = tmp_path / "data.nt"
    path.touch()
    assert read_table(path).num_rows == 0


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.nt", "<urn:a> <urn:b> <urn:c> .\n<urn:a> <urn:b> oops .\n", "a.nt, line 2"),
        ("a.nt", "<urn:a> <urn:b> <urn:c> <urn:g> .\n", "a.nt, line 1"),
        ("a.nt", "<urn:a> <urn:b> <<( <urn:a> <urn:b> <urn:c> )>> .\n", "line 1: .*RDF 1.2"),
        ("a.ttl", "<urn:a> <urn:b>\n oops .", "a.ttl, line 2"),
        ("a.rdf", "<rdf", "a.rdf"),
        ("a.ttl", "\n\n<urn:a> <urn:b> <<( <urn:a> <urn:b> <urn:c> )>> .", "a.ttl: .*RDF 1.2"),
    ],
)
def test_what_is_malformed_is_named(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(MalformedInputError, match=message) as caught:
        read_table(tmp_path / name)
    assert str(caught.value).count("line") <= 1, "the place is named once"


def test_a_file_that_is_not_there_or_of_no_known_kind_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        read_table(tmp_path / "none.nt")
    assert isinstance(raised.value, InputError)
    for missing in (tmp_path / "none", tmp_path / "none.csv", tmp_path):
        with pytest.raises(MissingFileError, match=missing.name):
            read_table(missing)
    (tmp_path / "data.csv").touch()
    with pytest.raises(OptionError, match="turtle"):
        read_table(tmp_path / "data.csv")
    with pytest.raises(OptionError, match="turtle"):
        read_table(tmp_path / "data.nt", format="owl-xml")
    with pytest.raises(OptionError, match=r"source=.*read_stream"):
        read_table(io.BytesIO(b""))


@pytest.mark.parametrize("suffix", ["nt", "nq", "ttl", "trig"])
def test_a_byte_order_mark_is_no_part_of_the_content(tmp_path, suffix):
    path = tmp_path / f"data.{suffix}"
    path.write_text("\ufeff<urn:a> <urn:b> <urn:c> .\n")
    assert texts(read_table(path))[0][:3] == ("<urn:a>", "<urn:b>", "<urn:c>")
    assert len(read_document(path).triples) == 1


@pytest.mark.parametrize("name", ["data.nt", "data.nq", "data.ttl", "data.nt.gz"])
def test_a_compressed_file_is_said_to_be_so(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"<urn:a> <urn:b> <urn:c> .\n"))
    before = path.read_bytes()
    for read in (read_table, read_document):
        with pytest.raises(CompressedInputError, match=f"{path}: it is compressed .gzip") as raised:
            read(path)
        assert raised.value.compression == "gzip"
    assert path.read_bytes() == before


@pytest.mark.parametrize("over", [0, 1])
def test_a_line_is_as_long_as_the_limit_at_most(tmp_path, monkeypatch, over):
    monkeypatch.setattr(statements, "LONGEST_LINE", 100)
    line = "<urn:a> <urn:b> <urn:c> ."
    path = tmp_path / "data.nt"
    path.write_text(f"{line}\n{line}{'#' * (100 + over - len(line))}\n{line}\n")
    if over:
        with pytest.raises(MalformedInputError, match="line 2: the line is longer than 100 bytes"):
            read_table(path)
    else:
        assert read_table(path).num_rows == 3


def test_a_term_beyond_the_parsers_buffer_is_an_error(tmp_path):
    path = tmp_path / "data.ttl"
    path.write_text(f'<urn:a> <urn:b> "{"x" * (17 << 20)}" .')
    with pytest.raises(MalformedInputError, match=r"data.ttl: .*16 MiB"):
        read_table(path)


def test_a_table_is_an_abox_and_a_background(tmp_path):
    (tmp_path / "ontology.ttl").write_text(
        "@prefix : <urn:x:> . @prefix owl: <http://www.w3.org/2002/07/owl#> . :in a owl:TransitiveProperty ."
    )
    (tmp_path / "data.ttl").write_text("@prefix : <urn:x:> . :a :in :b . :b :in :c ; :size 01 . [] :in :a .")
    ontology, data = pr.load_ontology(tmp_path / "ontology.ttl"), read_table(tmp_path / "data.ttl")
    pushed = pr.StreamReasoner(ontology, pr.Window(range=1))
    pushed.push(0, data)
    always = pr.StreamReasoner(ontology, pr.Window(range=1), background=data)
    graph = pr.StreamReasoner(ontology, pr.Window(range=1), background=triples_of(data))
    assert len(pushed.graph) == len(always.graph) == 7
    assert always.materialization() == graph.materialization()
    again = pr.StreamReasoner.restore(always.snapshot(), ontology, background=data)
    assert again.materialization() == always.materialization()
    assert (
        URIRef("urn:x:a"),
        URIRef("urn:x:in"),
        URIRef("urn:x:c"),
    ) in always.background | always.materialization()
    assert not any(p == RDF.type for _, p, _ in always.materialization())
