"""Random queries are the same with what the languages of streams say around them."""

import re
from random import Random

import pytest
from rdflib import URIRef

from counts import seeds
from pantarhei.errors import QueryError
from pantarhei.query.languages import read_stream_text
from pantarhei.query.syntax import read_query
from random_queries import PREFIXES, random_query

DRAWN = re.compile(r"BNode\('\w+'\)")
GRAPH = re.compile(r"\bGRAPH\s+(\S+)\s*\{")


def told(query):
    """A query as a text in which drawn labels of blank nodes are left out."""
    return DRAWN.sub("", repr(query))


def understood(text):
    try:
        return read_query(text, PREFIXES)
    except QueryError:
        return None


@pytest.mark.parametrize("seed", seeds(1, 20))
def test_a_query_is_the_same_when_it_is_registered(seed):
    random = Random(seed)
    for _ in range(20):
        text = random_query(random)
        plain = understood(text)
        if plain is not None:
            assert told(read_stream_text(text, PREFIXES).query) == told(plain), text
            named = read_stream_text(f"REGISTER\nQUERY window COMPUTED EVERY 1s AS {text}", PREFIXES)
            assert (named.name, told(named.query)) == ("window", told(plain)), text


@pytest.mark.parametrize("seed", seeds(1, 20))
def test_the_graphs_of_a_query_may_be_windows_of_streams(seed):
    """Each GRAPH with a name becomes STREAM <name> [NOW], of which the windows take their names."""
    random = Random(seed)
    for _ in range(20):
        text = random_query(random)
        plain = understood(text)
        names = [name for name in GRAPH.findall(text) if not name.startswith("?")]
        if plain is None or not names:
            continue
        made = read_stream_text(GRAPH.sub(_as_stream, text), PREFIXES)
        windows = {window.name: window.stream for window in made.windows}
        assert set(windows.values()) == {URIRef(_iri(name)) for name in names}
        node = told(made.query.node)
        for window, stream in windows.items():
            node = node.replace(repr(window), repr(stream))
        assert node == told(plain.node), text


def _as_stream(found):
    name = found[1]
    return found[0] if name.startswith("?") else f"STREAM {name} [NOW]\n{{"


def _iri(name):
    if name.startswith("<"):
        return name[1:-1]
    prefix, local = name.split(":")
    return PREFIXES[prefix] + local
