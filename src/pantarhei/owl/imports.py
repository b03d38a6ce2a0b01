"""Sources of an ontology: documents, folders and glob patterns, and `owl:imports` resolved by catalogs.
Nothing is fetched from the network.

Imports are resolved by the catalog given by the caller, and by the catalog in the folder of the importing
file. The latter may have been written by the author of the ontology and is not trusted: it may refer only to
files in its folder.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple, NoReturn
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from rdflib import OWL, RDF, URIRef

from pantarhei.errors import MalformedInputError, MissingFileError, MissingImportError, OptionError
from pantarhei.model.term import Triple
from pantarhei.owl.document import SUFFIXES, Document, read_document
from pantarhei.rdf.decompression import is_document, plain_text, refuse_null, unreadable
from pantarhei.rdf.parse import DEEPEST_EXPRESSION, refuse_deep_nesting
from pantarhei.rdf.xml_guard import in_utf_8, refuse_entity_expansion

# Suffixes that do not indicate an ontology; such files in a folder are ignored.
_OF_ANYTHING: Final = (".json", ".xml")
ENDINGS: Final = tuple(suffix for suffix in SUFFIXES if suffix not in _OF_ANYTHING)


def sources_of(given: object) -> tuple[object, ...]:
    """Return the documents and objects of `given` in order, without duplicates.

    Args:
        given: a path or an object, or a list of these. A folder stands for the files directly in it that have
            the suffix of an ontology, a glob pattern for the matching files; both are sorted by name.

    Raises:
        MissingFileError: a folder has no such file, or a glob pattern has no match.
        OptionError: the list is empty, or contains triples.
    """
    listed = list(given) if isinstance(given, list | tuple) else [given]
    if not listed:
        raise OptionError("source", repr(given), "at least one document: a path, an rdflib.Graph, or several")
    if any(isinstance(each, tuple) for each in listed):
        raise OptionError("source", repr(listed[0])[:200], "triples in an rdflib.Graph: Graph().add(triple)")
    found: dict[object, object] = {}
    for each in (each for one in listed for each in _expanded(one)):
        found.setdefault(each.resolve() if isinstance(each, Path) else id(each), each)
    return tuple(found.values())


def _expanded(given: object) -> Sequence[object]:
    if not isinstance(given, str | Path):
        return [given]
    path = Path(given)
    refuse_null(path)
    if is_document(str(given)):
        expected = "a path; parse a text by rdflib.Graph().parse(data=text, format=…)"
        raise OptionError("source", repr(given)[:60] + "…", expected)
    if path.is_dir():
        return sorted(filter(_is_ontology, path.iterdir())) or _refuse(path, _none_in(path))
    if path.exists() or not glob.has_magic(str(given)):
        return [path]
    matched = (Path(name) for name in sorted(glob.glob(str(given), recursive=True)))
    return [each for each in matched if each.is_file()] or _refuse(path, "no file matches this pattern")


def _is_ontology(path: Path) -> bool:
    return path.suffix.lower() in ENDINGS and path.is_file()


def _none_in(folder: Path) -> str:
    """Return the reason why a folder yields no ontologies."""
    reason = f"no file in this folder ends in {', '.join(ENDINGS)}"
    levels = (sorted(filter(_is_ontology, folder.glob(pattern))) for pattern in ("*/*", "*/*/*"))
    below = next((found[0] for found in levels if found), None)
    return f"{reason}; those in folders below are {folder}/**/*{below.suffix}" if below else reason


def _refuse(path: Path, reason: str) -> NoReturn:
    raise MissingFileError(str(path), reason)


CATALOG_NAME: Final = "catalog-v001.xml"
_CATALOG: Final = "{urn:oasis:names:tc:entity:xmlns:xml:catalog}"
_BASE: Final = "{http://www.w3.org/XML/1998/namespace}base"


class _Entry(NamedTuple):
    """Entry of a catalog: an ontology IRI, or None for a reference to another catalog; and the file, or None
    if it is remote.
    """

    iri: str | None
    path: Path | None


def read_catalog(path: Path, within: Path | None = None) -> dict[str, Path]:
    """Map each ontology in a catalog, and in the catalogs it refers to, to its file. If an ontology has
    several entries, the first is used.

    OASIS: XML Catalogs 1.1, as written by Protégé: the elements `uri`, `group` and `nextCatalog`, and the
    attribute `xml:base`. Nothing is fetched.

    Args:
        within: folder to which an untrusted catalog is restricted; missing files are then omitted too.

    Raises:
        MalformedInputError: the file is not a catalog.
        MissingFileError: the catalog, or one it refers to, cannot be read.
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
    """Return the ontology IRIs in a catalog.

    Raises:
        MalformedInputError: the file is not a catalog.
    """
    return [iri for iri, _ in _entries(catalog) if iri is not None]


