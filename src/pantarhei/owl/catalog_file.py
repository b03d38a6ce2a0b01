"""XML catalogs of OASIS, as Protégé writes them: which file an imported ontology is in. Nothing is fetched.

OASIS: XML Catalogs 1.1, the elements `uri`, `group`, `nextCatalog` and the attribute `xml:base`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from pantarhei.errors import MalformedInputError
from pantarhei.rdf.encoding import in_utf_8
from pantarhei.rdf.first_bytes import plain_text, unreadable
from pantarhei.rdf.nesting_guard import DEEPEST_EXPRESSION, refuse_deep_nesting
from pantarhei.rdf.xml_guard import refuse_entity_expansion

CATALOG_NAME: Final = "catalog-v001.xml"
_CATALOG: Final = "{urn:oasis:names:tc:entity:xmlns:xml:catalog}"
_BASE: Final = "{http://www.w3.org/XML/1998/namespace}base"


class _Entry(NamedTuple):
    """What an element says: the ontology, none for a further catalog, and the file, none on the network."""

    iri: str | None
    path: Path | None


def read_catalog(path: Path, within: Path | None = None) -> dict[str, Path]:
    """The file of each ontology that a catalog and those it goes on to name; of two the first.

    Args:
        within: the folder outside of which nothing is looked at, where nobody vouches for the catalog; then
            what is not there is left out, too.

    Raises:
        MalformedInputError: it is no catalog.
        MissingFileError: it cannot be read, or one that it goes on to.
    """
    found: dict[str, Path] = {}
    waiting, seen = [path], set[Path]()
    while waiting:
        catalog = waiting.pop(0)
        if catalog.resolve() in seen:
            continue
        seen.add(catalog.resolve())
        for iri, target in _entries(catalog):
            if target is None or (within is not None and not _is_in(target, within)):
                continue
            if iri is None:
                waiting.append(target)
            else:
                found.setdefault(iri, target)
    return found


def names_in(catalog: Path) -> list[str]:
    """The ontologies that a catalog names.

    Raises:
        MalformedInputError: it is no catalog.
    """
    return [iri for iri, _ in _entries(catalog) if iri is not None]


def why_not_in(catalog: Path, iri: str) -> str | None:
    """Why an ontology is not found by a catalog that nobody vouches for; None where that does not name it.

    Raises:
        MalformedInputError: it is no catalog.
    """
    targets = [path for each, path in _entries(catalog) if each == iri]
    if not targets:
        return None
    if targets[0] is None:
        return f"{catalog} has on the network only, and nothing is fetched"
    if catalog.resolve().parent in targets[0].resolve().parents:
        return f"{catalog} says to be in {targets[0].name}, and there is no such file"
    return f"{catalog} says to be outside of its folder, where it leads only if you give it as catalog"


def _is_in(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder.resolve()) and path.is_file()
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, links in a circle
        return False


def _entries(path: Path) -> Iterator[_Entry]:
    source = str(path)
    try:
        content = in_utf_8(plain_text(path.read_bytes(), source), source)
    except OSError as error:
        raise unreadable(path, error) from error
    refuse_entity_expansion(content, source)
    refuse_deep_nesting(content, "xml", source)
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise MalformedInputError(source, error.position[0], f"no XML catalog: {error}") from error
    if root.tag != _CATALOG + "catalog":
        raise MalformedInputError(source, None, f"no XML catalog: it begins with the element {root.tag}")
    yield from _entries_below(root, path.resolve().as_uri(), source, 0)


def _entries_below(element: Element, base: str, source: str, depth: int) -> Iterator[_Entry]:
    if depth > DEEPEST_EXPRESSION:
        raise MalformedInputError(source, None, f"groups nested deeper than {DEEPEST_EXPRESSION} levels")
    base = _joined(base, element.get(_BASE, ""), source)
    for child in element:
        match child.tag.removeprefix(_CATALOG), dict(child.attrib):
            case "group", _:
                yield from _entries_below(child, base, source, depth + 1)
            case "uri", {"name": name, "uri": uri}:
                yield _Entry(name, _file(_joined(_joined(base, child.get(_BASE, ""), source), uri, source)))
            case "nextCatalog", {"catalog": uri}:
                yield _Entry(None, _file(_joined(_joined(base, child.get(_BASE, ""), source), uri, source)))


def _joined(base: str, uri: str, source: str) -> str:
    try:
        return urljoin(base, uri)
    except ValueError as error:
        raise MalformedInputError(source, None, f"{uri!r} is no URI") from error


def _file(uri: str) -> Path | None:
    """The local file that a URI names; None for what would have to be fetched."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = unquote(parts.path)
    return None if "\0" in path else Path(path)
