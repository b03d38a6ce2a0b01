"""SPARQL query contained in a text of a stream language, as a text for the oracle."""

from __future__ import annotations

from itertools import pairwise

from pantarhei.query.languages import StreamText
from pantarhei.query.languages.reading import BoundsReader
from pantarhei.query.syntax.expressions import NameScope
from pantarhei.query.syntax.grammar import QueryText, all_subtrees, parse, span, subtrees, tokens

TIMESTAMP = "<http://larkc.eu/csparql/sparql/jena/ext#timestamp>"


def plain_sparql(made: StreamText) -> str:
    """Return the text with `GRAPH` for windows, `FROM` for their graphs if it has `FROM`, and no other stream
    clauses.
    """
    text = QueryText(made.text)
    tree = parse(text)
    names, bounds = NameScope(text, tree, {}, None), BoundsReader(text)
    edits: list[tuple[int, int, str]] = []
    declared = ("register", "stream", "named_stream", "window", "window_as", "default_window")
    edits += [(*span(part), " ") for part in all_subtrees(tree, *declared)]
    for body in subtrees(tree, "select", "ask", "construct", "construct_where", "describe"):
        edits += [(*span(token), " ") for token in tokens(body, "OPERATOR")]
    statics = all_subtrees(tree, "static", "static_named")
    edits += [(*span(token), " ") for part in statics for token in tokens(part, "GRAPH")]
    for part in statics[-1:]:
        graphs = [f" FROM {'' if window.is_default else 'NAMED '}<{window.name}>" for window in made.windows]
        edits.append((span(part)[1], span(part)[1], "".join(graphs)))
    for part in all_subtrees(tree, "window_block"):
        edits += [(*span(token), "GRAPH") for token in tokens(part, "WINDOW")]
    known: dict[object, str] = {}
    for part in all_subtrees(tree, "stream_head"):
        (iri,) = tokens(part, "IRI", "PNAME_LN", "PNAME_NS")
        key = (names.iri(iri), bounds.read(*subtrees(part, "bounds")).extent)
        edits.append((*span(part), known.setdefault(key, f"GRAPH <urn:pantarhei:window:{len(known) + 1}>")))
    for part in all_subtrees(tree, "builtin"):
        edits += [(*span(word), TIMESTAMP) for word in tokens(part) if word.lower() == "timestamp"]
    edits = [(0, 0, ""), *sorted(edits), (len(text.decoded), len(text.decoded), "")]
    return "".join(text.decoded[end:start] + instead for (_, end, _), (start, _, instead) in pairwise(edits))