def unresolved_reason(catalog: Path, iri: str) -> str | None:
    """Return the reason why an untrusted catalog does not resolve an ontology IRI; None if it has no entry
    for the IRI.

    Raises:
        MalformedInputError: the file is not a catalog.
    """
    targets = [path for each, path in _entries(catalog) if each == iri]
    if not targets:
        return None
    if targets[0] is None:
        return f"{catalog} maps to a remote document, and nothing is fetched"
    if catalog.resolve().parent in targets[0].resolve().parents:
        return f"{catalog} maps to {targets[0].name}, which does not exist"
    return f"{catalog} maps to a file outside its folder, which is permitted only if you give it as catalog"


def _is_in(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder.resolve()) and path.is_file()
    except (OSError, ValueError, RuntimeError):  # an invalid file name, or cyclic links
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
        raise MalformedInputError(source, error.position[0], f"not an XML catalog: {error}") from error
    if root.tag != _CATALOG + "catalog":
        raise MalformedInputError(source, None, f"not an XML catalog: the root element is {root.tag}")
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
        raise MalformedInputError(source, None, f"{uri!r} is not a URI") from error


def _file(uri: str) -> Path | None:
    """Return the local file of a URI; None if it is remote."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = unquote(parts.path)
    return None if "\0" in path else Path(path)


@dataclass(frozen=True, slots=True)
class Imports:
    """Resolution of imports.

    Args:
        files: path for each ontology IRI.
        folder: folder with files that are named after the last part of the IRI, or with a catalog.
        skip_missing: skip imports that cannot be resolved.
    """

    files: Mapping[str, Path] = field(default_factory=dict)
    folder: Path | None = None
    skip_missing: bool = False

    @classmethod
    def of(cls, catalog: Mapping[str, str | Path] | str | Path | None, skip_missing: bool = False) -> Imports:
        """Return the resolution of imports by the catalog that the caller gave.

        Raises:
            MalformedInputError, MissingFileError: as for `read_catalog`.
            OptionError: the catalog is not a mapping, a folder or a file.
        """
        if isinstance(catalog, str | Path) and Path(catalog).is_dir():
            return cls({}, Path(catalog), skip_missing)
        if isinstance(catalog, str | Path) and Path(catalog).is_file():
            return cls(read_catalog(Path(catalog)), None, skip_missing)
        given = {} if catalog is None else catalog
        if not isinstance(given, Mapping):
            expected = f"a folder, an XML catalog ({CATALOG_NAME}), or in Python a mapping from IRIs to paths"
            raise OptionError("catalog", repr(str(given)), expected)
        return cls({str(iri): Path(path) for iri, path in given.items()}, None, skip_missing)


class WrittenAt(NamedTuple):
    """Position of an axiom: the file, None if the source is an object; and the line, None if the syntax has
    no lines.
    """

    source: str | None
    line: int | None


@dataclass(frozen=True, slots=True)
class DocumentSet:
    """Documents with all their imports, and the imports that were skipped.

    Args:
        triples: triples of all documents, without duplicates.
        documents: the requested documents, followed by their imports.
        skipped: the IRIs of skipped imports.
        requested: number of requested documents.
    """

    triples: tuple[Triple, ...]
    documents: tuple[Document, ...]
    skipped: tuple[str, ...]
    requested: int = 1

    @property
    def prefixes(self) -> Mapping[str, str]:
        """Prefixes of the requested documents. If a prefix has several IRIs, the first is used."""
        requested = reversed(self.documents[: self.requested])
        return {prefix: iri for document in requested for prefix, iri in document.prefixes.items()}

    def with_documents(self, further: Iterable[Document]) -> DocumentSet:
        """Return a copy with further documents, whose unresolved imports are skipped."""
        added = tuple(further)
        documents = (*self.documents, *added)
        known = {name for document in documents for name in _ontology_names(document.triples)}
        missing = (iri for document in added for iri in _imported(document.triples) if iri not in known)
        return DocumentSet(
            tuple(dict.fromkeys(chain(self.triples, *(document.triples for document in added)))),
            documents,
            tuple(dict.fromkeys((*self.skipped, *missing))),
            self.requested,
        )

    @property
    def sources(self) -> tuple[str, ...]:
        """The files of the documents."""
        return tuple(document.source for document in self.documents if document.source is not None)

    def positions(self, triples: Iterable[Triple]) -> dict[Triple, WrittenAt]:
        """Return the position of each triple in the first document that has it.

        The cost is one pass over the documents, or none if there is only one document and it has no lines.
        """
        missing, found = set(triples), dict[Triple, WrittenAt]()
        only, *others = self.documents
        if not others and only.lines is None:
            return dict.fromkeys(missing, WrittenAt(only.source, None))
        predicates = {predicate for _, predicate, _ in missing}  # five times as fast as looking up the triple
        for document in self.documents:
            for number, triple in enumerate(document.triples):
                if triple[1] in predicates and triple in missing:
                    missing.remove(triple)
                    line = None if document.lines is None else document.lines[number]
                    found[triple] = WrittenAt(document.source, line)
        return found


def read_with_imports(source: object, format: str | None, imports: Imports) -> DocumentSet:
    """Read documents and everything they import, each document once.

    Raises:
        MissingImportError: an import cannot be resolved, and missing imports are not skipped.
        MissingFileError, OptionError: as for `sources_of`.
    """
    requested = [(each, read_document(each, format)) for each in sources_of(source)]
    documents = [document for _, document in requested]
    waiting: list[tuple[str, Path | None]] = [
        (iri, each if isinstance(each, Path) else None)
        for each, document in requested
        for iri in _imported(document.triples)
    ]
    seen = {name for document in documents for name in _ontology_names(document.triples)}
    skipped, finder = list[str](), _ImportResolver(imports)
    while waiting:
        iri, importing = waiting.pop(0)
        if iri in seen:
            continue
        seen.add(iri)
        path = finder.find(iri, importing)
        if path is None:
            if not imports.skip_missing:
                name = "the given graph" if importing is None else str(importing)
                raise MissingImportError(iri, name, finder.problem(iri, importing))
            skipped.append(iri)
            continue
        document = read_document(path)
        documents.append(document)
        waiting += [(further, path) for further in _imported(document.triples)]
    triples = documents[0].triples
    if len(documents) > 1:
        triples = tuple(dict.fromkeys(chain.from_iterable(document.triples for document in documents)))
    return DocumentSet(triples, tuple(documents), tuple(skipped), len(requested))


# Membership in a set is three times as fast as `==` of rdflib's terms.
_IMPORTS = frozenset({OWL.imports})
_ONTOLOGY = frozenset({OWL.Ontology})


def _imported(triples: Iterable[Triple]) -> list[str]:
    return [str(o) for _, p, o in triples if p in _IMPORTS and isinstance(o, URIRef)]


def _ontology_names(triples: Iterable[Triple]) -> set[str]:
    return {str(s) for s, p, o in triples if o in _ONTOLOGY and p == RDF.type}


class _ImportResolver:
    """Resolver of imports. The catalog in the folder of a file is read on the first import that is not
    resolved otherwise.
    """

    def __init__(self, imports: Imports) -> None:
        self._imports = imports
        self._beside: dict[Path, Mapping[str, Path]] = {}

    def find(self, iri: str, importing: Path | None) -> Path | None:
        """Return the file of an imported ontology; None if it cannot be resolved."""
        if iri in self._imports.files:
            return self._imports.files[iri]
        found, folder = None, self._imports.folder
        if folder is not None:
            found = _named_after(iri, folder) or self._in_catalog_in(folder).get(iri)
        if found is None and importing is not None:
            found = self._in_catalog_in(importing.parent).get(iri)
        return found

    def problem(self, iri: str, importing: Path | None) -> str:
        """Return the reason why an import cannot be resolved."""
        folders = (self._imports.folder, None if importing is None else importing.parent)
        names = list(self._imports.files)
        for folder in folders:
            catalog = None if folder is None else folder / CATALOG_NAME
            if catalog is not None and catalog.is_file():
                if (reason := unresolved_reason(catalog, iri)) is not None:
                    return reason
                names += names_in(catalog)
        near = next((name for name in names if _without_ends(name) == _without_ends(iri)), None)
        return "is in no catalog" if near is None else f"is in no catalog; there is the similar <{near}>"

    def _in_catalog_in(self, folder: Path) -> Mapping[str, Path]:
        if folder not in self._beside:
            catalog = folder / CATALOG_NAME
            self._beside[folder] = read_catalog(catalog, within=folder) if catalog.is_file() else {}
        return self._beside[folder]


def _without_ends(iri: str) -> str:
    """Remove the parts of an IRI that are often confused: the scheme, and a final slash or number sign."""
    return iri.partition("://")[2].rstrip("/#")


def _named_after(iri: str, folder: Path) -> Path | None:
    name = iri.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1]
    candidates = (folder / (name + suffix) for suffix in ("", *SUFFIXES))
    return next((path for path in candidates if name and path.is_file()), None)
