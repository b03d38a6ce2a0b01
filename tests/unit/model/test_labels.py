import pickle

import pytest
from rdflib import RDFS, SDO, SKOS, BNode, Literal, URIRef

from pantarhei.errors import OptionError
from pantarhei.model.labels import labels_among, labels_of, languages_of, letters
from strategies import EX


def test_english_labels_come_first_then_those_without_a_language():
    given = [
        (EX.a, RDFS.label, Literal("Pumpe", "de")),
        (EX.a, RDFS.label, Literal("pump", "en-GB")),
        (EX.a, RDFS.label, Literal("P")),
        (EX.b, RDFS.label, Literal("Rohr", "de")),
        (EX.b, RDFS.label, Literal("pipe")),
        (EX.c, RDFS.label, Literal("Ventil", "de")),
        (EX.d, RDFS.label, Literal(" ")),
        (EX.d, RDFS.comment, Literal("none")),
        (BNode(), RDFS.label, Literal("none")),
    ]
    assert labels_of(given) == labels_of(given[::-1]) == {EX.a: "pump", EX.b: "pipe", EX.c: "Ventil"}


def test_equal_labels_are_told_apart():
    other = EX["other/1"]
    labels = {EX["1"]: "pump", other: "pump", EX["2"]: "pump", EX.c: "valve"}
    assert labels_among(labels, [EX["2"], EX.c, EX.d]) == {EX["2"]: "pump", EX.c: "valve"}
    assert labels_among(labels, labels) == {
        EX["1"]: f"pump ({EX['1']})",
        EX["2"]: "pump (2)",
        EX.c: "valve",
        other: f"pump ({other})",
    }


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", "pump"),
        ("de", "Pumpe"),
        ("de-AT", "Pumpn"),
        ("DE-at", "Pumpn"),
        ("de-CH", "Pumpe"),
        ("fr", "P"),
        (["fr", "pt"], "bomba"),
        (("pt-BR", "en"), "bomba"),
        ((), "P"),
    ],
)
def test_a_label_is_in_the_best_of_the_preferred_languages(language, shown):
    texts = {"de": "Pumpe", "de-AT": "Pumpn", "en-GB": "pump", "pt": "bomba", None: "P"}
    given = [(EX.a, RDFS.label, Literal(text, lang=tag)) for tag, text in texts.items()]
    assert labels_of(given, languages_of(language)) == labels_of(given[::-1], languages_of(language))
    assert labels_of(given, languages_of(language))[EX.a] == shown


def test_without_a_preferred_language_the_first_tag_by_alphabet_is_taken():
    given = [(EX.a, RDFS.label, Literal(tag, lang=tag)) for tag in ("sv", "fi", "it")]
    assert labels_of(given, languages_of("en")) == {EX.a: "fi"}


NAME = URIRef("http://schema.org/name")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ([(SDO.name, "n", None), (SKOS.prefLabel, "p", None), (RDFS.label, "l", None)], "l"),
        ([(NAME, "o", None), (SDO.name, "n", None), (SKOS.prefLabel, "p", None)], "p"),
        ([(NAME, "o", None), (SDO.name, "n", None)], "n"),
        ([(NAME, "o", None), (SKOS.altLabel, "a", None)], "o"),
        ([(RDFS.label, "l", "de"), (NAME, "o", "en")], "o"),
        ([(RDFS.label, "l", None), (SKOS.prefLabel, "p", "en")], "p"),
        ([(RDFS.label, " ", "en"), (SKOS.prefLabel, "p", "en")], "p"),
    ],
)
def test_the_language_counts_before_the_property(given, shown):
    triples = [(EX.a, property_, Literal(text, lang=tag)) for property_, text, tag in given]
    assert labels_of(triples) == labels_of(triples[::-1]) == {EX.a: shown}


@pytest.mark.parametrize(
    "language", ["", "de_AT", "de AT", "de-", "-de", "deutschsprachig", ["en", ""], [7], 7, None]
)
def test_a_language_is_a_tag_of_bcp_47(language):
    with pytest.raises(OptionError, match="language") as refused:
        languages_of(language)
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)
    invalid = language if not isinstance(language, list) else language[-1]
    assert str(refused.value).startswith(f"language={invalid!r} is invalid")


def test_letters_differ_from_the_names_in_use():
    names = letters(["x", "z1", "y"])
    assert [next(names) for _ in range(5)] == ["z", "x1", "y1", "x2", "y2"]
