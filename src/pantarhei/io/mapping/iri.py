"""IRIs as mappings write them: in full or with a prefix."""

from __future__ import annotations

from collections.abc import Mapping

from rdflib import OWL, RDF, RDFS, XSD

from pantarhei.errors import MappingError
from pantarhei.model.messages import did_you_mean
from pantarhei.rdf.ntriples import is_plain_iri

PREFIXES = {"owl": str(OWL), "rdf": str(RDF), "rdfs": str(RDFS), "xsd": str(XSD)}
_SCHEMES = {"data", "did", "doi", "info", "mailto", "ni", "tag", "tel", "urn", "uuid"}  # without slashes


def iri(text: str, prefixes: Mapping[str, str], source: str, line: int | None) -> str:
    """The IRI, or its beginning, that a text writes with or without a prefix.

    Args:
        source, line: where the mapping writes it.

    Raises:
        MappingError: it writes none.

    >>> iri("ex:free", {"ex": "http://example.org/"}, "m.yaml", 7)
    'http://example.org/free'
    """
    prefix, colon, rest = text.partition(":")
    hint = "; $(…) refers to a column, and {…} does not" if "{" in text else ""
    if not colon:
        own = next((f", such as {each}:{text}" for each in prefixes if each not in PREFIXES and text), "")
        full = f" such as http://{text}" if "." in text.strip(".") else ""
        expected = f"prefix:name{own}, or an IRI in full{full}{hint}"
        raise MappingError(source, line, f"{text!r} is no IRI", expected)
    if prefix in prefixes and not rest.startswith("//"):
        text = prefixes[prefix] + rest
    elif not (rest.startswith("//") or prefix.lower() in _SCHEMES):
        known = ", ".join(f"{each}:" for each in sorted(prefixes))
        hint = did_you_mean(prefix, prefixes)
        expected = f"one of {known}{hint}, or one that prefixes: says"
        raise MappingError(source, line, f"the prefix {prefix}: is not known", expected)
    if not is_plain_iri(f"<{text}>"):
        expected = f'no spaces and none of <>"{{}}|^`\\ in it{hint}'
        raise MappingError(source, line, f"{text!r} is no IRI", expected)
    return text
